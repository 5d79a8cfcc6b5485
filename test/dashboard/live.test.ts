// How the page of a queue follows changes: what it reads after a change, what it does if the server refuses, and that
// no row moves under a pointer. That lists have no silent end.
import type { Browser, Locator, Page, WebSocket, WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiToken } from '../../src/modules/accounts/index.ts';
import { addUser } from '../../src/modules/accounts/users.service.ts';
import { closePullRequest } from '../../src/modules/queue/index.ts';
import { createRepository } from '../../src/modules/repositories/index.ts';
import { hostOf } from '../queue/stories.ts';
import { parallel, world, type World } from '../support/world.ts';
import {
  launchChromium,
  refusedWith,
  refuseOnce,
  serveDashboard,
  signIn,
  type DashboardServer,
  type SignedIn,
} from './browser.ts';

let w: World;
let s: DashboardServer;
let browser: Browser;

const script = '<script>document.title = "taken"</script>';
const longTitle = `${script} ${'a long word '.repeat(100)}`.slice(0, 1_000);

beforeAll(async () => {
  w = await world({ configuration: parallel({ builds: 1, batch: 1 }), runsCi: false });
  s = await serveDashboard(w);
  browser = await launchChromium();
  for (const [at, title] of ['Cart', 'Search', 'Gift cards', longTitle].entries())
    await w.open(`change-${at}`, { [`${at}.txt`]: 'new\n' }, { title });
  await w.queue(1, 2, 3, 4);
});
afterAll(async () => {
  await browser.close();
  await s.close();
  await w[Symbol.asyncDispose]();
});

const path = '/acme/shop/queue/main';
const lineOf = (page: Page) => page.getByRole('list', { name: 'The line of main' });

function countReads(page: Page, operation = 'Queue'): () => number {
  let reads = 0;
  page.on('request', (request) => {
    if (request.postData()?.includes(`"operationName":"${operation}"`) === true) reads += 1;
  });
  return () => reads;
}

/** Answers every subscription to a field with an error, until `accept` is called. `asked` counts them. */
async function refuseUntilAccepted(page: Page, field: string, payload: unknown) {
  let refused = 0;
  let isAccepted = false;
  await page.routeWebSocket('**/graphql', (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((text) => {
      const message = JSON.parse(String(text)) as { readonly id: string; readonly type: string };
      if (isAccepted || message.type !== 'subscribe' || !String(text).includes(field)) return server.send(text);
      refused += 1;
      return socket.send(JSON.stringify({ id: message.id, type: 'error', payload }));
    });
  });
  return { asked: () => refused, accept: () => void (isAccepted = true) };
}

/** Counts the subscriptions to a field that the page sends, and keeps the sockets that it opens. */
function countSubscriptions(page: Page, field: string) {
  let sent = 0;
  const sockets: WebSocket[] = [];
  page.on('websocket', (socket) => {
    sockets.push(socket);
    socket.on('framesent', ({ payload }) => {
      const { type } = JSON.parse(String(payload)) as { readonly type: string };
      if (type === 'subscribe' && String(payload).includes(field)) sent += 1;
    });
  });
  return { asked: () => sent, sockets };
}

/** Lets the next requests of an operation fail: without an answer, or with one that the database does not answer. */
async function failRequests(page: Page, operation: string, failures: readonly ('lost' | 'refused')[]): Promise<void> {
  const left = [...failures];
  await page.route('**/graphql', async (route) => {
    const isOfOperation = route.request().postData()?.includes(`"operationName":"${operation}"`) === true;
    const failure = isOfOperation ? left.shift() : undefined;
    if (failure === undefined) return await route.fallback();
    if (failure === 'lost') return await route.abort();
    return await route.fulfill({ json: { data: null, errors: refusedWith('UNAVAILABLE') } });
  });
}

describe('the page of a queue', () => {
  it('shows any title as text, in one line', async () => {
    await using visit = await signIn(browser, s, { width: 390 });
    const { page } = visit;
    await visit.open(path);
    const row = lineOf(page).getByRole('link', { name: script });
    await row.waitFor();
    expect(await page.title()).toBe('main of acme/shop · Interlock');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await row.click();
    await page.getByRole('heading', { name: script }).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(visit.complaints).toEqual([]);
  });

  it('is read once after several changes, and not at all while it is hidden', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.addInitScript(
      "window.isHidden = false; Object.defineProperty(document, 'hidden', { get: () => window.isHidden })",
    );
    const reads = countReads(page);
    const turn = async (isHidden: boolean): Promise<void> =>
      void (await page.evaluate(`isHidden = ${isHidden}; document.dispatchEvent(new Event('visibilitychange'))`));
    await visit.open(path);
    await page.getByText('Live', { exact: true }).waitFor();
    await turn(true);
    const before = reads();
    await using other = await signIn(browser, s);
    await other.open(path);
    await w.dequeue(1);
    await w.dequeue(2);
    const second = (of: Page) => lineOf(of).getByText('#2', { exact: true });
    await second(other.page).waitFor({ state: 'detached' });
    expect(reads()).toBe(before);
    await turn(false);
    await second(page).waitFor({ state: 'detached' });
    expect(reads()).toBe(before + 1);
    await w.queue(1, 2);
    expect(visit.complaints).toEqual([]);
  });

  it.each([
    [
      'reads a new cursor, and the changes after it, if its cursor has expired',
      'error',
      refusedWith('CURSOR_EXPIRED'),
      2,
    ],
    ['continues after its cursor if the rate limit refused it', 'error', refusedWith('RATE_LIMITED'), 1],
    [
      'continues after its cursor if a change could not be read',
      'next',
      { data: null, errors: refusedWith('UNAVAILABLE') },
      1,
    ],
  ])('%s', async (_, type, payload, cursorsRead) => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    // The page after the sign-in reads a cursor of its own.
    await page.waitForLoadState('networkidle');
    const asked = await refuseOnce(page, 'queueChanged', { type, payload });
    const cursors = countReads(page, 'Cursor');
    await visit.open(path);
    await lineOf(page).getByText('#3', { exact: true }).waitFor();
    await w.dequeue(3);
    await w.queue(3);
    await expect.poll(asked).toBe(2);
    await w.dequeue(3);
    await lineOf(page).getByText('#3', { exact: true }).waitFor({ state: 'detached' });
    await w.queue(3);
    await lineOf(page).getByText('#3', { exact: true }).waitFor();
    expect(cursors()).toBe(cursorsRead);
    expect(visit.complaints).toEqual([]);
  });

  it('says that it is not live while the server refuses one of its subscriptions', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.waitForLoadState('networkidle');
    const { asked, accept } = await refuseUntilAccepted(page, 'previewChanged', refusedWith('RATE_LIMITED'));
    await visit.open('/acme/shop/previews');
    for (const attempts of [1, 2, 3]) {
      await expect.poll(asked).toBeGreaterThanOrEqual(attempts);
      await page.getByText('Not live', { exact: true }).waitFor();
    }
    expect(await page.getByText('Live', { exact: true }).count()).toBe(0);
    accept();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('reads a new cursor, and the changes after it, if the server no longer has the changes after its cursor', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.waitForLoadState('networkidle');
    const { asked } = countSubscriptions(page, 'queueChanged');
    const cursors = countReads(page, 'Cursor');
    // A cursor of another epoch, as after a restored backup.
    await page.route('**/graphql', async (route) => {
      const isOfCursor = route.request().postData()?.includes('"operationName":"Cursor"') === true;
      if (!isOfCursor || cursors() > 1) return await route.fallback();
      return await route.fulfill({ json: { data: { cursor: '9.1' } } });
    });
    await visit.open(path);
    await expect.poll(asked).toBe(2);
    await page.getByText('Live', { exact: true }).waitFor();
    await w.dequeue(3);
    await lineOf(page).getByText('#3', { exact: true }).waitFor({ state: 'detached' });
    await w.queue(3);
    await lineOf(page).getByText('#3', { exact: true }).waitFor();
    expect([cursors(), asked()]).toEqual([2, 2]);
    expect(visit.complaints).toEqual([]);
  });

  it('says that it is not live while the rate limit refuses its rows', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(path);
    await page.getByText('Live', { exact: true }).waitFor();
    let isRefused = true;
    await page.route('**/graphql', async (route) => {
      const isOfRows = route.request().postData()?.includes('"operationName":"Queue"') === true;
      if (!isOfRows || !isRefused) return await route.fallback();
      return await route.fulfill({ json: { data: null, errors: refusedWith('RATE_LIMITED') } });
    });
    await w.dequeue(3);
    await page.getByText('Not live', { exact: true }).waitFor();
    await lineOf(page).getByText('#3', { exact: true }).waitFor();
    isRefused = false;
    await lineOf(page).getByText('#3', { exact: true }).waitFor({ state: 'detached' });
    await page.getByText('Live', { exact: true }).waitFor();
    await w.queue(3);
    expect(visit.complaints).toEqual([]);
  });

  it('reads the rows again until a read succeeds, and meanwhile keeps the rows and what a user types', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(path);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.keyboard.press('q');
    const typed = page.getByRole('dialog').getByRole('textbox');
    await typed.fill('gift');
    await failRequests(page, 'Queue', ['refused', 'lost', 'refused']);
    await w.dequeue(3);
    await page.getByText('could not be read').waitFor();
    await lineOf(page).getByText('#3', { exact: true }).waitFor();
    await lineOf(page).getByText('#3', { exact: true }).waitFor({ state: 'detached' });
    expect(await typed.inputValue()).toBe('gift');
    await lineOf(page).getByText('#4', { exact: true }).waitFor();
    expect(await lineOf(page).getByText('#3', { exact: true }).count()).toBe(0);
    await w.queue(3);
    expect(visit.complaints).toEqual([expect.stringContaining('net::ERR_FAILED')]);
  });

  it('reads the cursor again until a read succeeds, and so misses no change', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.waitForLoadState('networkidle');
    const cursors = countReads(page, 'Cursor');
    await failRequests(page, 'Cursor', ['refused', 'refused']);
    await visit.open(path);
    await lineOf(page).getByText('#3', { exact: true }).waitFor();
    expect(cursors()).toBe(3);
    expect(visit.complaints).toEqual([]);
  });

  it('keeps what is known of the chosen pull request and of those that are not in line while reads of them fail', async () => {
    const number = await w.open('stopped', { 'stopped.txt': 'new\n' }, { title: 'A stopped one' });
    await w.host.label(number, 'blocked', true);
    await w.queue(number);
    expect((await w.status(number)).status).toBe('blocked');
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(`${path}?select=2`);
    await page.getByText('Live', { exact: true }).waitFor();
    const row = lineOf(page).getByRole('link', { name: 'A stopped one' });
    const inspector = page.getByRole('complementary', { name: 'Pull request 2' }).getByText('Branch', { exact: true });
    await Promise.all([row.waitFor(), inspector.waitFor()]);
    const shown = await Promise.all([row.elementHandle(), inspector.elementHandle()]);
    await failRequests(page, 'NotInLine', ['refused', 'refused']);
    await failRequests(page, 'Inspector', ['refused', 'refused']);
    await w.dequeue(3);
    await page.getByText('Not live', { exact: true }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    for (const element of shown) expect(await element?.evaluate((one) => one.isConnected)).toBe(true);
    await closePullRequest(w.ctx, { repository: w.repository, number });
    await row.waitFor({ state: 'detached' });
    await w.queue(3);
    expect(visit.complaints).toEqual([]);
  });

  it('does not say that no pull request is open while the read of them fails', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await w.dequeue(3);
    await visit.open(path);
    await page.getByText('Live', { exact: true }).waitFor();
    await failRequests(page, 'OpenPullRequests', ['refused', 'refused']);
    await page.keyboard.press('q');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The pull requests could not be read.').waitFor();
    expect(await dialog.getByText('No pull request into main is open.').count()).toBe(0);
    await dialog.getByText('Gift cards').waitFor();
    await w.queue(3);
    expect(visit.complaints).toEqual([]);
  });

  it('says in the dialog that queues that a slow server is still asked', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(path);
    await page.getByText('Live', { exact: true }).waitFor();
    const answer = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"operationName":"OpenPullRequests"') === true) await answer.promise;
      await route.fallback();
    });
    await page.keyboard.press('q');
    const waiting = page.getByRole('dialog').getByText('Searching…');
    await waiting.waitFor();
    answer.resolve();
    await waiting.waitFor({ state: 'detached' });
    expect(visit.complaints).toEqual([]);
  });

  it('does not say that nothing matches while the search fails', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(path);
    await failRequests(page, 'Search', ['refused', 'refused']);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog');
    await palette.getByRole('combobox').fill('gift');
    await palette.getByText('What the server has could not be searched.').waitFor();
    expect(await palette.getByText('Nothing matches.').count()).toBe(0);
    await palette.getByRole('option', { name: 'Gift cards' }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('gets its menu, although the first reads of the repositories fail', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await failRequests(page, 'Shell', ['refused', 'refused']);
    await visit.open(path);
    await page.getByRole('combobox', { name: 'Repository' }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it.each([4401, 4403])('goes to the sign-in, and returns, if its socket is closed with %d', async (code) => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const sockets: WebSocketRoute[] = [];
    await page.routeWebSocket('**/graphql', (socket) => {
      socket.connectToServer();
      sockets.push(socket);
    });
    await visit.open(`${path}?select=2`);
    await page.getByText('Live', { exact: true }).waitFor();
    for (const socket of sockets) await socket.close({ code });
    // A visitor who is signed in is sent back at once.
    const asked = await page.waitForRequest((request) => new URL(request.url()).pathname === '/session');
    const { searchParams } = new URL(asked.url());
    expect([searchParams.get('next'), searchParams.has('ended')]).toEqual([`${path}?select=2`, true]);
    expect(visit.complaints).toEqual([]);
  });

  it('uses the clock of the server', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.addInitScript('{ const now = Date.now; Date.now = () => now() + 3_600_000; }');
    await visit.open(`${path}?at=${new Date(Date.now() - 1_000).toISOString()}`);
    const marks = page.getByText('now', { exact: true }).first();
    await marks.waitFor();
    const to = async (): Promise<number> => Number(await page.getByRole('slider').getAttribute('max'));
    await expect.poll(async () => (await to()) - Date.now()).toBeLessThan(120_000);
    expect(visit.complaints).toEqual([]);
  });
});

describe('a page of pull requests that reads nothing from time to time', () => {
  // What has no event is read again at intervals. Without them, only events can tell the page.
  const openWithoutIntervals = async (visit: SignedIn, where: string): Promise<void> => {
    await visit.page.addInitScript('window.setInterval = () => 0;');
    await visit.open(where);
    await visit.page.getByText('Live', { exact: true }).waitFor();
  };

  it('shows that a pull request that is not in line was opened and closed', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await openWithoutIntervals(visit, '/acme/shop/pulls');
    const number = await w.open('brief', { 'brief.txt': 'new\n' }, { title: 'A brief one' });
    const row = page.getByRole('link', { name: 'A brief one' });
    await row.waitFor();
    await closePullRequest(w.ctx, { repository: w.repository, number });
    await row.waitFor({ state: 'detached' });
    expect(visit.complaints).toEqual([]);
  });

  it('shows a new title, and that the pull request was closed, on its own page', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const number = await w.open('titled', { 'titled.txt': 'new\n' }, { title: 'First title' });
    await openWithoutIntervals(visit, `/acme/shop/pull/${number}`);
    await w.service.localHost.editPullRequest(hostOf(w), { number }, { title: 'Second title' });
    await w.service.drain();
    await page.getByRole('heading', { name: 'Second title' }).waitFor();
    await closePullRequest(w.ctx, { repository: w.repository, number });
    await page.getByText('closed', { exact: true }).first().waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('the list of own pull requests', () => {
  it('does not show those of others while it is not known who the viewer is', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const known = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"operationName":"Shell"') === true) await known.promise;
      await route.fallback();
    });
    const reads = countReads(page, 'Pulls');
    const cursor = page.waitForResponse(
      (response) => response.request().postData()?.includes('"operationName":"Cursor"') === true,
    );
    await page.goto(`${s.url}/acme/shop/pulls?show=yours`);
    await cursor;
    await page.getByText('Loading', { exact: true }).waitFor();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    expect([await page.getByText('Gift cards').count(), reads()]).toEqual([0, 0]);
    known.resolve();
    await page.getByText('No pull request matches.').waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('the dialog of an action', () => {
  const openDequeueing = async (page: Page, number: number): Promise<Locator> => {
    await page.keyboard.press('x');
    const confirm = page.getByRole('dialog', { name: `Dequeue #${number}?` }).getByRole('button', { name: 'Dequeue' });
    await expect.poll(async () => await confirm.isEnabled()).toBe(true);
    return confirm;
  };
  /** Holds the confirmation of a dequeue until the answer is given. `null`: the answer of the server. */
  const holdDequeueing = async (page: Page) => {
    const held = Promise.withResolvers<unknown>();
    await page.route('**/graphql', async (route) => {
      const sent = route.request().postData() ?? '';
      if (!sent.includes('"operationName":"DequeuePullRequest"') || sent.includes('"preview":true'))
        return await route.fallback();
      const json = await held.promise;
      return await (json === null ? route.fallback() : route.fulfill({ json }));
    });
    return held.resolve;
  };

  it('can be confirmed although something changes all the time', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    let repeat = (): void => undefined;
    await page.routeWebSocket('**/graphql', (socket) => {
      const server = socket.connectToServer();
      server.onMessage((text) => {
        socket.send(text);
        if (String(text).includes('"type":"next"')) repeat = () => socket.send(text);
      });
    });
    await visit.open(`${path}?select=2`);
    await page.getByText('Live', { exact: true }).waitFor();
    await w.dequeue(3);
    await lineOf(page).getByText('#3', { exact: true }).waitFor({ state: 'detached' });
    const changes = setInterval(() => repeat(), 50);
    try {
      await (await openDequeueing(page, 2)).click();
      await page.getByText('#2 left the line.').waitFor();
    } finally {
      clearInterval(changes);
    }
    await w.queue(2, 3);
    expect(visit.complaints).toEqual([]);
  });

  it('repeats a confirmation that got no answer, and waits as long as the answer says', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.clock.install();
    const busy = (seconds: number) => ({
      status: 503,
      headers: { 'retry-after': String(seconds) },
      contentType: 'application/json',
      body: JSON.stringify({ error: 'The database does not answer.' }),
    });
    const failures = [busy(3), { status: 502, body: '' }, null, busy(2)];
    const asked: { readonly at: number; readonly key: string | undefined }[] = [];
    await page.route('**/graphql', async (route) => {
      const sent = route.request().postData() ?? '';
      if (!sent.includes('"operationName":"DequeuePullRequest"') || sent.includes('"preview":true'))
        return await route.fallback();
      asked.push({
        at: await page.evaluate<number>('Date.now()'),
        key: route.request().headers()['idempotency-key'],
      });
      const failure = failures.shift();
      if (failure === undefined) return await route.fallback();
      return await (failure === null ? route.abort() : route.fulfill(failure));
    });
    await visit.open(`${path}?select=2`);
    await page.getByText('Live', { exact: true }).waitFor();
    await (await openDequeueing(page, 2)).click();
    await expect
      .poll(async () => {
        await page.clock.runFor(500);
        return await page.getByText('#2 left the line.').count();
      })
      .toBe(1);
    expect(new Set(asked.map(({ key }) => key))).toEqual(new Set([expect.any(String)]));
    const waits = asked.slice(1).map(({ at }, before) => at - (asked[before]?.at ?? 0));
    expect(waits).toHaveLength(4);
    expect(waits[0]).toBeGreaterThanOrEqual(3_000);
    expect(waits[3]).toBeGreaterThanOrEqual(2_000);
    await w.queue(2);
    expect(visit.complaints.filter((one) => !/Failed to load resource/.test(one))).toEqual([]);
  });

  it('carries an action out once, although it was closed and confirmed again while the action was being sent', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const keys: (string | undefined)[] = [];
    let isDown = true;
    await page.route('**/graphql', async (route) => {
      const sent = route.request().postData() ?? '';
      if (!sent.includes('"operationName":"DequeuePullRequest"') || sent.includes('"preview":true'))
        return await route.fallback();
      keys.push(route.request().headers()['idempotency-key']);
      return await (isDown ? route.fulfill({ status: 502, body: '' }) : route.fallback());
    });
    await visit.open(`${path}?select=2`);
    await page.getByText('Live', { exact: true }).waitFor();
    const confirm = await openDequeueing(page, 2);
    await confirm.click();
    await page.getByText('Sending…').waitFor();
    await page.keyboard.press('Escape');
    await confirm.waitFor({ state: 'detached' });
    await (await openDequeueing(page, 2)).click();
    await page.getByText('Sending…').waitFor();
    isDown = false;
    await page.getByText('#2 left the line.').waitFor();
    expect(keys.length).toBeGreaterThan(1);
    expect(new Set(keys)).toEqual(new Set([expect.any(String)]));
    await w.queue(2);
    expect(visit.complaints.filter((one) => !/Failed to load resource/.test(one))).toEqual([]);
  });

  it('waits for the answer of its first request, if that request is still in progress', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    let refused = 0;
    await page.route('**/graphql', async (route) => {
      const sent = route.request().postData() ?? '';
      if (!sent.includes('"operationName":"DequeuePullRequest"') || sent.includes('"preview":true') || refused === 2)
        return await route.fallback();
      refused += 1;
      const message = 'The first request with this Idempotency-Key is still in progress.';
      return await route.fulfill({
        status: 409,
        headers: { 'retry-after': '1' },
        json: { errors: [{ message, extensions: { code: 'CONFLICT' } }] },
      });
    });
    await visit.open(`${path}?select=2`);
    await page.getByText('Live', { exact: true }).waitFor();
    await (await openDequeueing(page, 2)).click();
    await page.getByText('#2 left the line.').waitFor();
    await w.queue(2);
    expect(visit.complaints.filter((one) => !/Failed to load resource/.test(one))).toEqual([]);
  });

  it('reads what the action would do until a read succeeds', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(`${path}?select=2`);
    await page.getByText('Live', { exact: true }).waitFor();
    await failRequests(page, 'DequeuePullRequest', ['refused', 'refused']);
    await openDequeueing(page, 2);
    expect(visit.complaints).toEqual([]);
  });

  it('that was closed too early still says why the action was refused', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(`${path}?select=2`);
    const answer = await holdDequeueing(page);
    const confirm = await openDequeueing(page, 2);
    await confirm.click();
    await page.getByText('Sending…').waitFor();
    // The server may have carried out the action already.
    expect(await page.getByText('Nothing has been changed yet.').count()).toBe(0);
    await page.keyboard.press('Escape');
    await confirm.waitFor({ state: 'detached' });
    answer({ data: null, errors: refusedWith('CONFLICT') });
    await page.getByRole('status').getByText('Dequeue: Nothing was changed. Refused.').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('says that the dashboard itself has failed, and whether the action may have been carried out', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    // Answers without the part that the dashboard needs.
    await page.route('**/graphql', async (route) => {
      const sent = route.request().postData() ?? '';
      if (sent.includes('"operationName":"DequeuePullRequest"'))
        await route.fulfill({ json: { data: { dequeuePullRequest: null } } });
      else if (sent.includes('"operationName":"CreateApiToken"'))
        await route.fulfill({ json: { data: { createApiToken: null } } });
      else await route.fallback();
    });
    await visit.open(`${path}?select=2`);
    await page.getByText('Live', { exact: true }).waitFor();
    await page.keyboard.press('x');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The dashboard has failed').waitFor();
    await dialog.getByText('Nothing has been changed yet.').waitFor();
    await visit.open('/settings/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await dialog.getByLabel('Name').fill('a script');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('The dashboard has failed').waitFor();
    await dialog.getByText('The action may have been carried out.').waitFor();
    expect(visit.complaints).toEqual([expect.stringContaining('TypeError'), expect.stringContaining('TypeError')]);
  });

  it('stays open when the action of a former dialog succeeds', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(`${path}?select=2`);
    const answer = await holdDequeueing(page);
    const confirm = await openDequeueing(page, 2);
    await confirm.click();
    await page.getByText('Sending…').waitFor();
    await page.keyboard.press('Escape');
    await confirm.waitFor({ state: 'detached' });
    await page.keyboard.press('p');
    const pause = page.getByRole('dialog', { name: 'Pause main?' });
    await pause.waitFor();
    answer(null);
    await page.getByText('#2 left the line.').waitFor();
    expect(await pause.count()).toBe(1);
    await w.queue(2);
    expect(visit.complaints).toEqual([]);
  });
});

describe('the page of another repository', () => {
  it('shows nothing of the repository before, while its own rows are read', async () => {
    await createRepository(w.ctx, { owner: 'acme', name: 'stock', host: 'local' });
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(`${path}?select=3`);
    await lineOf(page).getByText('#3', { exact: true }).waitFor();
    const answers = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      await answers.promise;
      await route.fallback();
    });
    await page.getByRole('combobox', { name: 'Repository' }).selectOption('acme/stock');
    await page.waitForURL('**/acme/stock/queue/main');
    await page.getByText('Loading', { exact: true }).waitFor();
    expect(await page.getByText('#3', { exact: true }).count()).toBe(0);
    answers.resolve();
    await page.getByText('Nobody has queued a pull request into main yet.').waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('a page that stays open', () => {
  it('starts with an empty cache after half an hour, shows its rows all the time, and misses no change', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.clock.install();
    const cursors = countReads(page, 'Cursor');
    await visit.open(path);
    await page.getByText('Live', { exact: true }).waitFor();
    const row = lineOf(page).getByText('#3', { exact: true });
    await row.waitFor();
    const shown = await row.elementHandle();
    const before = cursors();
    await page.clock.fastForward('31:00');
    await w.dequeue(2);
    await lineOf(page).getByText('#2', { exact: true }).waitFor({ state: 'detached' });
    await expect.poll(cursors).toBe(before + 1);
    await w.dequeue(1);
    await lineOf(page).getByText('#1', { exact: true }).waitFor({ state: 'detached' });
    // If the row had been removed and drawn again, it would be another element.
    expect(await shown?.evaluate((element) => element.isConnected)).toBe(true);
    await w.dequeue(3);
    await w.queue(1, 2, 3);
    expect(visit.complaints).toEqual([]);
  });
});

describe('the conditions of a pull request', () => {
  it('show a running own check as running, although the pull request may be in line meanwhile', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/pull/2');
    const own = page.getByRole('listitem').filter({ hasText: 'Its own required checks: running.' }).last();
    await own.getByText('Holds so far:').waitFor();
    expect(await own.getByText('Holds:', { exact: true }).count()).toBe(0);
    expect(visit.complaints).toEqual([]);
  });
});

describe('a row of the line', () => {
  it('stays under the pointer with its focus while another row leaves, and moves when the pointer has gone', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(path);
    await page.getByText('Live', { exact: true }).waitFor();
    const title = lineOf(page).getByRole('link', { name: 'Gift cards' });
    const top = async (): Promise<number> => (await title.boundingBox())?.y ?? Number.NaN;
    await title.focus();
    const before = await top();
    let isRead = false;
    page.on('response', (response) => {
      if (response.request().postData()?.includes('"operationName":"Queue"') === true) isRead = true;
    });
    await w.dequeue(1);
    for (let n = 0; !isRead || n < 50; n += 1) await page.mouse.move(600 + (n % 20), before + 5);
    expect(await top()).toBe(before);
    await page.mouse.move(5, 5);
    await expect.poll(top).toBeLessThan(before);
    expect(await title.evaluate((link) => link.matches(':focus'))).toBe(true);
    await w.queue(1);
    expect(visit.complaints).toEqual([]);
  });
});

describe('a page that is not live', () => {
  it('gives up an attempt to connect that is never answered, by itself after ten seconds and at once with Try now', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const sockets: WebSocketRoute[] = [];
    let isSilent = false;
    await page.routeWebSocket('**/graphql', async (socket) => {
      sockets.push(socket);
      // A socket opens for the page when its handler has ended.
      if (isSilent) return await new Promise(() => {});
      return void socket.connectToServer();
    });
    await visit.open(path);
    const live = page.getByText('Live', { exact: true });
    await live.waitFor();
    const loseConnection = async (): Promise<void> => {
      const before = sockets.length;
      isSilent = true;
      await sockets.at(-1)?.close({ code: 1012 });
      await expect.poll(() => sockets.length).toBe(before + 1);
      isSilent = false;
    };
    await loseConnection();
    await live.waitFor();
    await loseConnection();
    const silent = sockets.length;
    await page.getByRole('button', { name: 'Try now' }).click();
    // The limit of the page for an attempt is as long.
    await live.waitFor({ timeout: 9_000 });
    expect(sockets).toHaveLength(silent + 1);
    expect(visit.complaints).toEqual([]);
  });

  it.each([
    ['/settings/tokens', 'TokensOfAccount', 'token is valid.'],
    ['/settings/people', 'People', 'service user, and nobody else.'],
  ])('%s reads again until a read succeeds', async (where, operation, sentence) => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await failRequests(page, operation, ['refused', 'refused']);
    await visit.open(where);
    await page.getByText(sentence).waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('a long list', () => {
  beforeAll(async () => {
    await w.rows(
      `insert into pull_request (account_id, repository_id, number, title, author, author_name, author_email, head_branch, base_branch, head_sha, url, status, created_at)
       select account_id, id, 100 + n, case n when 1 then 'Sought' else 'Other' end || ' change ' || n, 'ada', 'Ada', 'ada@example.test', 'many' || n, 'main', md5(n::text), '', 'open', now()
       from repository, generate_series(1, 60) n where name = 'shop'`,
    );
    await w.rows(
      `insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash)
       select account_id, owner, 'zoo' || n, host, configuration_yaml, configuration_hash
       from repository, generate_series(100, 160) n where name = 'shop'`,
    );
    await w.rows(
      `insert into account_user (account_id, email)
       select account_id, 'person' || n || '@acme.test' from repository, generate_series(100, 220) n where name = 'shop'`,
    );
  });

  it('of pull requests has pages', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/pulls');
    await page.getByText('25 pull requests on this page.').waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText('#110', { exact: true }).waitFor({ state: 'detached' });
    await page.getByText('#135', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('link', { name: 'Sought change 1' }).waitFor();
    expect(await page.getByRole('button', { name: 'Older' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Newest' }).click();
    await page.getByText('#160', { exact: true }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('of pull requests that can be queued is searched on the server', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(path);
    await page.keyboard.press('q');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Others match too. Type more words.').waitFor();
    await dialog.getByRole('textbox').fill('#101 sought');
    await dialog.getByText('Sought change 1').waitFor();
    await dialog.getByText('Others match too. Type more words.').waitFor({ state: 'detached' });
    await dialog.getByRole('textbox').fill('sought other');
    await dialog.getByText('No open pull request into main has this number or these words.').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('of repositories is read to its end', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(path);
    await page.getByRole('combobox', { name: 'Repository' }).selectOption('acme/zoo160');
    await page.waitForURL('**/acme/zoo160/queue/main');
    await page.goto(`${s.url}/acme/zoo159`);
    await page.waitForURL('**/acme/zoo159/queue/main');
    await page.goto(s.url);
    await page.waitForURL('**/acme/zoo159/queue/main');
    expect(visit.complaints).toEqual([]);
  });

  it('of people is read to its end', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/settings/people');
    await page.getByText('121 people and 1 service user.').waitFor();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByText('person220@acme.test').waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

// The last test of the file, because other tests count people and tokens.
describe('a page whose viewer may not follow changes', () => {
  it('asks with the same cursor, and reads nothing, while no socket connects', async () => {
    const { userId } = await addUser(w.ctx, { email: 'probe@acme.test', handle: null, role: 'member' });
    const scopes = ['preview:register'] as const;
    const { token } = await createApiToken(w.ctx, w.secrets, { name: 'of a probe', kind: 'user', scopes, userId });
    await using visit = await signIn(browser, s, { token });
    const { page } = visit;
    const cursors = countReads(page, 'Cursor');
    let isHeld = false;
    const held: WebSocketRoute[] = [];
    /** How many cursors had been read at each subscription. */
    const asked: number[] = [];
    let closed = 0;
    await page.routeWebSocket('**/graphql', (socket) => {
      if (isHeld) return void held.push(socket);
      const server = socket.connectToServer();
      socket.onMessage((text) => {
        if (String(text).includes('previewChanged')) asked.push(cursors());
        server.send(text);
      });
      return socket.onClose(() => {
        closed += 1;
        void server.close();
      });
    });
    await page.clock.install();
    await page.goto(`${s.url}/acme/shop/previews`);
    await page.getByText('Not live', { exact: true }).waitFor();
    await expect.poll(() => asked.length).toBe(1);
    // The unused socket closes before the next attempt.
    isHeld = true;
    await page.clock.fastForward(20_000);
    await expect.poll(() => closed).toBe(1);
    await page.clock.fastForward(45_000);
    await expect.poll(() => held.length).toBe(1);
    // Longer than a subscription waits for a refusal.
    await page.clock.fastForward(5_000);
    isHeld = false;
    await held[0]?.close({ code: 1012 });
    await expect.poll(() => asked.length).toBe(2);
    expect(asked[1]).toBe(asked[0]);
  });

  it('asks again only once a minute, says that it is not live, and shows everything when the viewer may follow', async () => {
    const { userId } = await addUser(w.ctx, { email: 'ci@acme.test', handle: null, role: 'member' });
    const scopes = ['preview:register'] as const;
    const { token } = await createApiToken(w.ctx, w.secrets, { name: 'of CI', kind: 'user', scopes, userId });
    await using visit = await signIn(browser, s, { token });
    const { page } = visit;
    const { asked, sockets } = countSubscriptions(page, 'previewChanged');
    await page.clock.install();
    await page.goto(`${s.url}/acme/shop/previews`);
    await page.getByText('Not live', { exact: true }).waitFor();
    await expect.poll(asked).toBe(1);
    // Longer than the wait before a second attempt after other errors, and than an unused socket stays open.
    for (let turn = 0; turn < 2; turn += 1) {
      await page.clock.fastForward(20_000);
      await page.getByText('Not live', { exact: true }).waitFor();
    }
    await expect.poll(() => sockets.map((socket) => socket.isClosed())).toEqual([true]);
    expect([asked(), sockets.length]).toEqual([1, 1]);
    await page.clock.fastForward(30_000);
    await expect.poll(asked).toBe(2);
    await page.getByText('Not live', { exact: true }).waitFor();
    await page.getByText('could not be read').waitFor();
    await w.rows('update user_session set scopes = $2 where user_id = $1', [
      userId,
      ['preview:register', 'queue:read'],
    ]);
    const isLive = async (): Promise<boolean> => {
      await page.clock.fastForward(10_000);
      return await page.getByText('Live', { exact: true }).isVisible();
    };
    await expect.poll(isLive).toBe(true);
    await page.getByText('No preview can be looked at now.').waitFor();
    await page.getByText('could not be read').waitFor({ state: 'detached' });
  });
});
