// Releases and previews in a real Chromium, with a rollback by two keys.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiToken } from '../../src/modules/accounts/index.ts';
import { addUser } from '../../src/modules/accounts/users.service.ts';
import { registerPreview } from '../../src/modules/previews/registrations/registrations.service.ts';
import { updateEnvironment } from '../../src/modules/releases/environments.service.ts';
import { openRunLog } from '../../src/modules/releases/logs/run-log.ts';
import { replaceConfiguration } from '../../src/modules/repositories/index.ts';
import { releaseWorld, type ReleaseWorld } from '../support/release-world.ts';
import { configurationYaml, parallel } from '../support/world.ts';
import {
  controlsOutside,
  launchChromium,
  seriousProblems,
  serveDashboard,
  signIn,
  type DashboardServer,
} from './browser.ts';

let r: ReleaseWorld;
let s: DashboardServer;
let browser: Browser;

beforeAll(async () => {
  r = await releaseWorld({ runsCi: true, configuration: parallel({ builds: 1 }) });
  const { w } = r;
  s = await serveDashboard(w);
  browser = await launchChromium();
  await updateEnvironment(w.ctx, w.secrets, {
    project: 'shop',
    environment: 'production',
    freezeAfterRollback: true,
    freezeAfterRollbackSec: 7200,
  });
  await r.candidate('v1-rc1');
  await w.open('cart', { 'cart.txt': 'cart\n' }, { title: 'Cart: keep line items' });
  await w.queue(1);
  await w.settled(1);
  await r.candidate('v2-rc1', { commit: await w.git('rev-parse', 'main') });
  await r.deploy('v1-rc1');
  await r.report('v1-rc1', 'success');
  await r.deploy('v2-rc1');
  await r.report('v2-rc1', 'success');
  await r.become('v1-rc1 success', 'v2-rc1 success');
});
afterAll(async () => {
  await browser.close();
  await s.close();
  await r[Symbol.asyncDispose]();
});

describe('an environment', () => {
  it('is chosen by a name that screen readers hear, also on a narrow screen', async () => {
    await using visit = await signIn(browser, s, { theme: 'dark', width: 390 });
    await visit.open('/releases/shop');
    await visit.page.getByRole('combobox', { name: 'Environment' }).selectOption('production');
    expect(await seriousProblems(visit.page)).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  it.each([390, 770, 800, 1000])('has all its buttons in the window at a width of %i', async (width) => {
    await using visit = await signIn(browser, s, { width });
    await visit.open('/releases/shop');
    await visit.page.getByRole('button', { name: 'Deploy' }).first().waitFor();
    expect(await controlsOutside(visit.page)).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  it('cannot be rolled back by a member, and the page names the missing permission', async () => {
    const { w } = r;
    const { userId } = await addUser(w.ctx, { email: 'ada@acme.test', handle: 'ada', role: 'member' });
    const scopes = ['queue:read', 'release:read'] as const;
    const { token } = await createApiToken(w.ctx, w.secrets, { name: 'ada', kind: 'user', scopes, userId });
    await using visit = await signIn(browser, s, { token });
    const { page } = visit;
    await visit.open('/releases/shop');
    for (const name of ['Roll back', 'Deploy', 'Freeze'])
      expect(await page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true);
    await page.keyboard.press('r');
    await page.getByRole('status').getByText('This needs a token with the scope deploy:write.').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(visit.complaints).toEqual([]);
  });

  it('is rolled back by two keys after the impact is shown, and the page shows the rollback until its end', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    const answer = page.locator('main h2').first();
    await visit.open('/releases/shop');
    expect(await answer.textContent()).toBe('production runs v2-rc1. Nothing is on its way.');
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: 'Roll back production?' });
    await dialog
      .getByText(
        'production goes from v2-rc1 back to v1-rc1. 1 pull request leaves production. Nothing else is canceled.',
      )
      .waitFor();
    await dialog.getByText('#1 Cart: keep line items').waitFor();
    await dialog.getByText('Then production is frozen for 2 h').waitFor();
    expect(await r.line()).toHaveLength(2);
    await page.keyboard.press('Enter');
    await page.getByText('The rollback of production has started.').waitFor();
    await page.getByRole('cell', { name: 'rolling back' }).waitFor();
    expect(await answer.textContent()).toBe('production runs v2-rc1. v1-rc1 is on its way to production.');
    await r.become('v1-rc1 success', 'v2-rc1 success', 'v1-rc1 in_progress');
    await r.report('v1-rc1', 'success');
    await expect.poll(async () => await answer.textContent()).toBe('production runs v1-rc1. production is frozen.');
    const [newest, ...before] = await page
      .getByRole('listitem')
      .filter({ hasText: /Rollback|Deployment/ })
      .allTextContents();
    expect(newest).toMatch(/^successRollback of production to v1-rc1/);
    expect(before.map((text) => /^success.* to production/.exec(text)?.[0])).toEqual([
      'successDeployment of v2-rc1 to production',
      'successDeployment of v1-rc1 to production',
    ]);
    expect(visit.complaints).toEqual([]);
  });

  it('takes no deployment while it is frozen, until a user ends the freeze', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/releases/shop');
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog', { name: 'Deploy to production' });
    await dialog.getByText('This is not possible now.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Deploy' }).isDisabled()).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('f');
    const lift = page
      .getByRole('dialog', { name: 'Lift the freeze of production?' })
      .getByRole('button', { name: 'Lift' });
    await expect.poll(async () => await lift.isEnabled()).toBe(true);
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => await page.locator('main h2').first().textContent())
      .toBe('production runs v1-rc1. Nothing is on its way.');
    expect(visit.complaints).toEqual([]);
  });

  it('gets the next candidate from the tip by a key, and the page says that a deployment has written nothing', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/releases/shop');
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'Cut a candidate of shop' });
    const tip = await r.w.git('rev-parse', 'main');
    await dialog.getByText(`v2-rc2 is the commit ${tip.slice(0, 8)} of acme/shop. Nothing is deployed.`).waitFor();
    await dialog.getByRole('button', { name: 'Cut' }).click();
    await page.getByRole('rowheader', { name: 'v2-rc2' }).waitFor();
    await page.getByRole('button', { name: 'Log' }).first().click();
    await page.getByText('has written nothing to Interlock').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('shows the end of a long log first, and its beginning if the user asks for it', async () => {
    const { w } = r;
    const [deployment] = await w.rows<{ id: string }>('select id from deployment order by id desc limit 1');
    const log = openRunLog(w.ctx, { deploymentId: deployment?.id ?? '' });
    const writeLines = async (...lines: readonly number[]): Promise<void> => {
      for (const n of lines) {
        log.write(`line ${n}\n`);
        // Closing the log stores the written text as one piece.
        await log.close();
      }
    };
    await writeLines(...Array.from({ length: 24 }, (_, n) => n + 1));
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/releases/shop');
    await page.getByRole('button', { name: 'Log' }).first().click();
    const shown = page.getByRole('region', { name: 'Log of the deployment' });
    const linesOf = async (): Promise<readonly string[]> => (await shown.textContent())?.match(/\d+/g) ?? [];
    const numbersFrom = (first: number, last: number): readonly string[] =>
      Array.from({ length: last - first + 1 }, (_, n) => String(first + n));
    await expect.poll(linesOf).toEqual(numbersFrom(5, 24));
    await page.getByRole('button', { name: 'Show earlier' }).press('Enter');
    await expect.poll(linesOf).toEqual(numbersFrom(1, 24));
    await page.getByRole('button', { name: 'Show earlier' }).waitFor({ state: 'detached' });
    // The button that was removed had the focus.
    await shown.and(page.locator(':focus')).waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('a preview', () => {
  it('that CI registers can be opened at once, and links to its pull request', async () => {
    const { w } = r;
    const yaml = `${configurationYaml(parallel({ builds: 1 }))}verify:\n  preview:\n    - method: endpoint\n`;
    await replaceConfiguration(w.ctx, { repository: w.repository, yaml });
    const number = await w.open('gifts', { 'gifts.txt': 'gifts\n' }, { title: 'Gift cards: partial redemption' });
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await page.goto(`${s.url}/acme/shop/previews`);
    await page.getByText('No preview can be looked at now.').waitFor();
    await registerPreview(w.ctx, w.secrets, {
      repository: w.repository,
      prNumber: number,
      commitSha: (await w.status(number)).head_sha,
      previewUrl: 'https://gifts.example.test/',
    });
    await page.getByText('1 preview can be looked at now.').waitFor();
    const preview = page.getByRole('listitem').filter({ hasText: 'attached' });
    expect(await preview.getByRole('link').first().getAttribute('href')).toBe('https://gifts.example.test/');
    await preview.getByRole('link', { name: `#${number}` }).click();
    await page.waitForURL(`**/acme/shop/pull/${number}`);
    await page.getByText('Gift cards: partial redemption').first().waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

describe('a candidate', () => {
  it('that is made elsewhere is shown at once', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/releases/shop');
    await page.getByText('Live', { exact: true }).waitFor();
    await r.candidate('v2-rc10');
    await page.getByRole('rowheader', { name: 'v2-rc10' }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('is cut from the commit that the dialog showed, although the tip has moved meanwhile', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/releases/shop');
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog', { name: 'Cut a candidate of shop' });
    const shown = await r.w.git('rev-parse', 'main');
    await dialog.getByText(`v2-rc11 is the commit ${shown.slice(0, 8)} of acme/shop. Nothing is deployed.`).waitFor();
    const number = await r.w.open('wishes', { 'wishes.txt': 'wishes\n' }, { title: 'Wishes: share them' });
    await r.w.queue(number);
    await r.w.settled(number);
    expect(await r.w.git('rev-parse', 'main')).not.toBe(shown);
    await dialog.getByRole('button', { name: 'Cut' }).click();
    await page.getByRole('rowheader', { name: 'v2-rc11' }).waitFor();
    const [cut] = await r.w.rows<{ commit: string }>("select commit from release_candidate where version = 'v2-rc11'");
    expect(cut?.commit).toBe(shown);
    expect(visit.complaints).toEqual([]);
  });
});

describe('a deployment that has not ended', () => {
  it('is shown although its candidate waits to be deployed again, and a rollback deploys the candidate that runs', async () => {
    const before = ['v1-rc1 success', 'v2-rc1 success', 'v1-rc1 success'];
    await r.deploy('v2-rc1');
    await r.become(...before, 'v2-rc1 in_progress');
    await r.deploy('v2-rc1');
    expect(await r.line()).toEqual([...before, 'v2-rc1 in_progress', 'v2-rc1 pending']);
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/releases/shop');
    await page
      .getByRole('row', { name: /^v2-rc1 / })
      .getByText('in progress')
      .waitFor();
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog', { name: 'Roll back production?' });
    await dialog.getByText('v1-rc1, which runs in production, is deployed again.').waitFor();
    expect(await dialog.innerText()).not.toContain('pull requests leave');
    expect(visit.complaints).toEqual([]);
  });
});
