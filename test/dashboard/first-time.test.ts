// What a user finds in a repository in which nothing has happened yet, and that each page leads on from there.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeActivity } from '../../src/modules/repositories/index.ts';
import { parallel, world, type World } from '../support/world.ts';
import { launchChromium, refusedWith, serveDashboard, signIn, type DashboardServer } from './browser.ts';

let w: World;
let s: DashboardServer;
let browser: Browser;

beforeAll(async () => {
  w = await world({ configuration: parallel({ builds: 1 }), runsCi: false });
  s = await serveDashboard(w);
  browser = await launchChromium();
  await w.commit('first', { 'first.txt': 'new\n' });
  await w.commit('next', {});
});
afterAll(async () => {
  await browser.close();
  await s.close();
  await w[Symbol.asyncDispose]();
});

describe('a repository in which nothing has happened yet', () => {
  it('has analytics that say so, instead of charts without content', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/analytics');
    await page.getByText('Interlock landed no pull request in this time.').first().waitFor();
    await page.getByText('The charts fill when queued pull requests land.').waitFor();
    // The answer for this chart comes after the others.
    await page.getByText('No pull request was in line in the last two weeks.').waitFor();
    for (const [chart, sentence] of [
      ['Time in queue', 'Interlock landed no pull request in this time.'],
      ['Landed a day', 'Nothing landed in this time.'],
      ['Why they left the line', 'No pull request left the line in this time.'],
      ['By hour of the day', 'Nothing landed or left the line in this time.'],
      ['Build time', 'No build ended in this time.'],
      ['Failures by check', 'No build failed by a check in this time.'],
      ['Landed by the estimate', 'No pull request with an estimate landed in this time.'],
      ['When the line is long', 'No pull request was in line in the last two weeks.'],
    ] as const)
      expect([chart, await page.getByRole('region', { name: chart }).innerText()]).toEqual([
        chart,
        `${chart}\n\n${sentence}`,
      ]);
    expect(visit.complaints).toEqual([]);
  });

  it('has a chart of the line that claims nothing before its answer is there', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    let isRefused = true;
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"operationName":"DepthByHour"') !== true) return await route.fallback();
      asked.resolve();
      await answer.promise;
      if (!isRefused) return await route.fallback();
      return await route.fulfill({ json: { data: null, errors: refusedWith('RATE_LIMITED') } });
    });
    await visit.open('/acme/shop/analytics');
    await asked.promise;
    const chart = page.getByRole('region', { name: 'When the line is long' });
    await chart.getByText('Loading', { exact: true }).waitFor();
    const empty = chart.getByText('No pull request was in line in the last two weeks.');
    expect(await empty.count()).toBe(0);
    answer.resolve();
    await chart.getByText('Refused.').waitFor();
    expect(await empty.count()).toBe(0);
    isRefused = false;
    await empty.waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('opens and queues no pull request while it is inactive, and says why', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const isDisabled = async (name: string): Promise<void> => {
      const button = page.getByRole('button', { name });
      await button.waitFor();
      expect([name, await button.isDisabled(), await button.getAttribute('title')]).toEqual([
        name,
        true,
        'The repository is inactive: an admin activates it.',
      ]);
    };
    await changeActivity(w.ctx, w.repositoryId, false);
    await visit.open('/acme/shop/queue/next');
    await page.getByText('acme/shop is inactive').waitFor();
    await isDisabled('Queue a pull request');
    await isDisabled('Open a pull request');
    await visit.open('/acme/shop/pulls');
    await isDisabled('Open a pull request');
    await changeActivity(w.ctx, w.repositoryId, true);
    expect(visit.complaints).toEqual([]);
  });

  it('has a list of pull requests that says how the first one gets there', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/pulls?show=all');
    await page.getByText('There is no pull request yet.').waitFor();
    await page.getByText('Push a branch, and open its pull request.').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('lets a user open the first pull request and queue it, on the page of the queue', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/next');
    await page.getByText('Nobody has queued a pull request into next yet.').waitFor();
    await page.getByRole('button', { name: 'Open a pull request' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Branch that was pushed').fill('first');
    await dialog.getByLabel('Title').fill('The first change');
    expect(await dialog.getByLabel('Base branch').inputValue()).toBe('next');
    await dialog.getByRole('button', { name: 'Open', exact: true }).click();
    await page.waitForURL('**/acme/shop/pull/1');
    await visit.open('/acme/shop/queue/next');
    await page.keyboard.press('q');
    await dialog.getByText('The first change').waitFor();
    await dialog.getByRole('button', { name: 'Queue…' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Queue', exact: true });
    await expect.poll(async () => await confirm.isEnabled()).toBe(true);
    await confirm.click();
    await page.getByRole('list', { name: 'The line of next' }).getByText('#1', { exact: true }).waitFor();
    expect(visit.complaints).toEqual([]);
  });
});
