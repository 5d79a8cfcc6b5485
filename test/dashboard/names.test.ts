// Names that are hard to show or to put into an address: texts from right to left, and branches with signs of addresses.
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
  await w.queue(number);
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
