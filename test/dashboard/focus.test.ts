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

describe('a dialog', () => {
  it('with all keys begins at its top, and Tab leads to its button', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.setViewportSize({ width: 1280, height: 500 });
    await visit.open('/acme/shop/queue/main');
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.waitFor();
    expect(await dialog.evaluate((one) => [one.scrollTop, one.scrollHeight > one.clientHeight])).toEqual([0, true]);
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Close' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(visit.complaints).toEqual([]);
  });

  it('on a narrow screen has a field as wide as itself, and its buttons beside each other', async () => {
    await using visit = await signIn(browser, s, { width: 360 });
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    await page.keyboard.press('p');
    const dialog = page.getByRole('dialog');
    const field = await dialog.getByRole('textbox').boundingBox();
    expect(field?.width).toBeGreaterThan(270);
    const buttons = ['Close', 'Pause'].map(async (name) => await dialog.getByRole('button', { name }).boundingBox());
    const [close, pause] = await Promise.all(buttons);
    expect(close?.y).toBe(pause?.y);
    expect(visit.complaints).toEqual([]);
  });
});
