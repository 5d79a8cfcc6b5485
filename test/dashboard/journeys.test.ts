// What people do with the dashboard, in a real Chromium with a real server and real git, from the sign-in to a landing.
import type { Browser, WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser } from '../../src/modules/accounts/users.service.ts';
import { changeActivity, pauseBranches } from '../../src/modules/repositories/index.ts';
import { createWebhookRelay } from '../../src/modules/webhooks/index.ts';
import { createHttpOut } from '../../src/platform/http-out/index.ts';
import { readVersion } from '../../src/platform/project-root.ts';
import { temporalLinks } from '../../src/temporal-watch.ts';
import { addVerification } from '../previews/verification-rows.ts';
import { verifyAll } from '../queue/stories.ts';
import { isFullRun } from '../support/tier.ts';
import { parallel, world, type World } from '../support/world.ts';
import {
  launchChromium,
  openWindow,
  serveDashboard,
  seriousProblems,
  signIn,
  type DashboardServer,
} from './browser.ts';

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

/** Runs in the page. Finds elements that are animated without end, or for longer than a frame. */
const findMoving = `(() => {
  const seconds = (durations) => Math.max(...durations.split(',').map(Number.parseFloat));
  const isMoving = (style) =>
    seconds(style.transitionDuration) > 0.01 ||
    (style.animationName !== 'none' && (seconds(style.animationDuration) > 0.01 || style.animationIterationCount === 'infinite'));
  return [...document.querySelectorAll('*')]
    .filter((element) => [null, '::before', '::after'].some((part) => isMoving(getComputedStyle(element, part))))
    .map(({ className }) => String(className));
})()`;

/** Runs in the page. Sets its clock ahead by `aheadMs`. */
function shiftClock(aheadMs: number): void {
  const { now } = Date;
  globalThis.Date = new Proxy(Date, {
    construct: (of, given: unknown[]) =>
      Reflect.construct(of, given.length === 0 ? [now() + aheadMs] : given) as object,
    get: (of, key) => (key === 'now' ? () => now() + aheadMs : (Reflect.get(of, key) as unknown)),
  });
}

describe('a visitor', () => {
  it('who is not signed in is sent to the sign-in, and gets in by the button of a link', async () => {
    await using visit = await openWindow(browser, s);
    const { page } = visit;
    await page.goto(`${s.url}/acme/shop/queue/main`);
    expect(new URL(page.url()).pathname).toBe('/session');
    await page.goto(s.url + (await s.link()));
    await page.getByRole('button').first().click();
    await page.getByRole('navigation', { name: 'Main', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).not.toMatch(/^\/session/);
    expect(visit.complaints).toEqual([]);
  });

  it('who is signed in queues a pull request by keyboard, and sees it land without a reload', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main?select=1');
    await expect
      .poll(async () => await page.locator('main h2').first().textContent())
      .toContain('No pull request is in line.');
    await page.keyboard.press('q');
    await page.getByRole('dialog').getByRole('textbox').fill('cart');
    // Before the list is read, Tab leads to another button.
    await page.getByRole('dialog').getByRole('listitem').getByText('Cart: keep line items').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    // The page shows the impact before the user can confirm.
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
    // The number in the side bar follows the line.
    await page.getByRole('link', { name: /^Queue ?0$/ }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('compares what landed with what was tested, and the shown commands give the same in a clone', async () => {
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
    await visit.open('/acme/shop/queue/main');
    await visit.page.getByText('1 landing proved', { exact: true }).waitFor();
    await verifyAll(w);
    await visit.open('/acme/shop/queue/main');
    await visit.page.getByText(/^1 landing proved, derived again .+ ago$/).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('reads on the page of a merged pull request how it landed, and opens its proof from there', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/pull/1');
    await page.getByText(/^It landed at \d\d:\d\d/).waitFor();
    await page
      .getByText(
        /^Batch 1 (?:landed by the build of [0-9a-f]{7,}, which )?passed its check test\. (?:The commit that landed is|Another commit landed, with) the/,
      )
      .waitFor();
    await page.getByRole('link', { name: 'See its proof' }).click();
    await page.waitForURL('**/acme/shop/pull/1?tab=proof');
    await page.getByText('Tested, and landed').waitFor();
    await visit.open('/acme/shop/pulls?show=merged');
    await page.getByText(/^It landed at \d\d:\d\d as [0-9a-f]{8}\.$/).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('looks back at the line of an earlier moment, and can change nothing there', async () => {
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
    await page.getByRole('slider', { name: 'Moment shown' }).press('Home');
    await page.getByText('There is no record of that moment.').waitFor();
    expect(await page.getByRole('button', { name: 'Queue a pull request' }).count()).toBe(0);
    const [bar, hint] = await Promise.all(
      [page.locator('main h1'), page.getByText('In line, with')].map(async (each) => await each.boundingBox()),
    );
    expect((hint?.y ?? 0) - (bar?.y ?? 0) - (bar?.height ?? 0)).toBeGreaterThan(20);
    // The slider has the focus, and ignores characters.
    await page.getByRole('slider', { name: 'Moment shown' }).press('.');
    await expect
      .poll(async () => await page.locator('main h2').first().textContent())
      .toContain('No pull request is in line.');
    expect(visit.complaints).toEqual([]);
  });

  it('sees the present at the end of the chart, and gets back to it from an address in the future', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    const slider = page.getByRole('slider', { name: 'Moment shown' });
    const box = await slider.boundingBox();
    // The last places are in the rest of the present minute.
    for (const fromEnd of [1, 4, 8])
      await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) - fromEnd, (box?.y ?? 0) + (box?.height ?? 0) / 2);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.goto(`${s.url}/acme/shop/queue/main?at=${new Date(Date.now() + 3_600_000).toISOString()}`);
    await page.getByText('asOf must not be in the future.').waitFor();
    await page.getByRole('link', { name: 'Back to now' }).click();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('sees no animation in a browser that asks for reduced motion', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.evaluate(findMoving)).toEqual([]);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await page.evaluate(findMoving)).not.toEqual([]);
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

  it('reads in the side bar the version of Interlock, and that no worker runs', async () => {
    await using visit = await signIn(browser, s);
    await visit.open('/acme/shop/pulls');
    const side = visit.page.getByRole('navigation', { name: 'Main', exact: true });
    await side.getByText('No worker is running: nothing is planned, built or landed until a worker starts.').waitFor();
    await side.getByText(`Interlock ${readVersion()}`).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('dequeues by keyboard after the impact is shown, and cancels the dialog with Escape', async () => {
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

  it('sees that the socket is lost, and misses no change when it is connected again', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const sockets: WebSocketRoute[] = [];
    let isCut = false;
    const pressed = Promise.withResolvers<void>();
    await page.routeWebSocket('**/graphql', async (socket) => {
      if (isCut) return await socket.close({ code: 1012 });
      // If the page connected by itself now, the button would be gone before it is pressed.
      if (sockets.length > 0) await pressed.promise;
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
    pressed.resolve();
    await page.getByText(/^Live again\. \d+ new changes?\.$/).waitFor();
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
      // Otherwise Chromium would say that the request does not come from the page.
      const response = await route.fetch({ headers: { ...headers, 'sec-fetch-site': 'same-origin' } });
      answers.push([key, response.headers()['idempotent-replayed']]);
      return await (answers.length === 1 ? route.abort() : route.fulfill({ response }));
    });
    await visit.open('/acme/shop/queue/main');
    await page.keyboard.press('p');
    const confirm = page.getByRole('dialog', { name: 'Resume main?' }).getByRole('button', { name: 'Resume' });
    await expect.poll(async () => await confirm.isEnabled()).toBe(true);
    await confirm.click();
    await page.getByText('main is resumed.').waitFor();
    await page.getByText('“registry is down”').waitFor({ state: 'detached' });
    const [key] = answers[0] ?? [];
    expect(answers).toEqual([
      [key, undefined],
      [key, 'true'],
    ]);
    expect(visit.complaints).toEqual([expect.stringContaining('net::ERR_FAILED')]);
  });

  it('sees the line and column of a problem in the configuration', async () => {
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

  it('who is an admin activates a repository on the page of its queue', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const active = async () => await w.rows('select active from repository where id = $1', [w.repositoryId]);
    await changeActivity(w.ctx, w.repositoryId, false);
    await visit.open('/acme/shop/queue/main');
    await page.getByText('acme/shop is inactive').waitFor();
    await page.getByRole('button', { name: 'Activate…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
    await page.getByText('acme/shop is inactive').waitFor({ state: 'detached' });
    expect(await active()).toEqual([{ active: true }]);
    expect(visit.complaints).toEqual([]);
  });

  it('sees on the first page how to import a repository, and what is missing for a connection to GitHub', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/welcome');
    await page.getByText('npm run import -- <path or URL> acme/shop').waitFor();
    await page.getByLabel(/Organisation that owns the App/).fill('acme');
    await page.getByRole('button', { name: 'Connect GitHub' }).click();
    await page.getByRole('alert').getByText('Set INTERLOCK_PUBLIC_URL to an address that GitHub reaches').waitFor();
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

  it('sees the chosen row of the palette, however far it is down the list', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    await page.keyboard.press('Control+k');
    const list = page.getByRole('listbox', { name: 'Choices' });
    const chosen = list.getByRole('option', { selected: true });
    await chosen.waitFor();
    const isVisible = async (): Promise<boolean> => {
      const [row, box] = await Promise.all([chosen.boundingBox(), list.boundingBox()]);
      if (row === null || box === null) throw new Error('The palette shows no chosen row.');
      return row.y >= box.y && row.y + row.height <= box.y + box.height;
    };
    // The pointer rests on the list, and rows move under it.
    await list.hover();
    for (const key of ['ArrowDown', 'ArrowUp'])
      for (let step = 0; step < 20; step += 1) {
        await page.keyboard.press(key);
        expect([key, step, await isVisible()]).toEqual([key, step, true]);
      }
    // Above the first row is the name of its group.
    expect(await list.evaluate((one) => one.scrollTop)).toBe(0);
    expect(visit.complaints).toEqual([]);
  });

  it('runs nothing in the palette by the Enter that ends the composition of a word', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/pulls');
    await page.keyboard.press('Control+k');
    const input = page.getByRole('combobox', { name: 'Search or act' });
    await input.fill('gift partial');
    await page.getByRole('option', { name: /Gift cards/ }).waitFor();
    const init = { key: 'Enter', bubbles: true, cancelable: true };
    await input.dispatchEvent('keydown', { ...init, isComposing: true });
    // Safari ends the composition before this event.
    await input.dispatchEvent('keydown', { ...init, keyCode: 229 });
    expect([await input.count(), new URL(page.url()).pathname]).toEqual([1, '/acme/shop/pulls']);
    await input.dispatchEvent('keydown', init);
    await page.waitForURL('**/acme/shop/pull/3');
    expect(visit.complaints).toEqual([]);
  });

  it('finds a pull request of any repository with the palette on other pages', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.goto(`${s.url}/settings/people`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or act' }).fill('#2');
    await page.getByRole('option', { name: /^#2 Search: rank by availability .*acme\/shop/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/acme/shop/pull/2');
    expect(visit.complaints).toEqual([]);
  });

  it('sees that a sandbox of a running verification can be opened', async () => {
    const { accountId } = w.ctx;
    const head = await w.git('rev-parse', 'search');
    const id = await addVerification({ ...w, accountId }, { number: 2, head, attempt: 7, status: 'driving' });
    await w.rows(
      `insert into preview_sandbox (account_id, verification_id, name, kind, state, slug, port, expires_at, created_at, ready_at)
       values ($1, $2, 'of the page', 'process', 'ready', 'of-the-page', 80, now() + interval '45 minutes', now(), now())`,
      [accountId, id],
    );
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/previews');
    await page.getByText('1 preview can be looked at now.').waitFor();
    const row = page.getByRole('list', { name: 'Previews' }).getByRole('listitem').filter({ hasText: '#2' });
    const link = row.getByRole('link', { name: 'default' });
    expect(await link.getAttribute('href')).toContain('//of-the-page.preview.');
    await visit.open('/acme/shop/pull/2?tab=preview');
    await page.getByText('Its verification tests the preview.').waitFor();
    await w.rows('update preview_sandbox set gone_at = now() where verification_id = $1', [id]);
    await visit.open('/acme/shop/previews');
    await page.getByText('No preview can be looked at now.').waitFor();
    await w.rows('delete from verification where id = $1', [id]);
    expect(visit.complaints).toEqual([]);
  });

  it('sees past verifications next to the previews that can be opened now', async () => {
    const { accountId } = w.ctx;
    const head = await w.git('rev-parse', 'search');
    await addVerification(
      { ...w, accountId },
      { number: 2, head, status: 'failed', more: `summary = 'The list is empty.', ended_at = now()` },
    );
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.goto(`${s.url}/acme/shop/previews`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const row = page
      .getByRole('list', { name: 'Verifications' })
      .getByRole('listitem')
      .filter({ hasText: 'The list is empty.' });
    await row.getByText('failed', { exact: true }).waitFor();
    await row.getByRole('link', { name: '#2 Search: rank by availability' }).click();
    await page.waitForURL('**/acme/shop/pull/2?tab=preview');
    expect(visit.complaints).toEqual([]);
  });

  it.each([-60, 60])('sees ages by the clock of the server if the own clock is %i minutes off', async (minutes) => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.addInitScript(shiftClock, minutes * 60_000);
    await page.goto(`${s.url}/acme/shop/previews`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('list', { name: 'Verifications' }).waitFor();
    const readAges = async (): Promise<number[]> => {
      const shown = await page
        .locator('time')
        .evaluateAll((times) => times.map((time) => ({ text: time.textContent, at: time.getAttribute('datetime') })));
      return shown.flatMap(({ text, at }) => {
        const [, amount, unit = ''] = /^(\d+) (s|min|h)\b.* ago$/.exec(text) ?? [];
        if (amount === undefined || at === null) return [];
        const age = Number(amount) * ({ s: 1_000, min: 60_000, h: 3_600_000 }[unit] ?? 0);
        return [Math.abs(age - (Date.now() - Date.parse(at)))];
      });
    };
    expect((await readAges()).length).toBeGreaterThan(0);
    // Ages that were shown before the first answer are shown again with the clock of the server.
    await expect.poll(async () => Math.max(...(await readAges()))).toBeLessThan(60_000);
    expect(visit.complaints).toEqual([]);
  });

  it('finds under Yours the pull requests that the user opened, without a linked handle', async () => {
    await w.commit('refunds', { 'refunds.txt': 'refunds\n' }, { from: 'main' });
    const input = {
      repository: { owner: 'acme', name: 'shop' },
      title: 'Refunds: say why',
      body: '',
      headBranch: 'refunds',
      baseBranch: 'main',
    };
    const query =
      'mutation ($input: OpenPullRequestInput!) { openPullRequest(input: $input) { pullRequest { author } } }';
    const opened = await fetch(`${s.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${w.token}` },
      body: JSON.stringify({ query, variables: { input } }),
    });
    expect(await opened.json()).toMatchObject({
      data: { openPullRequest: { pullRequest: { author: expect.stringMatching(/~\d+$/) } } },
    });
    await using visit = await signIn(browser, s);
    await visit.open('/acme/shop/pulls?show=yours');
    await visit.page.getByRole('link', { name: 'Refunds: say why' }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('reads every event of a pull request', async () => {
    await using visit = await signIn(browser, s);
    await visit.open('/acme/shop/pull/1');
    await visit.page.getByRole('link', { name: 'History' }).click();
    await visit.page.getByRole('cell', { name: 'Landed', exact: true }).waitFor();
    await visit.page.getByRole('cell', { name: 'Entered the line', exact: true }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('sees new events of the repository in the activity, live', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/activity');
    await page.getByText('Live', { exact: true }).waitFor();
    await w.queue(3);
    await page
      .getByRole('row', { name: /^\S+ Entered the line .*#3 Gift cards/ })
      .first()
      .waitFor();
    await w.dequeue(3);
    await page
      .getByRole('row', { name: /^\S+ Left the line .*#3 Gift cards/ })
      .first()
      .waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('opens every page by keys, and can switch the keys off', async () => {
    await using visit = await signIn(browser, s);
    await visit.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page } = visit;
    const press = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const shown = async (name: RegExp): Promise<void> => await page.waitForURL((url) => name.test(url.pathname));
    await visit.open('/acme/shop/queue/main');
    for (const [key, name, title] of [
      ['r', /^\/releases/, 'Releases'],
      ['b', /\/runbooks$/, 'Runbooks'],
      ['v', /\/previews$/, 'Previews'],
      ['l', /\/analytics$/, 'Analytics'],
      ['c', /\/configuration$/, 'Configuration'],
      ['a', /^\/activity$/, 'Activity'],
      ['p', /\/pulls$/, 'Pull requests'],
    ] as const) {
      await press('g', key);
      await shown(name);
      // The address changes before the page does. The page has its own keys only after it is shown.
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    }
    await page.getByRole('link', { name: /Gift cards/ }).waitFor();
    await press('/');
    await page
      .getByRole('searchbox', { name: /^Filter/ })
      .and(page.locator(':focus'))
      .waitFor();
    await press('Tab', 'j', 'j', 'k');
    const chosen = page.getByRole('listitem').getByRole('link').and(page.locator(':focus'));
    const address = (await chosen.getAttribute('href')) ?? 'none';
    await press('Enter');
    await page.waitForURL((url) => url.pathname === address);
    await page.getByRole('link', { name: 'Explain', exact: true }).waitFor();
    await press('y');
    await page.getByRole('status').getByText('is copied.').waitFor();
    const copied = async (): Promise<unknown> => await page.evaluate('navigator.clipboard.readText()');
    const [, number = ''] = /\/pull\/(\d+)$/.exec(address) ?? [];
    expect(await copied()).toBe((await w.status(Number(number))).head_sha);
    await press('c');
    await page.getByRole('status').getByText('The link to this page is copied.').waitFor();
    expect(await copied()).toBe(page.url());
    await press('Escape');
    await shown(/\/queue\/main$/);
    await page.getByRole('slider', { name: 'Moment shown' }).waitFor();
    await press('t', 'Shift+ArrowLeft');
    await page.waitForURL((url) => url.searchParams.has('at'));
    await press('.');
    await page.waitForURL((url) => !url.searchParams.has('at'));
    await press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.getByText('Freeze main…').waitFor();
    await press('Escape');
    await keys.waitFor({ state: 'detached' });
    await press('f');
    await page.getByRole('dialog', { name: /^Freeze main/ }).waitFor();
    await press('Escape', 'm');
    await shown(/\/configuration$/);
    await press('Control+k');
    await page.getByRole('combobox', { name: 'Search or act' }).fill('shortcuts off');
    await page.getByRole('option', { name: /Turn single-key shortcuts off/ }).waitFor();
    await press('Enter', 'g', 'q', 'Control+k');
    await page.getByRole('combobox', { name: 'Search or act' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/acme/shop/configuration');
    expect(visit.complaints).toEqual([]);
  });

  it('who follows the link of a bot pull request reads which pull requests it builds', async () => {
    // The branch is behind the base branch since the first landing, so the pull request needs a build.
    const number = await w.open('taxes', { 'taxes.txt': 'taxes\n' }, { title: 'Checkout: show taxes', from: 'cart' });
    await w.queue(number);
    await w.settled(number);
    const [bot] = await w.rows<{ number: number }>('select number from bot_pull_request order by id desc limit 1');
    await using visit = await signIn(browser, s);
    await visit.open(`/acme/shop/pull/${bot?.number}`);
    expect(await visit.page.locator('main h2').first().textContent()).toMatch(
      /^#\d+ is where CI runs on batch \d+ of main\./,
    );
    await visit.page.getByRole('main').getByRole('listitem').getByRole('link').first().click();
    await visit.page.getByRole('link', { name: 'Explain', exact: true }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('who is an admin makes a team and adds a user to it', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await addUser(w.ctx, { email: 'ada@acme.test', handle: 'ada', role: 'member' });
    await visit.open('/settings/people');
    await page.getByRole('button', { name: 'New team' }).click();
    await page.getByLabel('Organization', { exact: true }).fill('acme');
    await page.getByLabel('Short name, as in').fill('core');
    await page.getByRole('button', { name: 'Create' }).click();
    const team = page.getByRole('listitem').filter({ hasText: '@acme/core' });
    await team.getByRole('button', { name: 'Add…' }).click();
    await page.getByRole('dialog').getByLabel('Who').selectOption('ada@acme.test');
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await team.getByText('ada@acme.test').waitFor();
    // Nobody else can be added.
    await w.rows(
      `insert into account_team_member (account_id, team_id, user_id, created_at)
       select t.account_id, t.id, u.id, now() from account_team t join account_user u on u.account_id = t.account_id
       on conflict do nothing`,
    );
    await visit.open('/settings/people');
    await team.getByRole('button', { name: 'Remove…' }).waitFor();
    const everybody = team.getByRole('button', { name: 'Add…' });
    expect([await everybody.isDisabled(), await everybody.getAttribute('title')]).toEqual([
      true,
      'Everybody is in the team.',
    ]);
    await visit.open('/activity?show=people');
    await page.getByRole('row', { name: /Team created.*@acme\/core/ }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('who is an admin makes a webhook, reads the result of a delivery, disables the webhook and deletes it', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    await page.goto(`${s.url}/settings/webhooks`);
    // An empty list has the button once more, below its sentence.
    await page.getByText('No address gets events yet.').waitFor();
    await page.getByRole('button', { name: 'New webhook' }).first().click();
    const url = 'https://hooks.example.test/interlock/pull-requests-of-the-shop-and-its-releases';
    await dialog.getByLabel('Address that gets the events').fill(url);
    await dialog.getByRole('button', { name: 'Create' }).click();
    const hook = page.getByRole('region', { name: url });
    await hook.getByText('everything').waitFor();
    await hook.getByRole('button', { name: 'Ping…' }).click();
    await dialog.getByRole('button', { name: 'Ping', exact: true }).click();
    const ping = hook.getByRole('listitem').filter({ hasText: 'ping' });
    await ping.getByText('pending', { exact: true }).waitFor();
    await ping.getByRole('button', { name: '0 attempts' }).click();
    await hook.getByText('No attempt has been made yet.').waitFor();
    // The state of the delivery changes without a reload.
    const http = createHttpOut({ allowPrivateAddresses: false });
    const relay = createWebhookRelay(w.service.ports, { secrets: w.secrets, http, retry: async () => {} });
    relay.start();
    try {
      await ping.getByText('failed', { exact: true }).waitFor();
      await hook
        .getByRole('list', { name: 'Attempts' })
        .getByText(/The name of the host /)
        .waitFor();
    } finally {
      await relay.stop();
    }
    // On a narrow screen, long names are wrapped and not cut.
    await page.setViewportSize({ width: 390, height: 844 });
    const cut = await hook
      .locator('span')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth && one.clientWidth > 1).length);
    expect(cut).toBe(0);
    await hook.getByRole('button', { name: 'Switch off…' }).click();
    await dialog.getByRole('button', { name: 'Switch off', exact: true }).click();
    await hook.getByText('switched off').waitFor();
    await hook.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('No address gets events yet.').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('runs the query of a page in GraphiQL, without a token', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    // The link leads to an empty GraphiQL until the page has sent its query.
    const asked = page.waitForRequest(
      (request) => request.url().endsWith('/graphql') && (request.postData() ?? '').includes('query Pulls'),
    );
    await visit.open('/acme/shop/pulls');
    await asked;
    await page.getByRole('link', { name: 'API: GraphiQL' }).click();
    await page.getByText(/^Signed in as /).waitFor();
    await page.getByText('query Pulls').first().waitFor();
    expect(visit.complaints).toEqual([]);
    await using nobody = await openWindow(browser, s);
    await nobody.page.goto(`${s.url}/graphiql/`);
    await nobody.page.getByRole('link', { name: 'Sign in' }).waitFor();
    expect(await nobody.page.getByText('Unauthorized').count()).toBe(0);
  });

  it('who is an admin makes a link for a screen, which shows the line without a session, live', async () => {
    await using visit = await signIn(browser, s);
    await visit.open('/acme/shop/screens');
    await visit.page.getByRole('button', { name: 'New link' }).click();
    await visit.page.getByRole('button', { name: 'Make the link' }).click();
    const shown = await visit.page.getByRole('region', { name: 'The page for a screen' }).textContent();
    expect(visit.complaints).toEqual([]);
    const { pathname, search } = new URL(shown ?? '');
    await using screen = await openWindow(browser, s, { theme: 'dark' });
    await screen.page.goto(s.url + pathname + search);
    await screen.page.getByRole('heading', { name: 'In line', exact: true }).waitFor();
    expect(await seriousProblems(screen.page)).toEqual([]);
    const number = await w.open('wishlist', { 'wishlist.txt': 'wishes\n' }, { title: 'Wishlist: share a list' });
    await w.queue(number);
    await screen.page.getByText(`#${number} Wishlist: share a list`).first().waitFor();
    await visit.page.getByRole('button', { name: 'Revoke…' }).click();
    await visit.page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await screen.page.getByText('This link does not work any more').waitFor();
    expect(screen.complaints).toEqual([]);
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
  '/acme/shop/screens',
  '/acme/shop/runbooks',
  '/acme/shop/previews',
  '/releases',
  '/activity',
  '/settings/people',
  '/settings/tokens',
  '/settings/webhooks',
  '/welcome',
];

describe('the reference of REST', () => {
  it('opens the section that a link names, and loads nothing from other hosts', async () => {
    await using visit = await openWindow(browser, s, { theme: 'dark', width: 390 });
    await visit.page.goto(`${s.url}/docs/api`);
    await visit.page.getByRole('link', { name: 'Act on pull requests' }).click();
    await visit.page.getByRole('heading', { name: 'Body' }).waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('every page', () => {
  const looks = [
    { theme: 'light', width: 1440 },
    { theme: 'dark', width: 390 },
    { theme: 'dark', width: 1440 },
    { theme: 'light', width: 390 },
  ] as const;
  // By default each page is checked once: the first, third … in light at 1440, the others in dark at 390.
  const views = isFullRun
    ? looks.map((look) => ({ look, paths: pages }))
    : looks.slice(0, 2).map((look, at) => ({ look, paths: pages.filter((_, index) => index % 2 === at) }));
  it.each(views)('has no problem that axe calls serious, in $look.theme at $look.width', async ({ look, paths }) => {
    await using visit = await signIn(browser, s, look);
    const found: Record<string, readonly string[]> = {};
    for (const path of paths) {
      // Each page has its own address and title. A screen reader reads the title first.
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
