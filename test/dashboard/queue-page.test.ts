// The page of a queue in a real Chromium: a red batch that is bisected, a member who may not skip the line and has pages
// of its own, a narrow screen, and a simulation of another configuration.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/context.ts';
import { createApiToken } from '../../src/modules/accounts/index.ts';
import { addUser } from '../../src/modules/accounts/users.service.ts';
import { judgedByBuildsAlone, startCi } from '../queue/stories.ts';
import { gate, type Gate } from '../support/gate.ts';
import { configurationYaml, parallel, world, type World } from '../support/world.ts';
import {
  launchChromium,
  openWindow,
  seriousProblems,
  serveDashboard,
  signIn,
  type DashboardServer,
} from './browser.ts';

let w: World;
let s: DashboardServer;
let browser: Browser;
let parts: Gate;

const rules = `${parallel({ builds: 4, batch: 2, more: 'use_parallel_bisection: true\nuse_optimistic_validation: false\n' })}${judgedByBuildsAlone}`;

beforeAll(async () => {
  parts = await gate();
  w = await world({
    configuration: rules,
    // A build of one of the two pull requests waits for the gate. The heads do not have the newest commit of the base.
    ci: `checks:\n  test:\n    run: 'if test -e moved.txt && ! { test -e good.txt && test -e bad; }; then ${parts.waits}; fi; test ! -e bad'\n`,
    runsCi: false,
  });
  s = await serveDashboard(w);
  browser = await launchChromium();
  await w.open('good', { 'good.txt': 'good\n' }, { title: 'Cart: keep line items' });
  await w.open('bad', { bad: 'bad\n' }, { title: 'Search: rank by availability' });
  await w.open('gifts', { 'gifts.txt': 'gifts\n' }, { title: 'Gift cards: partial redemption' });
  await w.commit('main', { 'moved.txt': 'moved\n' });
});
afterAll(async () => {
  await browser.close();
  await s.close();
  await w[Symbol.asyncDispose]();
  await parts[Symbol.asyncDispose]();
});

describe('a batch that fails', () => {
  it('is bisected while a visitor watches, until one pull request has landed and the other is blocked', async () => {
    await w.queue(1, 2);
    await w.until(async () => (await w.status(1)).status === 'tagged' && (await w.status(2)).status === 'tagged');
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    const line = page.getByRole('list', { name: 'The line of main' });
    await line.getByText('Batch 1 on the tip').waitFor();
    await page.keyboard.press('j');
    await page
      .getByRole('complementary', { name: 'Pull request 1' })
      .getByRole('button', { name: 'Dequeue' })
      .waitFor();
    await page.keyboard.press('b');
    const again = page.getByRole('dialog', { name: 'Build #1 again?' });
    await again.getByText('#1, #2 go back in line. The queue was reset by hand.').waitFor();
    await expect.poll(async () => await again.getByRole('button', { name: 'Build again' }).isEnabled()).toBe(true);
    await page.keyboard.press('Enter');
    await page.getByText('The build of #1 starts again.').waitFor();
    await page.keyboard.press('Escape');
    await w.until(async () => (await w.batches()).some(({ id, state }) => id === '2' && state === 'building'));
    await line.getByText('Batch 2 on the tip').waitFor();
    await using _ci = await startCi(w);
    await w.until(async () =>
      (await w.batches()).some(({ cause, state }) => cause === 'bisect' && state === 'building'),
    );
    await line.getByText(/^Part of a batch, \d/).waitFor();
    await line.getByText('Its batch failed, and it waits to be built apart from the others.').waitFor();
    expect(await line.getByText('Batch 2 on the tip').count()).toBe(0);
    await parts.open();
    await w.settled(1, 2);
    await line.getByText(/^proved, /).waitFor();
    await line.getByText('Blocked: somebody must act').waitFor();
    await line.getByText('Search: rank by availability').waitFor();
    await expect
      .poll(async () => await page.locator('main h2').first().textContent())
      .toContain('No pull request is in line.');
    await visit.open('/acme/shop/pull/2?tab=builds');
    await page.getByRole('region', { name: 'Batch 2', exact: true }).getByText('bisected', { exact: true }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('is the way from a blocked pull request to the check that failed, and the page says what to do then', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/pull/2');
    await page.getByText('When the cause is gone, queue the pull request again.').waitFor();
    await page.getByRole('link', { name: /^See what failed in batch \d+$/ }).click();
    const newest = page.getByRole('region', { name: /^Batch/ }).first();
    await newest.getByText('failed', { exact: true }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('is one click away from the details of a blocked pull request beside the line', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main?select=2');
    await page.getByRole('link', { name: /^See what failed in batch \d+$/ }).click();
    const newest = page.getByRole('region', { name: /^Batch/ }).first();
    await newest.getByText('failed', { exact: true }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('is not shown as the reason of a later block', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await w.configure(`${rules}  validations:\n    - name: a ticket\n      match: {type: title, regex: '^T-'}\n`);
    await w.queue(2);
    await w.until(async () => (await w.status(2)).status_code === 108);
    await visit.open('/acme/shop/pull/2');
    await page.getByText('A validation failed: a ticket.').first().waitFor();
    await page.getByText('When the cause is gone, queue the pull request again.').waitFor();
    expect(await page.getByRole('link', { name: /^See what failed/ }).count()).toBe(0);
    await w.configure(rules);
    expect(visit.complaints).toEqual([]);
  });
});

describe('a pull request that is not in line', () => {
  const lineOf = (page: Page) => page.getByRole('list', { name: 'The line of main' });

  it('leaves the page when it is dequeued, although the line stays the same', async () => {
    await w.configure(`${rules}  number_of_approvals: 1\n`);
    await w.queue(3);
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    const asked = lineOf(page).getByText('Gift cards: partial redemption');
    await asked.waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await w.dequeue(3);
    await asked.waitFor({ state: 'detached' });
    await w.configure(rules);
    expect(visit.complaints).toEqual([]);
  });

  it('leaves the page when it is closed, although the page reads nothing from time to time', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.addInitScript('window.setInterval = () => 0;');
    await visit.open('/acme/shop/queue/main');
    await page.getByText('Live', { exact: true }).waitFor();
    const blocked = lineOf(page).getByText('Search: rank by availability');
    await blocked.waitFor();
    await s.send('mutation ($input: PullRequestRefInput!) { closePullRequest(input: $input) { pullRequest { id } } }', {
      input: { repository: { owner: 'acme', name: 'shop' }, number: 2 },
    });
    await w.until(async () => (await w.status(2)).status === 'closed');
    await blocked.waitFor({ state: 'detached' });
    expect(visit.complaints).toEqual([]);
  });
});

describe('a change that has no event', () => {
  it.each([
    ['its own page', 'own', (number: number) => `/acme/shop/pull/${number}`],
    ['the list of pull requests', 'list', () => '/acme/shop/pulls?show=all'],
  ])('is shown on %s some time later', async (_, branch, pathOf) => {
    const number = await w.open(`abandoned-${branch}`, { [`${branch}.txt`]: 'new\n' }, { title: 'Abandoned' });
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.clock.install();
    await visit.open(pathOf(number));
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByText('Abandoned').first().waitFor();
    await w.rows('update pull_request set title = $2 where number = $1', [number, `Renamed ${branch}`]);
    await page.clock.fastForward('05:01');
    await page.getByText(`Renamed ${branch}`).first().waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('a member', () => {
  it('sees that skipping the line is disabled, why, and who may do it', async () => {
    await w.queue(3);
    const { userId } = await addUser(w.ctx, { email: 'ada@acme.test', handle: 'ada', role: 'member' });
    await addUser(w.ctx, { email: 'grace@acme.test', handle: 'grace', role: 'admin' });
    const scopes = ['queue:read', 'queue:write', 'config:read'] as const;
    const { token } = await createApiToken(w.ctx, w.secrets, { name: 'ada', kind: 'user', scopes, userId });
    await using visit = await signIn(browser, s, { token });
    const { page } = visit;
    await visit.open('/acme/shop/queue/main?select=3');
    const inspector = page.getByRole('complementary', { name: 'Pull request 3' });
    await inspector.getByText(/grace.* may let a pull request skip the line\.$/).waitFor();
    await inspector.getByText('Not authorized to skip the line in this repository.').waitFor();
    expect(await inspector.getByRole('button', { name: 'Skip line' }).isDisabled()).toBe(true);
    expect(await inspector.getByRole('button', { name: 'Dequeue' }).isDisabled()).toBe(false);
    await page.keyboard.press('s');
    await page.getByRole('status').getByText('Not authorized to skip the line in this repository.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(visit.complaints).toEqual([]);
  });
});

describe('a user without every right', () => {
  let users = 0;
  const signInAs = async (...scopes: readonly Scope[]) => {
    users += 1;
    const { userId } = await addUser(w.ctx, { email: `member${users}@acme.test`, role: 'member' });
    const { token } = await createApiToken(w.ctx, w.secrets, { name: 'a browser', kind: 'user', scopes, userId });
    return await signIn(browser, s, { token });
  };

  it('sees their own tokens, and can make one that may do everything that they may', async () => {
    await using visit = await signInAs('queue:read', 'queue:write', 'config:read');
    const { page } = visit;
    await visit.open('/settings/tokens');
    await page.getByText('1 token is valid.').waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('a script');
    await dialog.getByLabel('What the token may do').selectOption('everything');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByText('2 tokens are valid.').waitFor();
    await page
      .getByRole('listitem')
      .filter({ hasText: 'a script' })
      .getByText('queue:read, queue:write, config:read')
      .waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it.each([
    ['/settings/webhooks', 'The webhooks could not be read.'],
    ['/activity?show=people', 'The activity could not be read.'],
    ['/releases', 'The release projects could not be read.'],
    ['/acme/shop/configuration', 'The configuration could not be read.'],
    ['/acme/shop/runbooks', 'The runbooks could not be read.'],
    ['/acme/shop/analytics', 'The analytics could not be read.'],
    ['/acme/shop/screens', 'The links could not be read.'],
  ])('reads on %s why the page is empty', async (path, title) => {
    await using visit = await signInAs('queue:read');
    const { page } = visit;
    await page.goto(s.url + path);
    await page.getByText(title).waitFor();
    await page.getByText('This needs').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('reads the page of a pull request, without the releases that have it', async () => {
    await using visit = await signInAs('queue:read');
    const { page } = visit;
    await visit.open('/acme/shop/pull/1');
    await page.getByRole('heading', { name: 'Cart: keep line items' }).first().waitFor();
    await page.getByText('From the request to the environments').waitFor();
    expect(await page.getByText('could not be read').count()).toBe(0);
    expect(await page.getByText('in none yet').count()).toBe(0);
    expect(visit.complaints).toEqual([]);
  });

  it('gets to the queue from the first page if they may not read releases', async () => {
    await using visit = await signInAs('queue:read');
    await visit.page.goto(s.url);
    await visit.page.waitForURL('**/acme/shop/queue/main');
    expect(visit.complaints).toEqual([]);
  });
});

describe('on a narrow screen', () => {
  it('a row opens a sheet with all facts and actions of the pull request, and gets the focus back', async () => {
    await using visit = await signIn(browser, s, { width: 390 });
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    const line = page.getByRole('list', { name: 'The line of main' });
    await line.getByText('#3', { exact: true }).click();
    const sheet = page.getByRole('dialog', { name: 'Pull request 3' });
    await sheet.getByRole('button', { name: 'Dequeue' }).click();
    const confirm = page
      .getByRole('dialog', { name: 'Dequeue #3?' })
      .getByRole('button', { name: 'Dequeue', exact: true });
    await expect.poll(async () => await confirm.isEnabled()).toBe(true);
    await page.keyboard.press('Escape');
    await confirm.waitFor({ state: 'detached' });
    expect(await seriousProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    expect((await w.status(3)).status).toBe('queued');
    // The tab bar has no room for every page.
    await page.getByRole('button', { name: 'More' }).click();
    const pages = page.getByRole('dialog', { name: 'All pages' });
    expect(await seriousProblems(page)).toEqual([]);
    const runbooks = pages.getByRole('link', { name: 'Runbooks' });
    // The icon is beside the name. In the tab bar it is above the name.
    const [link, icon] = [await runbooks.boundingBox(), await runbooks.locator('svg').boundingBox()];
    expect((icon?.x ?? 0) - (link?.x ?? 0)).toBeLessThan(20);
    await runbooks.click();
    await page.waitForURL(/\/acme\/shop\/runbooks$/);
    await pages.waitFor({ state: 'detached' });
    await page.goBack();
    await page.setViewportSize({ width: 1024, height: 800 });
    const title = line.getByRole('link', { name: 'Gift cards: partial redemption' });
    await title.focus();
    await page.keyboard.press('k');
    await sheet.waitFor();
    expect(await sheet.evaluate((one) => one.matches(':focus-within'))).toBe(true);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    expect(await title.evaluate((one) => one.matches(':focus'))).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });
    await line.getByText('#3', { exact: true }).click();
    await page.getByRole('complementary', { name: 'Pull request 3' }).waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('a simulation', () => {
  it('replays the past with the text at the time of the click', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    let asked = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('mutation StartSimulation')) asked += 1;
    });
    await visit.open('/acme/shop/configuration');
    await page.getByRole('button', { name: 'Simulate' }).click();
    const landed = page.getByRole('row', { name: /^Landed/ });
    await landed.waitFor();
    expect(await landed.getByRole('cell').allTextContents()).toEqual(['1', expect.stringMatching(/^\d+$/)]);
    // The result is still there when the user returns.
    await visit.open('/acme/shop/configuration');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await landed.waitFor();
    await page
      .getByRole('textbox', { name: 'Configuration as YAML' })
      .fill(configurationYaml(parallel({ builds: 1, batch: 1 })));
    await page.getByText(/^The change is valid and touches \d+ keys?\.$/).waitFor();
    expect(asked).toBe(1);
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByRole('columnheader', { name: 'with the change' }).waitFor();
    expect(asked).toBe(2);
    expect(visit.complaints).toEqual([]);
  });
});

describe('the page for a screen', () => {
  const openLink = async (): Promise<string> => {
    const { createEmbedLink } = await s.send<{ readonly createEmbedLink: { readonly url: string } }>(
      'mutation ($input: CreateEmbedLinkInput!) { createEmbedLink(input: $input) { url } }',
      { input: { repository: { owner: 'acme', name: 'shop' }, baseBranch: 'main' } },
    );
    const { pathname, search } = new URL(createEmbedLink.url);
    return s.url + pathname + search;
  };

  it('comes back after no server has answered for a while', async () => {
    const link = await openLink();
    await using screen = await openWindow(browser, s);
    const { page } = screen;
    await page.clock.install();
    let isAway = true;
    let loads = 0;
    await page.route('**/embed/**', async (route) => {
      const isOfChanges = route.request().url().includes('/changes?');
      if (!isOfChanges) loads += 1;
      if (loads === 1) return await (isOfChanges ? route.fulfill({ status: 503 }) : route.fallback());
      if (!isAway) return await route.fallback();
      // A server that hangs answers the second request never.
      if (loads > 2) await route.abort();
    });
    await page.goto(link);
    const passTime = async (): Promise<void> => await page.clock.fastForward(20_000);
    await expect.poll(async () => await passTime().then(() => loads)).toBeGreaterThan(3);
    isAway = false;
    const heading = page.getByRole('heading', { name: 'In line', exact: true });
    await expect.poll(async () => await passTime().then(async () => await heading.count())).toBe(1);
  });

  it('says that too many screens show the queue until there is room for it', async () => {
    const link = await openLink();
    await using screen = await openWindow(browser, s);
    const { page } = screen;
    await page.clock.install();
    let isFull = false;
    let asked = 0;
    await page.route('**/changes?**', async (route) => {
      asked += 1;
      if (isFull) return await route.fulfill({ contentType: 'text/event-stream', body: 'event: full\ndata: {}\n\n' });
      const board = {
        version: 'any',
        repository: 'acme/shop',
        branch: 'main',
        at: new Date().toISOString(),
        summary: { tone: 'green', sentence: 'Nothing is in line.' },
        queue: null,
      };
      // The stream ends, and the page connects again after a millisecond.
      isFull = asked === 1;
      const body = `retry: 1\ndata: ${JSON.stringify(board)}\n\n`;
      return await route.fulfill({ contentType: 'text/event-stream', body });
    });
    await page.goto(link);
    const notice = page.getByRole('heading', { name: 'Too many screens show this queue' });
    await notice.waitFor();
    const board = page.getByRole('heading', { name: 'Nothing is in line.' });
    await page.clock.fastForward(5_000);
    expect([await notice.count(), await board.count()]).toEqual([1, 0]);
    isFull = false;
    const passTime = async (): Promise<void> => await page.clock.fastForward(20_000);
    await expect
      .poll(async () => await passTime().then(async () => [await notice.count(), asked > 2]))
      .toEqual([0, true]);
    await board.waitFor();
  });

  it('names the checks that failed', async () => {
    const link = await openLink();
    await using screen = await openWindow(browser, s);
    const { page } = screen;
    const build = {
      position: 1,
      role: 'LINE',
      buildStartedAt: null,
      members: [{ pullRequest: { number: 7, title: 'Search' } }],
      checks: [
        { name: 'lint', conclusion: 'FAILURE', completedAt: new Date().toISOString() },
        { name: 'test', conclusion: 'PENDING', completedAt: null },
      ],
    };
    const nothing = { nodes: [] };
    const board = {
      version: 'any',
      repository: 'acme/shop',
      branch: 'main',
      at: new Date().toISOString(),
      summary: { tone: 'red', sentence: 'A build fails.' },
      queue: { baseTip: null, depth: { queued: 1 }, batches: { nodes: [build] }, line: nothing, landed: nothing },
    };
    await page.route(
      '**/changes?**',
      async (route) =>
        await route.fulfill({ contentType: 'text/event-stream', body: `data: ${JSON.stringify(board)}\n\n` }),
    );
    await page.goto(link);
    await page.getByText('lint failed').waitFor();
    expect(await page.getByText('running').count()).toBe(0);
  });
});
