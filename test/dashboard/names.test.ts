// What is hard to show or to put into an address: texts from right to left, long titles, a long line on a narrow screen,
// and branches with signs of addresses.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parallel, world, type World } from '../support/world.ts';
import { launchChromium, serveDashboard, signIn, type DashboardServer } from './browser.ts';

let w: World;
let s: DashboardServer;
let browser: Browser;

const branch = 'rel/50%25#1&a=b+$x';
const path = `/acme/shop/queue/${branch.split('/').map(encodeURIComponent).join('/')}`;

const titles = [
  ['is written from right to left', 'סל הקניות'],
  ['overrides the direction', '\u202Etrac ytpme'],
  ['ends an isolate and overrides the direction', '\u2069\u202Etrac ytpme'],
] as const;

beforeAll(async () => {
  w = await world({ configuration: parallel({ builds: 1 }), runsCi: false });
  s = await serveDashboard(w);
  browser = await launchChromium();
  for (const [index, [, title]] of titles.entries())
    await w.open(`title${index}`, { [`${index}.txt`]: 'new\n' }, { title });
  await w.commit(branch, {});
  const number = await w.open('into-branch', { 'branch.txt': 'new\n' }, { base: branch });
  const long = await w.open('long', { 'long.txt': 'new\n' }, { base: branch, title: 'x'.repeat(200) });
  const title = 'סל הקניות '.repeat(20).trim();
  const toTheLeft = await w.open('to-the-left', { 'left.txt': 'new\n' }, { base: branch, title });
  await w.queue(number, long, toTheLeft);
});
afterAll(async () => {
  await browser.close();
  await s.close();
  await w[Symbol.asyncDispose]();
});

describe('a title that', () => {
  it.each(titles.map(([what], index) => [what, index + 1] as const))(
    '%s leaves the texts after it in their place',
    async (_, number) => {
      await using visit = await signIn(browser, s);
      const { page } = visit;
      await visit.open(`/acme/shop/pull/${number}`);
      const heading = page.locator('main h2').first();
      await heading.locator('em').waitFor();
      const [title, after] = await heading.evaluate((element) => {
        const range = element.ownerDocument.createRange();
        range.selectNode(element.firstChild ?? element);
        return [range.getBoundingClientRect(), element.querySelector('em')?.getBoundingClientRect()].map(
          (box) => box?.left ?? 0,
        );
      });
      expect(after).toBeGreaterThan(title ?? Infinity);
      expect(visit.complaints).toEqual([]);
    },
  );
});

describe('a branch whose name has signs of addresses', () => {
  const shownQueue = async (page: Page): Promise<void> => {
    await page.getByText('#4', { exact: true }).first().waitFor();
    expect(new URL(page.url()).pathname).toBe(path);
    expect(await page.getByRole('combobox', { name: 'Base branch' }).inputValue()).toBe(branch);
  };

  it('is found again by the menu, by keys and by the first page', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(path);
    await shownQueue(page);
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Queue' });
    expect(await link.getAttribute('aria-current')).toBe('page');
    await link.click();
    await shownQueue(page);
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await shownQueue(page);
    await page.goto(s.url);
    await page.waitForURL('**/queue/**');
    await shownQueue(page);
    expect(visit.complaints).toEqual([]);
  });

  it('is found by the page of its pull request, and by the palette', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/pull/4');
    await page.getByRole('link', { name: `${branch} /` }).click();
    await shownQueue(page);
    await visit.open('/acme/shop/pull/4');
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Search or act' }).fill('50%25#1');
    await page.getByRole('option', { name: `acme/shop ${branch}` }).click();
    await shownQueue(page);
    expect(visit.complaints).toEqual([]);
  });
});

describe('a release project whose name has signs of addresses', () => {
  const project = '50%25 #1?a=b $x';
  const projectPath = `/releases/${encodeURIComponent(project)}`;

  it('is found by the menu, by keys and by the list of the projects, also after a reload', async () => {
    await w.rows(
      `insert into release_project (account_id, name, repository_id, created_at)
       select account_id, $1, id, now() from repository where name = 'shop'`,
      [project],
    );
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const shownProject = async (): Promise<void> => {
      await page.getByRole('heading', { level: 1, name: project }).waitFor();
      expect(new URL(page.url()).pathname).toBe(projectPath);
    };
    await visit.open('/acme/shop/pulls');
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Releases' });
    await expect.poll(async () => await link.getAttribute('href')).toBe(projectPath);
    await link.click();
    await shownProject();
    expect(await link.getAttribute('aria-current')).toBe('page');
    await visit.open('/acme/shop/pulls');
    await expect.poll(async () => await link.getAttribute('href')).toBe(projectPath);
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await shownProject();
    await page.reload();
    await shownProject();
    await visit.open('/releases');
    await page.getByRole('main').getByRole('link', { name: project }).click();
    await shownProject();
    expect(visit.complaints).toEqual([]);
  });
});

describe('a title that is too long for a narrow screen', () => {
  it('is broken in the sheet of a pull request', async () => {
    await using visit = await signIn(browser, s, { width: 390 });
    const { page } = visit;
    await page.goto(`${s.url}${path}?select=5`);
    const sheet = page.getByRole('dialog', { name: 'Pull request 5' });
    await sheet.getByRole('heading', { name: 'x'.repeat(200) }).waitFor();
    expect(await sheet.evaluate((element) => element.scrollWidth)).toBeLessThanOrEqual(390);
    expect(visit.complaints).toEqual([]);
  });

  it.each(['/acme/shop/pulls', path])(
    'and is written from right to left is shown from its first letter on %s',
    async (where) => {
      await using visit = await signIn(browser, s, { width: 390 });
      const { page } = visit;
      await page.goto(s.url + where);
      const link = page.getByRole('link', { name: /^(?:סל הקניות ){9}/ });
      await link.waitFor();
      const [letter, row] = await link.evaluate((element) => {
        const text = element.querySelector('bdi')?.firstChild ?? element;
        const range = element.ownerDocument.createRange();
        range.setStart(text, 0);
        range.setEnd(text, 1);
        return [range, element.parentElement ?? element].map((one) => one.getBoundingClientRect().right);
      });
      expect(letter).toBeLessThanOrEqual(row ?? 0);
      expect(visit.complaints).toEqual([]);
    },
  );
});

describe('the pull requests of a paused repository', () => {
  beforeAll(async () => {
    await w.queue(1);
    await w.pause(true);
    await w.rows(
      `insert into pull_request (account_id, repository_id, queue_id, number, title, author, author_name, author_email, head_branch, base_branch, head_sha, url, status, rank, queued_at, created_at)
       select q.account_id, q.repository_id, q.id, 100 + n, 'In line ' || n, 'ada', 'Ada', 'ada@example.test', 'many' || n, 'main', md5(n::text), '', 'queued', 1000 + n, now(), now()
       from queue q, generate_series(1, 300) n where q.base_branch = 'main'`,
    );
    await w.rows(`update queue set waiting = waiting + 300 where base_branch = 'main'`);
  });

  it('wait for a person', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/pulls?text=title0');
    await page.getByText('an admin', { exact: true }).waitFor();
    expect(await page.locator('main h2').innerText()).toBe('1 pull request. 1 waits for a person.');
    expect(visit.complaints).toEqual([]);
  });

  it('are shown on a narrow screen too, however long their line is', async () => {
    await using visit = await signIn(browser, s, { width: 390 });
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    await page.getByRole('link', { name: 'In line 1', exact: true }).waitFor();
    const rows = page.getByRole('list', { name: 'The line of main' }).getByRole('listitem');
    expect(await rows.count()).toBeLessThan(60);
    await page.getByRole('link', { name: 'In line 1', exact: true }).hover();
    await page.mouse.wheel(0, 150 * 68);
    await page.getByRole('link', { name: 'In line 150', exact: true }).waitFor();
    expect(await rows.count()).toBeLessThan(60);
    expect(visit.complaints).toEqual([]);
  });

  it('have room on a low screen, as at a zoom of 400 %', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.setViewportSize({ width: 320, height: 256 });
    await visit.open('/acme/shop/queue/main');
    const link = page.getByRole('link', { name: 'In line 1', exact: true });
    await link.waitFor();
    const shown = page.getByRole('list', { name: 'The line of main' }).locator('..');
    expect(await shown.evaluate((element) => element.clientHeight)).toBeGreaterThan(200);
    await link.hover();
    expect(visit.complaints).toEqual([]);
  });
});
