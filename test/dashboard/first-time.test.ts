// What a user finds in a repository in which nothing has happened yet, and that each page leads on from there.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

describe('the form of the first repository', () => {
  it('asks for an owner and a name', async () => {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/welcome');
    const name = page.getByLabel('Owner and name');
    for (const [text, isAccepted] of [
      ['acme', false],
      ['acme/', false],
      ['acme/other/more', false],
      ['acme/other', true],
    ] as const) {
      await name.fill(text);
      expect([text, await name.evaluate((input) => input.matches(':valid'))]).toEqual([text, isAccepted]);
    }
    expect(visit.complaints).toEqual([]);
  });
});

describe('the commands of the first steps', () => {
  let folder: string;
  let elsewhere: string;
  let clone: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'first-steps-'));
    elsewhere = join(folder, 'elsewhere.git');
    clone = join(folder, 'clone');
    await git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', elsewhere);
    await git(folder, 'clone', '--quiet', elsewhere, clone);
    await git(clone, 'checkout', '--quiet', '-B', 'main');
    await git(clone, 'commit', '--quiet', '--allow-empty', '-m', 'Begin');
    await git(clone, 'push', '--quiet', '--set-upstream', 'origin', 'main');
  });
  afterEach(async () => await rm(folder, { recursive: true, force: true }));

  const environment = () => ({
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Bearer ${w.token}`,
    GIT_AUTHOR_NAME: 'Ann',
    GIT_AUTHOR_EMAIL: 'ann@acme.test',
    GIT_COMMITTER_NAME: 'Ann',
    GIT_COMMITTER_EMAIL: 'ann@acme.test',
  });

  async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(program, args, { cwd, env: environment() });
    return stdout.trim();
  }
  const git = async (cwd: string, ...args: string[]): Promise<string> => await run(cwd, 'git', ...args);

  /** Makes a repository on the page of the first steps, and runs its commands in the clone. Returns its URL. */
  async function takeFirstSteps(name: string): Promise<string> {
    await using visit = await signIn(browser, s);
    const { page } = visit;
    await visit.open('/welcome');
    await page.getByLabel('Owner and name').fill(`acme/${name}`);
    await page.getByRole('button', { name: 'Make it' }).click();
    const commands = await page.getByRole('region', { name: 'Commands that push a check' }).innerText();
    await run(clone, 'sh', '-c', commands);
    // A second time, as after a push that failed.
    await run(clone, 'sh', '-c', commands);
    return `${s.url}/git/acme/${name}.git`;
  }

  it('push a check here, and change nothing elsewhere, in a clone of a repository elsewhere', async () => {
    const before = await git(elsewhere, 'rev-parse', 'main');
    await writeFile(join(clone, 'password.txt'), 'secret\n');
    await writeFile(join(clone, 'staged.txt'), 'not ready\n');
    await git(clone, 'add', 'staged.txt');
    const url = await takeFirstSteps('first');
    expect(await git(elsewhere, 'for-each-ref', '--format=%(refname) %(objectname)')).toBe(`refs/heads/main ${before}`);
    expect(await git(clone, 'ls-remote', url, 'refs/heads/main')).toContain(await git(clone, 'rev-parse', 'HEAD'));
    expect(await git(clone, 'show', '--name-only', '--format=', 'HEAD')).toBe('.service/ci.yml');
    expect(await git(clone, 'show', 'HEAD:.service/ci.yml')).toBe('checks:\n  unit:\n    run: npm test');
    expect(await git(clone, 'status', '--short')).toBe('A  staged.txt\n?? password.txt');
    expect(await git(clone, 'rev-parse', '--abbrev-ref', '@{upstream}')).toBe('interlock/main');
  });

  it('keep the checks that the repository already has', async () => {
    const own = 'checks:\n  own:\n    run: make test';
    await mkdir(join(clone, '.service'));
    await writeFile(join(clone, '.service', 'ci.yml'), own);
    await git(clone, 'add', '.service');
    await git(clone, 'commit', '--quiet', '-m', 'Test');
    const head = await git(clone, 'rev-parse', 'HEAD');
    const url = await takeFirstSteps('own');
    expect(await git(clone, 'show', 'HEAD:.service/ci.yml')).toBe(own);
    expect(await git(clone, 'ls-remote', url, 'refs/heads/main')).toContain(head);
  });

  it('change nothing if one of them fails', async () => {
    const before = await git(clone, 'rev-parse', 'HEAD');
    await git(clone, 'remote', 'add', 'interlock', elsewhere);
    await expect(takeFirstSteps('taken')).rejects.toThrow('remote interlock already exists');
    expect(await git(clone, 'rev-parse', 'HEAD')).toBe(before);
    expect(await git(elsewhere, 'rev-parse', 'main')).toBe(before);
  });
});
