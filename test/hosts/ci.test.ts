import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCiRunner } from '../../src/hosts/local/index.ts';
import { parseCiFile } from '../../src/hosts/local/ci-file.ts';
import type { CiRunner, HostCheck, HostRepository } from '../../src/hosts/port.ts';
import { defaultRunBounds } from '../../src/domain/runs/bounds.ts';
import { findSandbox, type Sandbox } from '../../src/platform/sandbox/index.ts';
import { cpuMsSince } from '../support/cpu.ts';
import { commit } from './commits.ts';
import { anyChecks, localWorld, type LocalWorld, until } from './local-world.ts';

let world: LocalWorld;
let sandbox: Sandbox;
let workDir: string;
let runners: CiRunner[];
let errors: unknown[];

beforeEach(async () => {
  world = await localWorld();
  const found = await findSandbox({ allowPlain: true });
  if (found.sandbox === null) throw new Error(found.sentence);
  sandbox = found.sandbox;
  workDir = mkdtempSync(join(tmpdir(), 'interlock-ci-test-'));
  runners = [];
  errors = [];
});
afterEach(async () => {
  for (const runner of runners) await runner.stop();
  await world.close();
  rmSync(workDir, { recursive: true, force: true });
  if (errors.length > 0) throw new AggregateError(errors, 'A runner met with trouble');
});

function startRunner(changes: Partial<Parameters<typeof createCiRunner>[0]> = {}): CiRunner {
  const runner = createCiRunner({
    host: world.host,
    sandbox,
    concurrency: 2,
    pollMs: 50,
    workDir,
    onError: (error) => errors.push(error),
    ...changes,
  });
  runners.push(runner);
  runner.start();
  return runner;
}
const ciFile = (checks: Record<string, string>, timeout?: string): string =>
  JSON.stringify({
    checks: Object.fromEntries(
      Object.entries(checks).map(([name, run]) => [name, timeout === undefined ? { run } : { run, timeout }]),
    ),
  });

/** Makes a commit with these checks as the head of a pull request, or, with `branch`, as the new tip of this branch. */
async function submit(
  checks: Record<string, string> | string,
  options: { branch?: string; timeout?: string; repository?: HostRepository } = {},
): Promise<string> {
  const repository = options.repository ?? world.repository;
  const directory = world.host.installation.directoryOf(repository);
  const text = typeof checks === 'string' ? checks : ciFile(checks, options.timeout);
  const main = await world.host.readRef(repository, 'refs/heads/main');
  const base = main?.commit ?? commit(directory, { branch: 'main', files: { 'a.txt': 'a\n' } });
  const branch = options.branch ?? 'topic';
  const head = commit(directory, {
    branch: 'mq-tmp-work',
    from: base,
    files: { '.service/ci.yml': text, 'branch.txt': branch },
  });
  await world.host.updateRefs(repository, [{ ref: `refs/heads/${branch}`, from: null, to: head }]);
  if (!branch.startsWith('mq-'))
    await world.host.openPullRequest(repository, {
      title: branch,
      body: '',
      author: 'ada',
      headBranch: branch,
      baseBranch: 'main',
      draft: false,
    });
  return head;
}
const checksOf = async (head: string, repository = world.repository): Promise<readonly HostCheck[]> =>
  (await world.host.readChecks(repository, head, anyChecks)).checks;
const finished = async (head: string, repository = world.repository): Promise<readonly HostCheck[]> =>
  await until('all checks have ended', async () => {
    const checks = await checksOf(head, repository);
    return checks.length > 0 && checks.every(({ conclusion }) => conclusion !== 'pending') ? checks : null;
  });
async function logOf(check: HostCheck | undefined): Promise<string> {
  const id = /\/checks\/(\d+)\/log$/.exec(check?.url ?? '')?.[1] ?? '';
  return (await world.host.readCheckLog(world.repository, id))?.text ?? '';
}

describe('the CI file', () => {
  test('names checks with commands and time limits', () => {
    expect(
      parseCiFile(
        'checks:\n  test: {run: npm test, timeout: 10m}\n  lint: {run: npm run lint}\n  slow: {run: x, timeout: 90}\n',
      ),
    ).toEqual({
      kind: 'checks',
      checks: [
        { name: 'test', run: 'npm test', timeoutSec: 600 },
        { name: 'lint', run: 'npm run lint', timeoutSec: 600 },
        { name: 'slow', run: 'x', timeoutSec: 90 },
      ],
      workflows: [],
    });
    expect(parseCiFile(null)).toEqual({ kind: 'checks', checks: [], workflows: [] });
  });

  test.each([
    ['checks: [', /flow (sequence|collection)/i],
    ['- a', /must be a mapping with the keys checks and workflows/],
    ['jobs: {}', /jobs: unknown key/],
    ['checks: {a: x}', /checks -> a: must be a mapping \{run, timeout\}/],
    ['checks: {interlock/verify: {run: x}}', /checks -> interlock\/verify: .*reserved for the service/],
    ['checks: {a: {run: x, image: y}}', /checks -> a -> image: unknown key/],
    ['checks: {a: {timeout: 5}}', /checks -> a -> run: must be a shell command/],
    ['checks: {a: {run: x, timeout: 7h}}', /checks -> a -> timeout/],
    ['checks: {a: {run: x, timeout: -1}}', /checks -> a -> timeout/],
    ['checks: {a: {run: x}, a: {run: y}}', /unique at line 1, column 23/],
    ['checks: {a: &x {run: x}, b: *x}', /aliases/],
    ['checks: {"a\\x9bb": {run: x}}', /^checks -> a b: a name has 1 to 100 printable characters$/],
    ['"a\\e[2J": x', /: a \[2J: unknown key/],
  ])('is refused with the place of the mistake: %s', (text, message) => {
    const file = parseCiFile(text);
    expect(file.kind === 'broken' ? file.reasons.join('\n') : 'accepted').toMatch(message);
  });

  test('of thousands of keys is refused at once', () => {
    const before = process.cpuUsage();
    const keys = Array.from({ length: 8_000 }, (_, n) => `k${n}: 1\n`).join('');
    expect(parseCiFile(keys)).toMatchObject({ kind: 'broken' });
    expect(cpuMsSince(before)).toBeLessThan(1_500);
  });
});

describe('what is checked', () => {
  test('the heads of pull requests, bot branches and, last, the default branch are checked, and no other branches', async () => {
    const head = await submit({ test: 'true' });
    const bot = await submit({ test: 'true', more: 'true' }, { branch: 'mq-bot-1' });
    const free = commit(world.directory, { branch: 'aside', from: head, files: { x: 'x' } });
    await world.host.updateRefs(world.repository, [
      { ref: 'refs/heads/free', from: null, to: free },
      { ref: 'refs/heads/mq-tmp-2', from: null, to: free },
    ]);
    const main = await world.host.readRef(world.repository, 'refs/heads/main');
    const onMain = commit(world.directory, {
      branch: 'onward',
      from: main?.commit ?? '',
      files: { '.service/ci.yml': ciFile({ test: 'true' }) },
    });
    await world.host.updateRefs(world.repository, [{ ref: 'refs/heads/main', from: main?.commit ?? '', to: onMain }]);
    const rows = await world.sql<{ commit: string; name: string; priority: number }>(
      'select commit, name, priority from local_check_run order by priority desc, name desc',
    );
    expect(rows).toEqual([
      { commit: bot, name: 'test', priority: 2 },
      { commit: bot, name: 'more', priority: 2 },
      { commit: head, name: 'test', priority: 1 },
      { commit: onMain, name: 'test', priority: 0 },
    ]);
    expect(await world.host.readChecks(world.repository, free, anyChecks)).toMatchObject({
      complete: false,
      checks: [],
    });
    expect(await world.host.readBaseRules(world.repository, 'main')).toMatchObject({ requiredChecks: ['test'] });
  });

  test('pull requests with the same head share its runs', async () => {
    const head = await submit({ test: 'true' });
    await world.host.updateRefs(world.repository, [
      { ref: 'refs/heads/twin', from: null, to: head },
      { ref: 'refs/heads/mq-bot-9', from: null, to: head },
    ]);
    await world.host.openPullRequest(world.repository, {
      title: 'twin',
      body: '',
      author: 'ada',
      headBranch: 'twin',
      baseBranch: 'main',
      draft: false,
    });
    expect(await world.sql('select priority::int as priority from local_check_run')).toEqual([{ priority: 2 }]);
  });

  test('a commit without the file has a complete list without checks', async () => {
    const head = await submit({ gone: 'true' }, { branch: 'mq-bot-1' });
    const bare = commit(world.directory, { branch: 'aside', from: head, files: { '.service/ci.yml': null } });
    await world.host.updateRefs(world.repository, [{ ref: 'refs/heads/mq-bot-2', from: null, to: bare }]);
    expect(await world.host.readChecks(world.repository, bare, anyChecks)).toEqual({
      commit: bare,
      complete: true,
      settlesAt: null,
      canceled: false,
      checks: [],
    });
  });

  test('a broken file is a failed check with the reason', async () => {
    const head = await submit('checks: {test: {run: ""}}');
    expect(await world.host.readChecks(world.repository, head, anyChecks)).toMatchObject({
      complete: true,
      checks: [{ name: 'ci', conclusion: 'failure', summary: 'checks -> test -> run: must be a shell command' }],
    });
    expect(await world.host.readBaseRules(world.repository, 'topic')).toMatchObject({ requiredChecks: [] });
  });

  test('a file with a name that the database cannot store is a failed check with the reason', async () => {
    const head = await submit('checks: {"a\\0b": {run: ""}}');
    expect(await world.host.readChecks(world.repository, head, anyChecks)).toMatchObject({
      complete: true,
      checks: [{ conclusion: 'failure', summary: 'checks -> a b: a name has 1 to 100 printable characters' }],
    });
  });

  test('if a process is killed before it queues a check, the reconciler queues the check', async () => {
    const head = await submit({ test: 'true' });
    await world.sql('delete from local_check_run');
    expect(await world.host.readChecks(world.repository, head, anyChecks)).toMatchObject({
      complete: false,
      checks: [],
    });
    await world.host.reconcile(world.repository);
    expect(await world.host.readChecks(world.repository, head, anyChecks)).toMatchObject({
      complete: true,
      checks: [{ name: 'test', conclusion: 'pending' }],
    });
  });
});

describe('running', () => {
  test('a check ends as success or failure, with logs, times and the exit code', async () => {
    const head = await submit({
      good: 'cat branch.txt; git log --oneline | wc -l',
      bad: 'echo first; echo what went wrong >&2; exit 3',
    });
    startRunner();
    const [bad, good] = await finished(head);
    expect(good).toMatchObject({ name: 'good', attempt: 1, conclusion: 'success' });
    expect(bad).toMatchObject({
      name: 'bad',
      conclusion: 'failure',
      summary: expect.stringMatching(/^Exited with code 3 after \d+\.\d s: what went wrong$/),
    });
    expect(bad?.completedAt).toBeGreaterThanOrEqual(bad?.startedAt ?? Number.NaN);
    expect(await logOf(good)).toMatch(/^topic2\n\n\[interlock\] Succeeded/);
    expect(await logOf(bad)).toMatch(/^first\nwhat went wrong\n/);
    expect(world.events).toContainEqual({ kind: 'checks', repository: world.repository, commit: head });
    await until('checkouts are removed', async () => readdirSync(workDir).length === 0);
  });

  test('a check sees its commit, but not the data folder, secrets or the path of the repository', async () => {
    process.env['DATABASE_PASSWORD'] = 'sesame';
    const look = [
      'echo "$INTERLOCK_COMMIT $INTERLOCK_CHECK $INTERLOCK_REPOSITORY $CI"',
      'env',
      `ls ${world.dataDir} || echo no data folder`,
      `cat ${world.dataDir}/git/gitconfig || echo no configuration`,
      `grep -r "${world.dataDir}" .git || echo no trace`,
      'git status --porcelain',
      'test "$(git rev-parse HEAD)" = "$INTERLOCK_COMMIT"',
    ].join('\n');
    const head = await submit({ look });
    startRunner();
    const [check] = await finished(head);
    delete process.env['DATABASE_PASSWORD'];
    const log = await logOf(check);
    expect(check?.conclusion).toBe('success');
    expect(log).toContain(`${head} look acme/shop true\n`);
    expect(log).not.toContain('sesame');
    expect(log).toContain('no trace');
    expect(sandbox.kind === 'plain' || /no data folder[\s\S]*no configuration/.test(log)).toBe(true);
  });

  test('a check that takes too long is stopped', async () => {
    const head = await submit({ slow: 'echo started; sleep 60' }, { timeout: '1s' });
    startRunner();
    expect(await finished(head)).toMatchObject([
      { conclusion: 'timed_out', summary: 'Stopped after its time limit of 1 s' },
    ]);
  });

  test('the beginning and the end of too much output are kept, with a note about the rest', async () => {
    const head = await submit({ loud: 'echo the beginning; yes 0123456789 | head -c 300000; echo the end' });
    startRunner({ keptOutput: { beginningBytes: 8_000, endBytes: 2_000 } });
    const [check] = await finished(head);
    const log = await logOf(check);
    expect(check?.conclusion).toBe('success');
    expect(log.length).toBeLessThan(10_400);
    expect(log).toMatch(/^the beginning\n/);
    expect(log).toContain('[interlock] 290022 bytes are left out here.');
    expect(log).toContain('the end\n');
  });

  test('a rerun is a new attempt, and only for checks that have ended', async () => {
    const head = await submit({ flaky: 'exit 1' });
    startRunner();
    await finished(head);
    await world.host.rerunChecks(world.repository, head, ['flaky', 'unknown']);
    expect(
      await until('the second attempt has ended', async () =>
        (await checksOf(head)).find(({ attempt, conclusion }) => attempt === 2 && conclusion !== 'pending'),
      ),
    ).toMatchObject({ name: 'flaky', conclusion: 'failure' });
    expect(await checksOf(head)).toHaveLength(1);
  });

  test('a workflow runs if it is started by name, once for each key, and is not a check of its commit', async () => {
    const file = {
      checks: { one: { run: 'true' } },
      workflows: { one: { run: 'echo asked' }, slow: { run: 'sleep 60' } },
    };
    const head = await submit(JSON.stringify(file));
    const ask = async (workflow: string, key: string): Promise<string> =>
      await world.host.dispatchWorkflow(world.repository, { workflow, commit: head, key, branch: null });
    const run = await ask('one', 'gate-1');
    expect(await ask('one', 'gate-1')).toBe(run);
    expect(await ask('one', 'gate-2')).not.toBe(run);
    await expect(ask('two', 'gate-3')).rejects.toThrow('has no workflow "two"');
    const waiting = await ask('slow', 'gate-4');
    await world.host.cancelChecks(world.repository, head);
    await world.host.cancelWorkflowRun(world.repository, waiting);
    await world.host.rerunChecks(world.repository, head, ['one', 'slow']);
    startRunner();
    await until('the workflow has ended', async () => {
      const seen = await world.host.readWorkflowRun(world.repository, run);
      return seen?.conclusion === 'success' ? seen : undefined;
    });
    expect(await world.host.readWorkflowRun(world.repository, waiting)).toMatchObject({ conclusion: 'cancelled' });
    expect(await world.host.readWorkflowRun(world.repository, '999999')).toBeNull();
    await finished(head);
    expect((await checksOf(head)).map(({ name, attempt }) => [name, attempt])).toEqual([['one', 2]]);
  });

  test('canceling stops running and waiting checks, which start again when a branch comes back to the commit', async () => {
    const head = await submit({ one: 'echo started; sleep 60', two: 'sleep 60' }, { branch: 'mq-bot-1' });
    startRunner({ concurrency: 1 });
    await until('one runs', async () => (await checksOf(head)).some(({ startedAt }) => startedAt !== null));
    await world.host.cancelChecks(world.repository, head);
    await finished(head);
    expect(await world.host.readChecks(world.repository, head, anyChecks)).toMatchObject({
      canceled: true,
      checks: [{ conclusion: 'cancelled' }, { conclusion: 'cancelled' }],
    });
    await world.host.reconcile(world.repository);
    expect((await world.host.readChecks(world.repository, head, anyChecks)).canceled).toBe(true);
    await world.host.updateRefs(world.repository, [{ ref: 'refs/heads/mq-bot-2', from: null, to: head }]);
    expect(await world.host.readChecks(world.repository, head, anyChecks)).toMatchObject({
      canceled: false,
      checks: [{ attempt: 2 }, { attempt: 2 }],
    });
  });

  test('canceling in one process stops a check in another process', async () => {
    const head = await submit({ one: 'sleep 60' });
    startRunner();
    await until('it runs', async () => (await checksOf(head)).some(({ startedAt }) => startedAt !== null));
    await world.secondHost().cancelChecks(world.repository, head);
    expect(await finished(head)).toMatchObject([{ conclusion: 'cancelled' }]);
  });

  test('a check that fills the disk is stopped, and its summary says why', async () => {
    const bounds = { ...defaultRunBounds, bytes: 20_000_000 };
    const bounded = await findSandbox({ allowPlain: true, bounds });
    startRunner({ sandbox: bounded.sandbox ?? sandbox });
    const head = await submit({
      fill: 'i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero > "$TMPDIR/$i"; done',
    });
    expect(await finished(head)).toMatchObject([
      {
        conclusion: 'failure',
        summary: expect.stringMatching(/^Stopped after .* its files take more than 20 MB together$/),
      },
    ]);
  });

  test('a check of a commit whose files are larger than the bound of a run fails, and its summary says why', async () => {
    const bounded = await findSandbox({ allowPlain: true, bounds: { ...defaultRunBounds, bytes: 1_000 } });
    startRunner({ sandbox: bounded.sandbox ?? sandbox });
    const head = await submit({ test: `true # ${'x'.repeat(2_000)}` });
    const summary = new RegExp(
      `^Stopped after .* Commit ${head.slice(0, 7)} is not checked out: its files take more than`,
    );
    expect(await finished(head)).toMatchObject([{ conclusion: 'failure', summary: expect.stringMatching(summary) }]);
  });

  test('if the sandbox fails, the check ends as error, and is run once more as a new attempt', async () => {
    const head = await submit({ test: 'true' });
    let calls = 0;
    startRunner({
      sandbox: {
        kind: 'plain',
        bounds: defaultRunBounds,
        node: process.execPath,
        run: async () =>
          await Promise.resolve(calls++ < 1 ? { kind: 'failed', reason: 'no space' } : { kind: 'exited', code: 0 }),
      },
    });
    expect(
      await until('the second attempt has ended', async () =>
        (await finished(head)).find(({ attempt }) => attempt === 2),
      ),
    ).toMatchObject({ conclusion: 'success' });
    const again = await submit({ test: 'true' }, { branch: 'mq-bot-5' });
    calls = -1000;
    expect(
      await until('it is given up', async () => (await finished(again)).find(({ attempt }) => attempt === 2)),
    ).toMatchObject({ conclusion: 'error', summary: 'The check could not be run: no space' });
  });
});

describe('several accounts', () => {
  test('an account does not wait for the long queue of another account, and bot branches go first', async () => {
    const other = await world.neighbour();
    for (const name of ['a', 'b', 'c']) await submit({ test: 'true' }, { branch: name });
    await submit({ test: 'true' }, { branch: 'mq-bot-1' });
    await submit({ test: 'true' }, { branch: 'theirs', repository: other });
    const order: string[] = [];
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    startRunner({
      concurrency: 2,
      sandbox: {
        kind: 'plain',
        bounds: defaultRunBounds,
        node: process.execPath,
        run: async ({ env }) => {
          order.push(env['INTERLOCK_REF'] ?? '');
          await held;
          return { kind: 'exited', code: 0 };
        },
      },
    });
    await until('two run', async () => order.length === 2);
    expect(order.sort()).toEqual(['refs/heads/mq-bot-1', 'refs/heads/theirs']);
    release();
    await until('all have run', async () => order.length === 5);
  });

  test("the log of another account's check does not exist", async () => {
    const other = await world.neighbour();
    const head = await submit({ test: 'echo private' });
    startRunner();
    const id = /\/checks\/(\d+)\/log$/.exec((await finished(head))[0]?.url ?? '')?.[1] ?? '';
    expect(await world.host.readCheckLog(other, id)).toBeNull();
    expect(await world.host.readCheckLog(world.repository, '../1')).toBeNull();
    expect((await world.host.readCheckLog(world.repository, id))?.text).toContain('private');
  });
});

describe('runners that end', () => {
  test('a runner that stops gives back its checks', async () => {
    const head = await submit({ test: 'sleep 60' });
    const runner = startRunner();
    await until('it runs', async () => (await checksOf(head)).some(({ startedAt }) => startedAt !== null));
    await runner.stop();
    expect(await world.sql('select state, lease_owner from local_check_run')).toEqual([
      { state: 'queued', lease_owner: null },
    ]);
  });

  test('a check that is canceled while its runner stops ends as canceled, and does not run again', async () => {
    const head = await submit({ test: 'sleep 60' });
    let isRunning = false;
    const runner = startRunner({
      sandbox: {
        kind: 'plain',
        bounds: defaultRunBounds,
        node: process.execPath,
        run: async ({ signal = AbortSignal.abort() }) => {
          isRunning = true;
          await once(signal, 'abort');
          await world.host.cancelChecks(world.repository, head);
          return { kind: 'canceled' };
        },
      },
    });
    await until('it runs', async () => isRunning);
    await runner.stop();
    startRunner();
    expect(await finished(head)).toMatchObject([{ attempt: 1, conclusion: 'cancelled', summary: 'Canceled' }]);
  });

  test('a killed runner loses its lease at once on the same machine, and another runner runs the check to its end', async () => {
    const head = await submit({ test: 'true' });
    const killed = fork('-e', ['setInterval(() => {}, 1000)'], { execArgv: [], stdio: 'ignore' });
    killed.kill('SIGKILL');
    await new Promise((resolve) => killed.once('exit', resolve));
    const { machineName } = await import('../../src/platform/process.ts');
    await world.sql(
      `update local_check_run set state = 'running', started_at = now(), lease_owner = $1, lease_until = now() + interval '1 hour'`,
      [`${machineName()}/${killed.pid}/x`],
    );
    startRunner();
    expect(await finished(head)).toMatchObject([{ attempt: 1, conclusion: 'success' }]);
  });

  test('an expired lease of another machine is taken over, and a check that was to be canceled ends', async () => {
    const head = await submit({ one: 'true', two: 'true' });
    await world.sql(
      `update local_check_run set state = 'running', lease_owner = 'elsewhere/1/x', lease_until = now() - interval '1 second', cancel_requested = name = 'two'`,
    );
    startRunner();
    expect(await finished(head)).toMatchObject([
      { name: 'one', conclusion: 'success' },
      { name: 'two', conclusion: 'cancelled' },
    ]);
  });

  test('a runner that lost its lease does not overwrite the new result', async () => {
    const head = await submit({ test: 'sleep 60' });
    startRunner();
    await until('it runs', async () => (await checksOf(head)).some(({ startedAt }) => startedAt !== null));
    await world.sql(
      `update local_check_run set lease_owner = 'elsewhere/1/x', lease_until = now() + interval '1 hour'`,
    );
    await until('its checkout is removed', async () => existsSync(workDir) && readdirSync(workDir).length === 0);
    expect(await world.sql('select state, lease_owner from local_check_run')).toEqual([
      { state: 'running', lease_owner: 'elsewhere/1/x' },
    ]);
  });
});
