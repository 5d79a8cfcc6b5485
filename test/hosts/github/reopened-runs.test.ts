// Check runs and statuses that have ended and run again. An App may set its ended check run back to `in_progress`, and
// GitHub sends no webhook about it. What GitHub says last counts, until the landing has begun.
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { expect, test } from 'vitest';
import { makeApp, makeInstallation } from '../../../github-emulator/model/seed.ts';
import { compareWithInvariants } from '../../../src/modules/health/index.ts';
import { recordChecks } from '../../../src/modules/queue/facts/build.records.ts';
import { recordServiceCheck } from '../../../src/modules/queue/facts/service-checks.ts';
import { verifyRepository } from '../../../src/modules/queue/index.ts';
import { loadRepository, replaceConfiguration } from '../../../src/modules/repositories/index.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { configurationYaml, parallel } from '../../support/world.ts';
import { queueWorld, type QueueWorld } from './queue-world.ts';

const closed = 'merge_windows:\n  - {cron_start: "0 0 1 1 *", cron_end: "1 0 1 1 *", timezone: UTC}\n';
const requiresRobot = `${parallel({
  more: 'skip_draft_when_up_to_date: false\noverride_required_checks: [robot]\n',
})}preconditions:\n  use_github_mergeability: false\n`;

/** The client of another App, which reports checks. */
function robotOf({ emulator }: QueueWorld): Octokit {
  const { core } = emulator;
  const owner = core.state.accounts.find(({ login }) => login === emulator.owner);
  const own = core.state.apps.must(Number(emulator.appId));
  if (owner === undefined) throw new Error('The emulator has no owner.');
  const { app, privateKey } = makeApp(core, {
    slug: 'robot',
    name: 'robot',
    owner,
    permissions: { ...own.permissions, statuses: 'write' },
    events: [],
    webhook: { url: null, secret: 'robot-secret', isActive: false },
    callbackUrls: [],
    externalUrl: 'https://example.com',
    setupUrl: null,
    isPublic: false,
  });
  const installation = makeInstallation(core, { app, account: owner });
  return new Octokit({
    baseUrl: emulator.apiUrl,
    authStrategy: createAppAuth,
    auth: { appId: app.id, privateKey, installationId: installation.id },
  });
}

type Conclusion = 'success' | 'failure';

interface Reported {
  readonly commit: string;
  end(conclusion: Conclusion): Promise<void>;
  /** Sets the ended result back. */
  reopen(): Promise<void>;
}

type Report = (w: QueueWorld, robot: Octokit, commit: string) => Promise<Reported>;

const asRun: Report = async ({ place }, robot, commit) => {
  const { data } = await robot.checks.create({ ...place, name: 'robot', head_sha: commit, status: 'in_progress' });
  return {
    commit,
    end: async (conclusion) => void (await robot.checks.update({ ...place, check_run_id: data.id, conclusion })),
    reopen: async () => void (await robot.checks.update({ ...place, check_run_id: data.id, status: 'in_progress' })),
  };
};

const asStatus: Report = async ({ place }, robot, sha) => {
  const say = async (state: 'pending' | Conclusion): Promise<void> =>
    void (await robot.repos.createCommitStatus({ ...place, sha, context: 'robot', state }));
  await say('pending');
  return { commit: sha, end: say, reopen: async () => await say('pending') };
};

/** A line whose first batch waits for the check `robot`. `restMs` lets time pass. */
async function waiting(report: Report, rules = requiresRobot) {
  const clock = { aheadMs: 0 };
  const w = await queueWorld({ configuration: rules, clock: () => new Date(Date.now() + clock.aheadMs) });
  const robot = robotOf(w);
  const number = await w.open('topic', { topic: '1\n' });
  await w.label(number);
  const built = 'select tested_commit as commit from batch where build_started_at is not null';
  await w.until(async () => (await w.rows(built)).length > 0);
  const [batch] = await w.rows<{ commit: string }>(built);
  const check = await report(w, robot, batch?.commit ?? '');
  const results = async (): Promise<string[]> => {
    const rows = await w.rows<{ attempt: number; conclusion: string }>(
      "select attempt, conclusion from check_result where name = 'robot' order by attempt",
    );
    return rows.map(({ attempt, conclusion }) => `${attempt} ${conclusion}`);
  };
  const says = async (...lines: string[]): Promise<void> =>
    await w.until(async () => JSON.stringify(await results()) === JSON.stringify(lines));
  const rest = (ms: number): void => void (clock.aheadMs += ms);
  return { w, robot, number, check, says, results, rest };
}

async function open(w: QueueWorld): Promise<void> {
  const repository = { owner: w.place.owner, name: w.place.repo };
  await replaceConfiguration(w.ctx, { repository, yaml: configurationYaml(requiresRobot) });
}

async function statusOf(w: QueueWorld): Promise<string | undefined> {
  const [row] = await w.rows<{ status: string }>('select status from pull_request');
  return row?.status;
}

test.each([
  { what: 'check run', report: asRun, end: 'success', status: 'merged' },
  { what: 'check run', report: asRun, end: 'failure', status: 'blocked' },
  { what: 'status', report: asStatus, end: 'success', status: 'merged' },
  { what: 'status', report: asStatus, end: 'failure', status: 'blocked' },
] as const)('a $what that runs again before the landing ends as $end', async ({ report, end, status }) => {
  const { w, number, check, says, rest } = await waiting(report, `${requiresRobot}${closed}`);
  await using _ = w;
  await check.end('success');
  await says('1 success');
  await check.reopen();
  rest(60_000);
  await open(w);
  await says('1 success', '2 pending');
  expect(await statusOf(w)).toBe('tagged');
  await check.end(end);
  expect(await w.settled(number)).toEqual({ [number]: status });
});

test.each([
  { when: 'when its landing is planned', endsOwnCheck: false },
  { when: 'and a check of Interlock on the same commit has just ended', endsOwnCheck: true },
])('a run that is set back $when does not land', async ({ endsOwnCheck }) => {
  const { w, number, check, says, rest } = await waiting(asRun);
  await using _ = w;
  const disarm = onFailpoint('landing:before_gate', async () => {
    disarm();
    await check.reopen();
    rest(60_000);
    if (endsOwnCheck) await endOwnCheck(w, check.commit);
  });
  await check.end('success');
  await says('1 success', '2 pending');
  expect(await statusOf(w)).toBe('tagged');
  await check.end('success');
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
});

/** The check `robot` is required of each head itself, and `test` of the builds. */
const requiresRobotOfHeads = `${parallel({
  batch: 4,
  more: 'skip_draft_when_up_to_date: false\noverride_required_checks: [test]\n',
})}preconditions:\n  use_github_mergeability: false\n  required_checks: [robot]\n`;

test('a check of a head that is set back when the landing is planned keeps its pull request from landing', async () => {
  const clock = { aheadMs: 0 };
  await using w = await queueWorld({
    configuration: requiresRobotOfHeads,
    clock: () => new Date(Date.now() + clock.aheadMs),
  });
  const robot = robotOf(w);
  const numbers: number[] = [];
  const checks: Reported[] = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    numbers.push(await w.open(name, { [name]: '1\n' }));
    const { data } = await w.person.repos.getBranch({ ...w.place, branch: name });
    const check = await asRun(w, robot, data.commit.sha);
    await check.end('success');
    checks.push(check);
  }
  const disarm = onFailpoint('landing:before_gate', async () => {
    disarm();
    await checks[2]?.reopen();
    clock.aheadMs += 60_000;
  });
  await w.label(...numbers);
  await w.until(
    async () => (await w.rows("select 1 from check_result where name = 'robot' and attempt = 2")).length > 0,
  );
  expect(await w.rows("select 1 from pull_request where status = 'merged'")).toEqual([]);
  await checks[2]?.end('success');
  expect(new Set(Object.values(await w.settled(...numbers)))).toEqual(new Set(['merged']));
});

async function endOwnCheck({ ctx, repository }: QueueWorld, commit: string): Promise<void> {
  const now = ctx.clock();
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await recordServiceCheck(ctx, tx, {
      repositoryId: repository.id,
      commit,
      name: 'interlock/verify',
      attempt: 1,
      outcome: 'success',
      summary: 'The preview was verified.',
      startedAt: now,
      endedAt: now,
    });
  });
}

test('a webhook about the start of a run that arrives after its end changes nothing', async () => {
  const { w, number, check, says, results } = await waiting(asRun, `${requiresRobot}${closed}`);
  await using _ = w;
  await check.end('success');
  await says('1 success');
  const [run] = w.emulator.core.state.checkRuns.filter(({ name }) => name === 'robot');
  const repository = w.emulator.core.state.repositories.find(({ name }) => name === w.place.repo);
  const sender = w.emulator.core.state.accounts.find(({ login }) => login === w.emulator.login);
  if (run === undefined || repository === undefined || sender === undefined) throw new Error('Nothing has run.');
  w.emulator.core.emit({ name: 'check_run', action: 'created', repository, sender, checkRun: run });
  await w.emulator.core.settled();
  await w.service.drain();
  expect(await results()).toEqual(['1 success']);
  await open(w);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
});

test('a run that is set back after the landing changes nothing', async () => {
  const { w, number, check, says } = await waiting(asRun);
  await using _ = w;
  await check.end('success');
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  await check.reopen();
  await recordChecks(w.ctx, { ...w.repository, host: 'github' }, check.commit);
  await says('1 success', '2 pending');
  expect(await statusOf(w)).toBe('merged');
  const repository = await loadRepository(w.ctx, { owner: w.place.owner, name: w.place.repo });
  const [verified] = await verifyRepository(w.ctx, repository);
  expect(verified?.failures).toEqual([]);
  const only = (name: string): boolean => name === 'green_base';
  expect(await compareWithInvariants(w.service.ports, { scope: 'all', only })).toEqual({
    violations: [],
    uncompared: [],
  });
});

/** A green batch that waits for a merge window, and whose App is asked to run its checks again. It has not begun yet. */
async function askedAgain() {
  const given = await waiting(asRun, `${requiresRobot}${closed}`);
  const { w, robot, check, says, rest } = given;
  await check.end('success');
  await says('1 success');
  const run = w.emulator.core.state.checkRuns.find(({ name }) => name === 'robot');
  await robot.checks.rerequestSuite({ ...w.place, check_suite_id: run?.checkSuiteId ?? 0 });
  rest(60_000);
  return given;
}

test('a check whose App is asked to run it again is pending before the App begins', async () => {
  const { w, number, check, says } = await askedAgain();
  await using _ = w;
  await open(w);
  await says('1 success', '2 pending');
  expect(await statusOf(w)).toBe('tagged');
  await check.reopen();
  await check.end('failure');
  expect(await w.settled(number)).toEqual({ [number]: 'blocked' });
  await says('1 success', '2 failure');
});

test('an App that ignores the request for another run does not stop the landing for ever', async () => {
  const { w, number, says, rest } = await askedAgain();
  await using _ = w;
  await open(w);
  await says('1 success', '2 pending');
  rest(10 * 60_000);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
});
