// That a page shows what others change while it is open: another user, another tab, or a program.
import { Kind, parse, type OperationDefinitionNode } from 'graphql';
import type { Browser, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pointsOf } from '../../src/graphql/limits.ts';
import { interlockSchema } from '../../src/graphql/schema.ts';
import { addUser } from '../../src/modules/accounts/users.service.ts';
import { createApiToken } from '../../src/modules/accounts/index.ts';
import { createRepository } from '../../src/modules/repositories/index.ts';
import { parallel, world, type World } from '../support/world.ts';
import { launchChromium, refusedWith, serveDashboard, signIn, type DashboardServer } from './browser.ts';

let w: World;
let s: DashboardServer;
let browser: Browser;

beforeAll(async () => {
  w = await world({ configuration: parallel({ builds: 1, batch: 1 }), runsCi: false });
  s = await serveDashboard(w);
  browser = await launchChromium();
  await w.open('cart', { 'cart.txt': 'new\n' });
  await w.queue(1);
});
afterAll(async () => {
  await browser.close();
  await s.close();
  await w[Symbol.asyncDispose]();
});

const send = async (mutation: string, input: unknown, type: string): Promise<unknown> =>
  await s.send(`mutation ($input: ${type}!) { ${mutation}(input: $input) { __typename } }`, { input });
const repository = { owner: 'acme', name: 'shop' };

/** The user comes back to the window from another window, after a while. The page has an installed clock. */
const comeBack = async (page: Page, afterMs = 11_000): Promise<void> => {
  await page.clock.fastForward(afterMs);
  await page.evaluate('window.dispatchEvent(new Event("focus"))');
};

/** Counts what a page asks, and the points that this takes. `settle` waits until every question has its answer. */
function countReads(page: Page): { readonly points: () => number; readonly settle: () => Promise<void> } {
  let points = 0;
  let waiting = 0;
  const isRead = (url: string): boolean => new URL(url).pathname === '/graphql';
  page.on('request', (request) => {
    if (!isRead(request.url()) || request.method() !== 'POST') return;
    waiting += 1;
    const { query, variables = {} } = request.postDataJSON() as {
      readonly query: string;
      readonly variables?: Readonly<Record<string, unknown>>;
    };
    const document = parse(query);
    const operation = document.definitions.find(
      (each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION,
    );
    if (operation) points += pointsOf({ schema: interlockSchema(), document, operation, variables });
  });
  const onEnd = (request: Request): void => {
    if (isRead(request.url()) && request.method() === 'POST') waiting -= 1;
  };
  // A socket waits for its first frame, and for the answer to each ping. The page gives up a socket that waits too long.
  page.on('websocket', (socket) => {
    let isOpen = false;
    let pings = 0;
    waiting += 1;
    const onOpen = (): void => {
      if (!isOpen) waiting -= 1;
      isOpen = true;
    };
    socket.on('framesent', ({ payload }) => {
      if (!payload.includes('"ping"')) return;
      pings += 1;
      waiting += 1;
    });
    socket.on('framereceived', ({ payload }) => {
      onOpen();
      if (!payload.includes('"pong"') || pings === 0) return;
      pings -= 1;
      waiting -= 1;
    });
    socket.on('close', () => {
      onOpen();
      waiting -= pings;
      pings = 0;
    });
  });
  page.on('requestfinished', onEnd);
  page.on('requestfailed', onEnd);
  return { points: () => points, settle: async () => await expect.poll(() => waiting).toBe(0) };
}

interface Change {
  readonly path: string;
  /** What the page shows before the change. */
  readonly before: string;
  readonly change: () => Promise<unknown>;
  /** What the page shows after the change. */
  readonly after: string;
}

const changes: readonly (readonly [name: string, change: Change])[] = [
  [
    'People shows a person after another user has added that person',
    {
      path: '/settings/people',
      before: 'Teams',
      change: async () => await addUser(w.ctx, { email: 'bea@acme.test', handle: null, role: 'member' }),
      after: 'bea@acme.test',
    },
  ],
  [
    'People shows a team after another user has made it',
    {
      path: '/settings/people',
      before: 'Teams',
      change: async () => await send('createTeam', { org: 'acme', slug: 'web' }, 'CreateTeamInput'),
      after: '@acme/web',
    },
  ],
  [
    'Tokens shows a token after a program has made it',
    {
      path: '/settings/tokens',
      before: 'New token',
      change: async () =>
        await createApiToken(w.ctx, w.secrets, { name: 'of the nightly job', kind: 'account', scopes: ['queue:read'] }),
      after: 'of the nightly job',
    },
  ],
  [
    'Configuration shows a configuration after another user has saved it',
    {
      path: '/acme/shop/configuration',
      before: 'Earlier changes',
      change: async () =>
        await send(
          'replaceConfiguration',
          {
            repository,
            yaml: 'merge_rules:\n  labels:\n    trigger: please-land\n  preconditions:\n    number_of_approvals: 0\n',
          },
          'ReplaceConfigurationInput',
        ),
      after: 'please-land',
    },
  ],
  [
    'Analytics counts a pull request after it has left the line',
    {
      path: '/acme/shop/analytics',
      before: 'No pull request left the line.',
      change: async () => await w.dequeue(1),
      after: '1 pull request left the line.',
    },
  ],
  [
    'Releases shows a project after a program has made it',
    {
      path: '/releases',
      before: 'Releases',
      change: async () => await send('createReleaseProject', { name: 'till', repository }, 'CreateReleaseProjectInput'),
      after: 'till',
    },
  ],
  [
    'Webhooks shows an address after another user has added it',
    {
      path: '/settings/webhooks',
      before: 'New webhook',
      change: async () =>
        await send(
          'createWebhookEndpoint',
          { url: 'https://hooks.example.test/all', actions: ['*'] },
          'CreateWebhookEndpointInput',
        ),
      after: 'https://hooks.example.test/all',
    },
  ],
];

describe('an open page', () => {
  it.each(changes)('%s', async (_name, { path, before, change, after }) => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.clock.install();
    await page.goto(s.url + path);
    const main = page.getByRole('main');
    await main.getByText(before).first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await main.getByText(after).count()).toBe(0);
    await change();
    // The service adds the events to the analytics a moment later.
    const isShown = async (): Promise<boolean> => {
      await comeBack(page);
      return await main.getByText(after).filter({ visible: true }).first().isVisible();
    };
    await expect.poll(isShown).toBe(true);
    expect(visit.complaints).toEqual([]);
  });

  it('People shows a person after another user has added that person, although nobody touches the window', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.clock.install();
    await page.goto(`${s.url}/settings/people`);
    await page.getByText('Teams', { exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    await addUser(w.ctx, { email: 'cem@acme.test', handle: null, role: 'member' });
    await page.clock.fastForward('05:00');
    await page.clock.runFor(1_000);
    await page.getByText('cem@acme.test').waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('the menu', () => {
  it('has a repository that a program makes', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.clock.install();
    await page.goto(`${s.url}/settings/people`);
    await page.getByRole('option', { name: 'acme/shop' }).waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
    await createRepository(w.ctx, { owner: 'acme', name: 'till', host: 'local' });
    await comeBack(page);
    await page.getByRole('option', { name: 'acme/till' }).waitFor({ state: 'attached' });
    expect(visit.complaints).toEqual([]);
  });
});

describe('a visible tab that nobody touches', () => {
  it.each([
    ['People', '/settings/people', 'Teams'],
    ['Pull requests', '/acme/shop/pulls?show=all', 'cart'],
    ['a queue', '/acme/shop/queue/main', 'Live'],
    ['a pull request', '/acme/shop/pull/1', 'cart'],
  ])('takes few points of the rate limit on the page of %s', async (_name, path, shown) => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.clock.install();
    const reads = countReads(page);
    await page.goto(s.url + path);
    await page.getByRole('main').getByText(shown).first().waitFor();
    await page.waitForLoadState('networkidle');
    await reads.settle();
    const before = reads.points();
    const minutes = 5;
    for (let n = 0; n < 30 * minutes; n += 1) {
      await page.clock.runFor(2_000);
      await reads.settle();
    }
    const perMinute = (reads.points() - before) / minutes;
    // The badge of the menu is read.
    expect(perMinute).toBeGreaterThan(0);
    expect(perMinute).toBeLessThanOrEqual(30);
    expect(visit.complaints).toEqual([]);
  });

  it('reads nothing when the user comes back to it within seconds', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.clock.install();
    const reads = countReads(page);
    await page.goto(`${s.url}/settings/people`);
    await page.getByText('Teams', { exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    const before = reads.points();
    await comeBack(page, 5_000);
    await page.clock.runFor(2_000);
    await reads.settle();
    expect(reads.points()).toBe(before);
    await comeBack(page);
    await page.clock.runFor(2_000);
    await expect.poll(reads.points).toBeGreaterThan(before);
    await reads.settle();
    expect(visit.complaints).toEqual([]);
  });
});

/** Waits until the page has read again what others change everywhere, such as the repositories. */
async function comeBackAndRead(page: Page): Promise<void> {
  const isRead = page.waitForResponse((response) => isOperation(response.request(), 'Shell'));
  await comeBack(page);
  await page.clock.runFor(2_000);
  await isRead;
}

function isOperation(request: Request, name: string): boolean {
  return request.postData()?.includes(`"operationName":"${name}"`) === true;
}

describe('a page that is complete', () => {
  beforeAll(async () => {
    await addUser(w.ctx, { email: 'dee@acme.test', handle: null, role: 'member' });
  });

  it.each([['People', '/settings/people', 'dee@acme.test']])(
    'says nothing of a part that is missing while the rate limit is used up: %s',
    async (operation, path, row) => {
      await using visit = await signIn(browser, s);
      const { page } = visit;
      await page.clock.install();
      await page.goto(s.url + path);
      await page.getByText(row).first().waitFor();
      await page.waitForLoadState('networkidle');
      let refused = 0;
      await page.route('**/graphql', async (route) => {
        if (!isOperation(route.request(), operation)) return await route.fallback();
        refused += 1;
        return await route.fulfill({ json: { data: null, errors: refusedWith('RATE_LIMITED') } });
      });
      await comeBack(page);
      // When the page asks again, it has shown the first refusal.
      await expect.poll(async () => await page.clock.runFor(2_000).then(() => refused)).toBeGreaterThan(1);
      expect(await page.getByText('A part of this page could not be read').count()).toBe(0);
      expect(await page.getByText(row).count()).toBeGreaterThan(0);
    },
  );
});

describe('the result of a simulation', () => {
  it('stays on the page when another user simulates something else', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.clock.install();
    await visit.open('/acme/shop/configuration');
    await page.getByRole('button', { name: 'Simulate' }).click();
    const landed = page.getByRole('row', { name: /^Landed/ });
    // The page asks each second how far the simulation is.
    await expect.poll(async () => await page.clock.runFor(1_000).then(async () => await landed.count())).toBe(1);
    await send('startSimulation', { repository, days: 7 }, 'SimulateQueueInput');
    const isDone = async (): Promise<unknown> =>
      await s.send(`{ repository(owner: "acme", name: "shop") { simulations(first: 1) { days state } } }`);
    await expect.poll(isDone).toEqual({ repository: { simulations: [{ days: 7, state: 'DONE' }] } });
    await comeBackAndRead(page);
    await page.clock.runFor(2_000);
    expect(await landed.count()).toBe(1);
    expect(visit.complaints).toEqual([]);
  });
});

describe('the configuration, when another user changes it', () => {
  it('keeps an opened difference open, and the focus in the editor', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.clock.install();
    await visit.open('/acme/shop/configuration');
    const difference = page.getByRole('region', { name: 'Difference made by this change' });
    const earlier = page.locator('details summary').first();
    await earlier.click();
    await difference.waitFor();
    const editor = page.getByRole('textbox', { name: 'Configuration as YAML' });
    await editor.focus();
    const yaml = 'merge_rules:\n  labels:\n    trigger: land-it\n  preconditions:\n    number_of_approvals: 0\n';
    await send('replaceConfiguration', { repository, yaml }, 'ReplaceConfigurationInput');
    await comeBack(page);
    await editor.getByText('land-it').waitFor();
    await expect.poll(async () => await page.locator('details summary').count()).toBeGreaterThan(1);
    await editor.and(page.locator(':focus')).waitFor();
    expect(await difference.isVisible()).toBe(true);
    expect(visit.complaints).toEqual([]);
  });
});

// The last test of the file, because it makes many repositories.
describe('the menu of an account with more than fifty repositories', () => {
  it('has every repository after another one was added in front of them', async () => {
    for (let n = 10; n < 70; n += 1) await createRepository(w.ctx, { owner: 'acme', name: `r${n}`, host: 'local' });
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.clock.install();
    await page.goto(`${s.url}/settings/tokens`);
    const option = (name: string) => page.getByRole('option', { name, exact: true });
    await option('acme/r69').waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
    const before = await page.getByRole('option', { name: 'acme/' }).count();
    await createRepository(w.ctx, { owner: 'acme', name: 'first', host: 'local' });
    await comeBack(page);
    await page.clock.runFor(2_000);
    await option('acme/first').waitFor({ state: 'attached' });
    expect(await page.getByRole('option', { name: 'acme/' }).count()).toBe(before + 1);
    expect(visit.complaints).toEqual([]);
  });
});
