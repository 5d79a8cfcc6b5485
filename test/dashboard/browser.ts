// A real Chromium that is signed in. Records errors and warnings of the page.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { AxeBuilder as Axe } from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { defaultCacheDirectory } from '../../src/launcher/cache-directory.ts';
import { findChromiums } from '../../src/launcher/chromium.ts';
import type { TemporalView } from '../../src/graphql/context.ts';
import { createEventHub } from '../../src/modules/events/index.ts';
import { projectRoot } from '../../src/platform/project-root.ts';
import { startServer } from '../../src/server.ts';
import { serveLocalGit } from '../../src/server/local-git.ts';
import type { World } from '../support/world.ts';

export interface DashboardServer {
  readonly url: string;
  /** A path that signs a browser in once: as the admin of the world, or as the user of another token. */
  link(token?: string): Promise<string>;
  /** Sends an operation as the admin of the world, or as the user of another token. Returns its data. */
  send<Data>(query: string, variables?: unknown, token?: string): Promise<Data>;
  close(): Promise<void>;
}

const unreached = { perSecond: 1_000_000, burst: 1_000_000 };

/** Serves the API, git and the built dashboard over a world whose engine the test drives. */
export async function serveDashboard(
  { service, secrets, token }: World,
  temporal?: TemporalView,
): Promise<DashboardServer> {
  const { ports } = service;
  // The loops of the service send changes to subscribers.
  service.start();
  const hub = createEventHub({ db: ports.db, log: ports.log });
  const server = await startServer({
    ports,
    secrets,
    hub,
    port: 0,
    host: '127.0.0.1',
    rateLimit: unreached,
    ...(temporal && { temporal }),
    dashboardDir: join(projectRoot, 'dist', 'dashboard'),
    registerExtra: async (fastify, parts) =>
      await serveLocalGit(fastify, { ports, localHost: service.localHost, ...parts }),
  });
  const send = async <Data>(query: string, variables: unknown = {}, user = token): Promise<Data> => {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${user}` },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { readonly data: Data; readonly errors?: unknown };
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    return data;
  };
  return {
    url: server.url,
    send,
    async link(user) {
      const { createSignInLink } = await send<{ readonly createSignInLink: { readonly url: string } }>(
        'mutation { createSignInLink(input: {}) { url } }',
        {},
        user,
      );
      return new URL(createSignInLink.url).pathname;
    },
    async close() {
      await server.close();
      await hub.close();
    },
  };
}

/** Starts the Chromium that also tests previews: that of the machine, or the one that comes with Interlock. */
export async function launchChromium(): Promise<Browser> {
  const named = process.env['PREVIEW_BROWSER'];
  const found = await findChromiums({ path: process.env['PATH'] ?? '', cacheDir: defaultCacheDirectory() });
  const [first] = found;
  const program = named !== undefined ? { path: named, env: {} } : await first?.prepare();
  if (program === undefined) throw new Error('No Chromium is here: set PREVIEW_BROWSER to the path of one.');
  return await chromium.launch({
    executablePath: program.path,
    env: { ...process.env, ...program.env },
    // Chromium as root has no user namespaces in which it could put pages.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-dev-shm-usage'],
  });
}

export interface Look {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  /** The time zone of the browser. Default: the zone of this machine. */
  readonly timezoneId?: string;
  /** The token of the user who signs in. Default: the token of the world's admin. */
  readonly token?: string;
}

/** A window of a signed-in visitor, and what went wrong in it. */
export interface SignedIn extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Messages of the console, failed scripts, and requests to other hosts. Empty if nothing went wrong. */
  readonly complaints: readonly string[];
  /** Opens a path and waits for its title. */
  open(path: string): Promise<void>;
}

/**
 * A window whose visitor is signed in by a link, like the link that `npm start` prints. The window has loaded no page
 * yet. (One journey signs in through the pages. In every test, these two pages would cost half a second of CPU.)
 */
export async function signIn(browser: Browser, s: DashboardServer, look: Look = {}): Promise<SignedIn> {
  const opened = await openWindow(browser, s, look);
  const response = await opened.context.request.post(s.url + (await s.link(look.token)), {
    form: {},
    // A browser sends this header with a form of a page of the service.
    headers: { origin: s.url, 'sec-fetch-site': 'same-origin' },
    maxRedirects: 0,
  });
  if (response.status() !== 303) throw new Error(`The link did not sign in: ${response.status()}`);
  return opened;
}

/** A window whose visitor is not signed in. */
export async function openWindow(
  browser: Browser,
  s: DashboardServer,
  { theme = 'light', width = 1440, timezoneId }: Look = {},
): Promise<SignedIn> {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 844 : 900 },
    colorScheme: theme,
    reducedMotion: 'reduce',
    ...(timezoneId !== undefined && { timezoneId }),
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && origin !== s.url) complaints.push(`asks ${origin}`);
  });
  return {
    page,
    context,
    complaints,
    async open(path) {
      await page.goto(s.url + path);
      await page.locator('main h2').first().waitFor();
    },
    [Symbol.asyncDispose]: async () => await context.close(),
  };
}

/** The names of the buttons and links of the bar of the page that are not whole inside the page. */
export async function controlsOutside(page: Page): Promise<readonly string[]> {
  const main = await page.locator('main').boundingBox();
  const controls = await page
    .locator('main h1')
    .locator('..')
    .locator('button:visible, select:visible, a:visible')
    .all();
  const places = await Promise.all(
    controls.map(async (one) => ({ name: await one.innerText(), box: await one.boundingBox() })),
  );
  if (main === null || places.length === 0) throw new Error('The page shows no bar with a button.');
  return places
    .filter(({ box }) => box === null || box.x < main.x || box.x + box.width > main.x + main.width)
    .map(({ name }) => name);
}

/** The errors of a refused operation. */
export function refusedWith(code: string) {
  return [{ message: 'Refused.', extensions: { code } }];
}

interface SocketMessage {
  readonly type: string;
  readonly payload?: unknown;
}

/**
 * Answers the first subscription to a field with a message, passes the others on, and returns how many there have been.
 */
export async function refuseOnce(page: Page, field: string, answer: SocketMessage): Promise<() => number> {
  let asked = 0;
  await page.routeWebSocket('**/graphql', (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const message = JSON.parse(String(text)) as {
        readonly id: string;
        readonly type: string;
        readonly payload?: { readonly query: string };
      };
      const isOfField = message.type === 'subscribe' && message.payload?.query.includes(field) === true;
      if (isOfField) asked += 1;
      if (!isOfField || asked > 1) return server.send(text);
      return socket.send(JSON.stringify({ id: message.id, ...answer }));
    });
  });
  return () => asked;
}

// The package is a CommonJS module, but its types say otherwise.
const { AxeBuilder } = createRequire(import.meta.url)('@axe-core/playwright') as { readonly AxeBuilder: typeof Axe };

/** What axe finds serious or critical, as `rule: element`. */
export async function seriousProblems(page: Page): Promise<readonly string[]> {
  // The usual mode opens another page for each analysis, so that frames of other origins are analysed too. It takes half
  // as long again.
  if (page.frames().length > 1) throw new Error('A page with frames must be analysed in the usual mode.');
  const builder = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode(true);
  const { violations } = await builder.analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`));
}
