// What the dashboard says about a landing, by its grade and by the checks that ran.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queuePullRequest } from '../../src/modules/queue/index.ts';
import { parallel, world, type World } from '../support/world.ts';
import { launchChromium, serveDashboard, signIn, type DashboardServer } from './browser.ts';

const required = 'preconditions:\n  use_github_mergeability: false\n  required_checks: [test]\n';

let w: World;
let s: DashboardServer;
let browser: Browser;

beforeAll(async () => {
  w = await world({
    configuration: parallel({ builds: 1 }) + required,
    ci: "checks:\n  test:\n    run: 'test ! -e bad'\n  style:\n    run: 'test ! -e ugly'\n",
  });
  s = await serveDashboard(w);
  browser = await launchChromium();
  // The base branch moves after these heads were tested, so that each landing that is not excused needs a build.
  await w.open('ugly', { ugly: 'ugly\n' }, { title: 'Search: rank by availability' });
  await w.open('skips', { 'skips.txt': 'skips\n' }, { title: 'Cart: keep items' });
  await w.open('merged', { 'merged.txt': 'merged\n' }, { title: 'Gift cards: redeem a part' });
  await w.queue(1);
  await w.settled(1);
  await queuePullRequest(w.ctx, {
    repository: w.repository,
    number: 2,
    source: 'graphql_api',
    skipValidation: true,
    skipLine: true,
    skipLineReason: 'the shop is down',
  });
  await w.settled(2);
  await w.configure(parallel({ builds: 1, more: 'use_fast_forwarding: false\n' }) + required);
  await w.queue(3);
  await w.settled(3);
}, 120_000);
afterAll(async () => {
  await browser.close();
  await s.close();
  await w[Symbol.asyncDispose]();
});

/** The text of the banner of a proof that begins with the sentence of its grade. */
async function proofText(number: number, grade: string): Promise<string> {
  await using visit = await signIn(browser, s);
  const { page } = visit;
  await visit.open(`/acme/shop/pull/${number}?tab=proof`);
  const banner = page.getByText(grade).locator('..');
  await banner.waitFor();
  const text = await banner.innerText();
  expect(visit.complaints).toEqual([]);
  return text.replaceAll(/\s+/g, ' ');
}

describe('the proof of a landing', () => {
  it('does not say that a check passed which failed', async () => {
    const text = await proofText(1, 'that was tested.');
    expect(text).toContain('passed its check test. style ended: failure.');
    expect(text).not.toContain('all 2 checks');
    expect(text).toContain('by one compare-and-set.');
  });

  it('does not say of a landing without validation that anything passed', async () => {
    const text = await proofText(2, 'without validation.');
    expect(text).not.toContain('passed');
    expect(text).toContain('by one compare-and-set.');
  });

  it('does not say that Interlock moved the branch if the code host made the commit', async () => {
    const text = await proofText(3, 'The code host made the commit');
    expect(text).toContain('passed its check test. style ended: failure.');
    expect(text).not.toContain('compare-and-set');
  });
});

describe('a landing without validation', () => {
  it('is called proved neither in the line nor on its page', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    const landings = page.getByRole('list', { name: 'The line of main' });
    await landings.getByText('proved, host merged').waitFor();
    await landings.getByText('not tested', { exact: true }).waitFor();
    expect(await landings.getByText('proved, unvalidated').count()).toBe(0);
    await visit.open('/acme/shop/pull/2');
    await page.getByText('not tested', { exact: true }).waitFor();
    expect(await page.getByText('proved, unvalidated').count()).toBe(0);
    expect(visit.complaints).toEqual([]);
  });
});

describe('a proof that is not valid', () => {
  it('is told in the line although no landing there was tested', async () => {
    await w.rows(`update landing set grade = 'unvalidated'`);
    await w.rows('update queue set proofs_verified_at = now(), proofs_failed = 1');
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/acme/shop/queue/main');
    await page.getByText(/^At least one proof of a landing is not valid\. /).waitFor();
    expect(visit.complaints).toEqual([]);
  });
});
