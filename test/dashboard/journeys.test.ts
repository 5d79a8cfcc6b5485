// What people do with the dashboard, in a real Chromium over a real server and real git: from signing in to a landing.
import type { Browser, WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pauseBranches } from '../../src/modules/repositories/index.ts';
import { readVersion } from '../../src/platform/project-root.ts';
import { temporalLinks } from '../../src/temporal-watch.ts';
import { among } from '../support/tier.ts';
import { parallel, world, type World } from '../support/world.ts';
import { launchChromium, serveDashboard, seriousProblems, signIn, type DashboardServer } from './browser.ts';

let w: World;
let s: DashboardServer;
let browser: Browser;

async function statusOf(number: number): Promise<string> {
  return (await w.status(number)).status;
}

beforeAll(async () => {
  w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
  s = await serveDashboard(w, {
    ...temporalLinks('https://temporal.test/namespaces/interlock/workflows'),
    health: () => ({ silentSince: null, idleSince: new Date() }),
  });
  browser = await launchChromium();
  await w.open('cart', { 'cart.txt': 'cart\n' }, { title: 'Cart: keep line items' });
  await w.open('search', { 'search.txt': 'search\n' }, { title: 'Search: rank by availability' });
  await w.open('gifts', { 'gifts.txt': 'gifts\n' }, { title: 'Gift cards: partial redemption' });
});
afterAll(async () => {
  await browser.close();
  await s.close();
  await w[Symbol.asyncDispose]();
});

describe('a visitor', () => {
  it('who is not signed in is sent to sign in', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${s.url}/acme/shop/queue/main`);
    expect(new URL(page.url()).pathname).toBe('/session');
    await context.close();
  });

  it('who is signed in queues a pull request by keyboard, and sees it land without a reload', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main?select=1');
    await expect.poll(async () => await page.locator('main h2').first().textContent()).toContain('Nobody is in line.');
    await page.keyboard.press('q');
    await page.getByRole('dialog').getByRole('textbox').fill('cart');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    // What it would do stands there before it can be confirmed.
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Queue' });
    await expect.poll(async () => await confirm.isEnabled()).toBe(true);
    expect(await statusOf(1)).toBe('open');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'The line of main' }).getByText('Cart: keep line items').waitFor();
    expect(['queued', 'tagged']).toContain(await statusOf(1));
    await w.settled(1);
    expect(await statusOf(1)).toBe('merged');
    await page
      .getByRole('list', { name: 'The line of main' })
      .getByText(/^proved, (?:exact|same tree)$/)
      .waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('sees what landed beside what was tested, and commands that agree with a clone', async () => {
    await using visit = await signIn(browser, s);
    await visit.open('/acme/shop/pull/1?tab=proof');
    await visit.page
      .getByText(
        /^(?:The commit that landed is the commit|Another commit landed, with the very tree) that was tested\.$/,
      )
      .waitFor();
    const row = visit.page.getByRole('row', { name: /^Tree/ });
    expect(await row.textContent()).toContain('same');
    const commands = await visit.page
      .getByRole('region', { name: 'Commands that derive the proof again' })
      .textContent();
    const [, commit = ''] = /git rev-parse (\w{8})\^\{tree\}/.exec(commands ?? '') ?? [];
    const tree = await w.git('rev-parse', `${commit}^{tree}`);
    expect(await row.textContent()).toContain(tree.slice(0, 8));
    expect(visit.complaints).toEqual([]);
  });

  it('looks back to the line of a moment, where nothing can be changed', async () => {
    const [pull] = await w.rows<{ queued_at: Date; merged_at: Date }>(
      'select queued_at, merged_at from pull_request where number = 1',
    );
    const between = new Date((Number(pull?.queued_at) + Number(pull?.merged_at)) / 2).toISOString();
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(`/acme/shop/queue/main?at=${between}`);
    await page.getByText('The line as it was at').waitFor();
    await page.getByRole('list', { name: 'The line of main' }).getByText('Cart: keep line items').waitFor();
    expect(await page.getByRole('button', { name: 'Queue' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await expect.poll(async () => await page.locator('main h2').first().textContent()).toContain('Nobody is in line.');
    expect(visit.complaints).toEqual([]);
  });

  it('opens the workflow of the queue in Temporal by a key', async () => {
    await using visit = await signIn(browser, s);
    await visit.context.route('https://temporal.test/**', async (route) => await route.fulfill({ body: 'Temporal' }));
    await visit.open('/acme/shop/queue/main');
    await visit.page.getByText('Live', { exact: true }).waitFor();
    const opened = visit.context.waitForEvent('page');
    await visit.page.keyboard.press('w');
    const tab = await opened;
    await tab.waitForURL(/^https:\/\/temporal\.test\/namespaces\/interlock\/workflows\/queue%3A\d+%3A\d+$/);
    expect(visit.complaints).toEqual([]);
  });

  it('reads in the side bar which version it is, and that no worker runs', async () => {
    await using visit = await signIn(browser, s);
    await visit.open('/acme/shop/pulls');
    const side = visit.page.getByRole('navigation', { name: 'Main', exact: true });
    await side.getByText('No worker is running: nothing is planned, built or landed until one starts.').waitFor();
    await side.getByText(`Interlock ${readVersion()}`).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('dequeues by keyboard after the impact was told, and keeps it with Escape', async () => {
    await pauseBranches(w.ctx, {
      repository: w.repository,
      pattern: 'main',
      paused: true,
      pausedMessage: 'registry is down',
    });
    await w.queue(2, 3);
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    await page.getByText('Search: rank by availability').first().waitFor();
    await page.getByText('“registry is down”').waitFor();
    await page.keyboard.press('j');
    await page.getByRole('complementary', { name: 'Pull request 2' }).waitFor();
    await page.keyboard.press('x');
    const dialog = page.getByRole('dialog', { name: 'Dequeue #2?' });
    const confirm = dialog.getByRole('button', { name: 'Dequeue' });
    await expect.poll(async () => await confirm.isEnabled()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await statusOf(2)).toBe('queued');
    await page.keyboard.press('x');
    await expect.poll(async () => await confirm.isEnabled()).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByText('#2 left the line.').waitFor();
    expect(await statusOf(2)).toBe('open');
    expect(visit.complaints).toEqual([]);
  });

  it('whose socket is gone is told so, and misses nothing when it is back', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const sockets: WebSocketRoute[] = [];
    let isCut = false;
    await page.routeWebSocket('**/graphql', async (socket) => {
      if (isCut) return await socket.close({ code: 1012 });
      socket.connectToServer();
      sockets.push(socket);
    });
    await visit.open('/acme/shop/queue/main');
    await page.getByText('Live', { exact: true }).waitFor();
    isCut = true;
    for (const socket of sockets) await socket.close({ code: 1012 });
    await page.getByText('Not live since').waitFor();
    await w.queue(2);
    isCut = false;
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText(/^Live again, \d+ changes?\.$/).waitFor();
    await page.getByRole('list', { name: 'The line of main' }).getByText('Search: rank by availability').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('resumes a paused branch once, although the first answer is lost', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const answers: (readonly [key: string, replayed: string | undefined])[] = [];
    await page.route('**/graphql', async (route) => {
      const headers = await route.request().allHeaders();
      const { 'idempotency-key': key } = headers;
      if (key === undefined) return await route.continue();
      // Chromium would say that the page itself asks.
      const response = await route.fetch({ headers: { ...headers, 'sec-fetch-site': 'same-origin' } });
      answers.push([key, response.headers()['idempotent-replayed']]);
      return await (answers.length === 1 ? route.abort() : route.fulfill({ response }));
    });
    await visit.open('/acme/shop/queue/main');
    await page.keyboard.press('p');
    const confirm = page.getByRole('dialog', { name: 'Resume main?' }).getByRole('button', { name: 'Resume' });
    await expect.poll(async () => await confirm.isEnabled()).toBe(true);
    await confirm.click();
    await page.getByText('main goes on.').waitFor();
    await page.getByText('“registry is down”').waitFor({ state: 'detached' });
    const [key] = answers[0] ?? [];
    expect(answers).toEqual([
      [key, undefined],
      [key, 'true'],
    ]);
    expect(visit.complaints).toEqual([expect.stringContaining('net::ERR_FAILED')]);
  });

  it('is told line and column of a problem in the configuration', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/configuration');
    await page.getByRole('textbox', { name: 'Configuration as YAML' }).fill('merge_rules:\n  nonsense: 1\n');
    await page
      .getByText(/line 2, column \d+/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Replace' }).isDisabled()).toBe(true);
    expect(visit.complaints).toEqual([]);
  });

  it('finds a pull request by words with the palette', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/pulls');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or act' }).fill('gift partial');
    await page.getByRole('option', { name: /Gift cards/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/acme/shop/pull/3');
    expect(visit.complaints).toEqual([]);
  });
});

const pages = [
  '/acme/shop/queue/main?select=3',
  '/acme/shop/pulls',
  '/acme/shop/pull/1',
  '/acme/shop/pull/1?tab=proof',
  '/acme/shop/pull/3?tab=checks',
  '/acme/shop/analytics',
  '/acme/shop/configuration',
  '/acme/shop/runbooks',
  '/acme/shop/previews',
  '/releases',
  '/activity',
  '/settings/people',
  '/settings/tokens',
  '/settings/webhooks',
  '/welcome',
];

describe('every page', () => {
  const looks = [
    { theme: 'light', width: 1440 },
    { theme: 'dark', width: 390 },
    { theme: 'dark', width: 1440 },
    { theme: 'light', width: 390 },
  ] as const;
  it.each(among(looks, looks.slice(0, 2)))('has nothing that axe calls serious in $theme at $width', async (look) => {
    await using visit = await signIn(browser, s, look);
    const found: Record<string, readonly string[]> = {};
    for (const path of pages) {
      // Its own address, and its title: what a reader of a screen hears first.
      await visit.page.goto(s.url + path);
      await visit.page.locator('main h1, main h2').first().waitFor();
      await visit.page.waitForLoadState('networkidle');
      const problems = await seriousProblems(visit.page);
      if (problems.length > 0) found[path] = problems;
    }
    expect(found).toEqual({});
    expect(visit.complaints).toEqual([]);
  });
});
