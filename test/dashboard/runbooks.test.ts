// A runbook in a real Chromium: its steps, its log, a follow-up, another attempt, and a cancel.
import { writeFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runbookWorld, type RunbookWorld } from '../support/runbook-world.ts';
import { launchChromium, refusedWith, refuseOnce, serveDashboard, signIn, type DashboardServer } from './browser.ts';

let r: RunbookWorld;
let s: DashboardServer;
let browser: Browser;

beforeAll(async () => {
  r = await runbookWorld();
  s = await serveDashboard(r.w);
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await s.close();
  await r[Symbol.asyncDispose]();
});

const answerOf = async (page: Page): Promise<string | null> => await page.locator('main h2').first().textContent();

describe('a runbook', () => {
  it('is shown from step to step, with its output, until its pull request', async () => {
    const release = `${r.w.dataDir}/release`;
    const number = await r.begin(`write a.txt one\nhold ${release}`, { title: 'Rename getTotal' });
    await r.become(number, '1.1 completed', '2.1 in_progress');
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(`/runbooks/${number}`);
    expect(await answerOf(page)).toBe('Rename getTotal: 1 of 2 steps done.');
    const log = page.getByRole('region', { name: 'Log of the runbook' });
    await expect.poll(async () => await log.textContent()).toContain(`I am to hold ${release}.`);
    await writeFile(release, '');
    await r.rest(number);
    await expect.poll(async () => await answerOf(page)).toBe('Rename getTotal: 2 of 2 steps done.');
    await page.getByText(`I did hold ${release}.`).waitFor();
    expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
    const pull = await r.pullRequestNumber(number);
    await page
      .getByRole('listitem')
      .filter({ hasText: `#${pull}` })
      .getByRole('link')
      .waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('continues with a follow-up by keyboard, and its log continues too', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/runbooks/1');
    await page.keyboard.press('u');
    const dialog = page.getByRole('dialog', { name: 'Follow up runbook 1' });
    await dialog.waitFor();
    await page.keyboard.type('write b.txt two');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('The follow-up is being planned.').waitFor();
    await r.rest(1);
    await expect.poll(async () => await answerOf(page)).toBe('Rename getTotal: 3 of 3 steps done.');
    await expect
      .poll(async () => await page.getByRole('region', { name: 'Log of the runbook' }).textContent())
      .toMatch(/I am to write a\.txt one\.[^]*I am to write b\.txt two\./);
    expect(visit.complaints).toEqual([]);
  });

  it.each([
    ['was refused', 'error', refusedWith('UNAVAILABLE')],
    ['ended', 'complete', undefined],
  ])('is shown to its end although the subscription to its changes %s', async (reason, type, payload) => {
    const release = `${r.w.dataDir}/release-${type}`;
    const number = await r.begin(`hold ${release}`, { title: `The subscription ${reason}` });
    await r.become(number, '1.1 in_progress');
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const asked = await refuseOnce(page, 'runbookChanged', { type, payload });
    await visit.open(`/runbooks/${number}`);
    // The subscription to the log keeps the socket open.
    await page.getByText(`I am to hold ${release}.`).waitFor();
    await expect.poll(asked).toBe(2);
    await writeFile(release, '');
    await r.rest(number);
    await expect.poll(async () => await answerOf(page)).toBe(`The subscription ${reason}: 1 of 1 step done.`);
    expect(visit.complaints).toEqual([]);
  });

  it('that failed shows the reason, and can be retried', async () => {
    const number = await r.begin('fail The door is locked.', { title: 'Open the door' });
    await r.rest(number);
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(`/runbooks/${number}`);
    await page.getByText('The door is locked.').first().waitFor();
    await page.keyboard.press('r');
    await page.getByRole('dialog', { name: `Try what failed in runbook ${number} again?` }).waitFor();
    await page.getByText(/^Tries [\d.]+ again\.$/).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('What failed is tried again.').waitFor();
    await r.rest(number);
    await page.getByText('attempt 2').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('is canceled after the page has shown what will not be done', async () => {
    const number = await r.begin(`hold ${r.w.dataDir}/never\nwrite c.txt three`);
    await r.become(number, '1.1 in_progress', '2.1 not_started');
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open(`/runbooks/${number}`);
    await page.keyboard.press('x');
    const dialog = page.getByRole('dialog', { name: `Cancel runbook ${number}?` });
    await dialog.getByText('Stops 1.1, which is being worked on. 2.1 will not be started.').waitFor();
    const confirm = dialog.getByRole('button', { name: 'Cancel it' });
    await expect.poll(async () => await confirm.isEnabled()).toBe(true);
    expect(await r.status(number)).toBe('in_progress');
    await page.keyboard.press('Enter');
    await page.getByText(`Runbook ${number} is being canceled.`).waitFor();
    await r.rest(number);
    await expect.poll(async () => await page.getByText(/^Canceled by /).count()).toBe(2);
    expect(visit.complaints).toEqual([]);
  });
});

describe('the list of runbooks', () => {
  it('shows a new runbook, its steps and its end, without a reload', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/runbooks');
    const release = `${r.w.dataDir}/release-listed`;
    const number = await r.begin(`write listed.txt one\nhold ${release}`, { title: 'Listed at once' });
    const row = page.getByRole('listitem').filter({ hasText: 'Listed at once' });
    await row.waitFor();
    await r.become(number, '1.1 completed', '2.1 in_progress');
    await row.getByText('1 of 2 steps').waitFor();
    await writeFile(release, '');
    await r.rest(number);
    await row.getByText('completed', { exact: true }).waitFor();
    await row.getByText('2 of 2 steps').waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('a runbook of a repository in which the viewer may not act', () => {
  it('has no button and no command that the viewer can use, with the reason', async () => {
    const sentence = 'This needs the permission write in acme/shop at GitHub; ada has read.';
    const number = await r.begin('write c.txt three', { title: 'A look at it' });
    await r.rest(number);
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('"operationName":"RunbookPage"') !== true) return await route.fallback();
      const headers = { ...route.request().headers(), 'sec-fetch-site': 'same-origin' };
      const response = await route.fetch({ headers });
      const { data } = (await response.json()) as { readonly data: RunbookPageData };
      const viewerCan = data.runbook.repository.viewerCan?.map((one) =>
        one.action === 'START_RUNBOOK' ? { ...one, allowed: false, sentence } : one,
      );
      const repository = { ...data.runbook.repository, viewerCan };
      return await route.fulfill({ json: { data: { runbook: { ...data.runbook, status: 'FAILED', repository } } } });
    });
    await visit.open(`/runbooks/${number}`);
    for (const name of ['Follow up', 'Try again']) {
      const button = page.getByRole('button', { name });
      await button.and(page.locator(':disabled')).waitFor();
      expect(await button.getAttribute('title')).toBe(sentence);
    }
    await page.keyboard.press('u');
    await page.getByText(sentence).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(visit.complaints).toEqual([]);
  });
});

interface RunbookPageData {
  readonly runbook: {
    readonly repository: { readonly viewerCan?: readonly { readonly action: string }[] };
  };
}
