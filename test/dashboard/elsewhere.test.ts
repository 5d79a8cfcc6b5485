// That a page shows what others change while it is open: another user, another tab, or a program.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser } from '../../src/modules/accounts/users.service.ts';
import { createApiToken } from '../../src/modules/accounts/index.ts';
import { createRepository } from '../../src/modules/repositories/index.ts';
import { parallel, world, type World } from '../support/world.ts';
import { launchChromium, serveDashboard, signIn, type DashboardServer } from './browser.ts';

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

/** What the window does when the user comes back to it from another window. */
const comeBack = async (page: Page): Promise<void> => await page.evaluate('window.dispatchEvent(new Event("focus"))');

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
    'people shows a person whom another user adds',
    {
      path: '/settings/people',
      before: 'Teams',
      change: async () => await addUser(w.ctx, { email: 'bea@acme.test', handle: null, role: 'member' }),
      after: 'bea@acme.test',
    },
  ],
  [
    'people shows a team that another user makes',
    {
      path: '/settings/people',
      before: 'Teams',
      change: async () => await send('createTeam', { org: 'acme', slug: 'web' }, 'CreateTeamInput'),
      after: '@acme/web',
    },
  ],
  [
    'tokens shows a token that a program makes',
    {
      path: '/settings/tokens',
      before: 'New token',
      change: async () =>
        await createApiToken(w.ctx, w.secrets, { name: 'of the nightly job', kind: 'account', scopes: ['queue:read'] }),
      after: 'of the nightly job',
    },
  ],
  [
    'the configuration shows a configuration that another user makes',
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
    'analytics counts a pull request that has left the line meanwhile',
    {
      path: '/acme/shop/analytics',
      before: 'No pull request left the line.',
      change: async () => await w.dequeue(1),
      after: '1 pull request left the line.',
    },
  ],
  [
    'release projects shows a project that a program makes',
    {
      path: '/releases',
      before: 'Releases',
      change: async () => await send('createReleaseProject', { name: 'till', repository }, 'CreateReleaseProjectInput'),
      after: 'till',
    },
  ],
  [
    'webhooks shows an address that another user adds',
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

describe('the page of', () => {
  it.each(changes)('%s', async (_name, { path, before, change, after }) => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
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

  it('people shows a person whom another user adds also if nobody touches the window', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.clock.install();
    await page.goto(`${s.url}/settings/people`);
    await page.getByText('Teams', { exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    await addUser(w.ctx, { email: 'cem@acme.test', handle: null, role: 'member' });
    await page.clock.fastForward(30_000);
    await page.clock.runFor(1_000);
    await page.getByText('cem@acme.test').waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('the menu', () => {
  it('has a repository that a program makes', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.goto(`${s.url}/settings/people`);
    await page.getByRole('option', { name: 'acme/shop' }).waitFor({ state: 'attached' });
    await page.waitForLoadState('networkidle');
    await createRepository(w.ctx, { owner: 'acme', name: 'till', host: 'local' });
    await comeBack(page);
    await page.getByRole('option', { name: 'acme/till' }).waitFor({ state: 'attached' });
    expect(visit.complaints).toEqual([]);
  });
});
