// A log of 100 MB in a real Chromium. The page shows its end and can reach its beginning. Neither the page nor the
// server holds all of it in memory.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addVerification } from '../previews/verification-rows.ts';
import { world, type World } from '../support/world.ts';
import { launchChromium, serveDashboard, signIn, type DashboardServer } from './browser.ts';

let w: World;
let s: DashboardServer;
let browser: Browser;
beforeAll(async () => {
  w = await world();
  s = await serveDashboard(w);
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await s.close();
  await w[Symbol.asyncDispose]();
});

const pieces = 1_600;
const megabyte = 1_000_000;

it('a log of 100 MB is read back page by page, with the memory of a few pages', async () => {
  await w.open('cart', { 'cart.txt': 'cart\n' }, { title: 'Cart' });
  const head = await w.git('rev-parse', 'cart');
  const { accountId } = w.ctx;
  const id = await addVerification({ ...w, accountId }, { head, status: 'passed' });
  for (let from = 0; from < pieces; from += 100)
    await w.rows(
      `insert into verification_log (account_id, verification_id, text, at)
       select $1, $2, 'piece ' || n || E'\\n' || repeat(repeat('x', 99) || E'\\n', 640), now()
       from generate_series($3::integer, $3::integer + 99) n`,
      [accountId, id, from],
    );
  await using visit = await signIn(browser, s);
  const { page, context } = visit;
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable');
  const heapMb = async (): Promise<number> => {
    await cdp.send('HeapProfiler.collectGarbage');
    const { metrics } = await cdp.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / megabyte;
  };
  await visit.open('/acme/shop/pull/1?tab=preview');
  const log = page.getByRole('region', { name: 'Log of the verification' });
  await log.getByText('piece 1599').waitFor();
  const heapBefore = await heapMb();
  const residentBefore = process.memoryUsage().rss / megabyte;
  const earlier = page.getByRole('button', { name: 'Show earlier' });
  for (let first = pieces - 40; first >= 0; first -= 20) {
    await earlier.click();
    await log.getByText(`piece ${first}\n`, { exact: false }).first().waitFor({ state: 'attached' });
  }
  expect(await earlier.count()).toBe(0);
  expect((await log.textContent())?.length).toBeLessThanOrEqual(4 * megabyte);
  // The shown text is at most twice in the heap: as it was read, and as it is drawn.
  expect((await heapMb()) - heapBefore).toBeLessThan(20);
  expect(process.memoryUsage().rss / megabyte - residentBefore).toBeLessThan(300);
  await page.getByRole('button', { name: 'Back to the end' }).click();
  await log.getByText('piece 1599').waitFor();
  expect(await page.getByRole('button', { name: 'Back to the end' }).count()).toBe(0);
  expect(visit.complaints).toEqual([]);
});
