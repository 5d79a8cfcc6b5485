// Where the focus is after the element that had it has left the page.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parallel, world, type World } from '../support/world.ts';
import { launchChromium, serveDashboard, signIn, type DashboardServer } from './browser.ts';

let w: World;
let s: DashboardServer;
let browser: Browser;

beforeAll(async () => {
  w = await world({ configuration: parallel({ builds: 1 }), runsCi: false });
  s = await serveDashboard(w);
  browser = await launchChromium();
  const first = await w.open('cart', { 'cart.txt': 'new\n' }, { title: 'Cart' });
  const second = await w.open('search', { 'search.txt': 'new\n' }, { title: 'Search' });
  await w.queue(first, second);
});
afterAll(async () => {
  await browser.close();
  await s.close();
  await w[Symbol.asyncDispose]();
});

/** The element that has the focus: its id, or its tag. */
const focused = async (page: Page): Promise<unknown> =>
  await page.evaluate('document.activeElement.id || document.activeElement.tagName');

describe('the focus', () => {
  it('is on the next page after a link that vanished with its page', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/pulls');
    await page.getByRole('link', { name: 'Cart' }).press('Enter');
    await page.getByRole('heading', { name: 'Cart #1' }).waitFor();
    await expect.poll(async () => await focused(page)).toBe('main');
    expect(visit.complaints).toEqual([]);
  });

  it('is on the page after a panel that its own button has closed', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main?select=2');
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Close' }).press('Enter');
    await panel.waitFor({ state: 'detached' });
    await expect.poll(async () => await focused(page)).toBe('main');
    expect(visit.complaints).toEqual([]);
  });

  it('is not moved by a part that vanishes if the user has left it before', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main?select=2');
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Close' }).focus();
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('BODY');
    expect(visit.complaints).toEqual([]);
  });

  it('is in the filter of a list after `/`, also if the list was loaded with the page', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    for (const path of ['/acme/shop/pulls', '/settings/people']) {
      await visit.open(path);
      await page.keyboard.press('/');
      await page
        .getByRole('searchbox', { name: /^Filter by / })
        .and(page.locator(':focus'))
        .waitFor();
    }
    expect(visit.complaints).toEqual([]);
  });
});
