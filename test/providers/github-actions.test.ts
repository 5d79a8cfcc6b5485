// Workflows of a repository on the local host, which its runner runs.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseCiFile } from '../../src/hosts/local/ci-file.ts';
import { createCiRunner } from '../../src/hosts/local/index.ts';
import type { CiRunner } from '../../src/hosts/port.ts';
import { ProviderRefused } from '../../src/platform/providers/index.ts';
import type { ProviderReading, ProviderRun } from '../../src/platform/providers/index.ts';
import { findSandbox } from '../../src/platform/sandbox/index.ts';
import { until } from '../hosts/local-world.ts';
import { providerWorld, type ProviderWorld } from './provider-world.ts';

const inputs = ['deployment_id', 'environment', 'release_candidate_version'];
const file = {
  workflows: {
    deploy: { run: 'echo "$INPUT_DEPLOYMENT_ID $INPUT_ENVIRONMENT $INPUT_RELEASE_CANDIDATE_VERSION"', inputs },
    broken: { run: 'echo no route; exit 2', inputs },
    slow: { run: 'sleep 60', inputs },
    undeclared: { run: 'true', inputs: ['environment'] },
  },
};

let w: ProviderWorld;
let runner: CiRunner;
let workDir: string;
let commit: string;
beforeAll(async () => {
  workDir = mkdtempSync(join(tmpdir(), 'interlock-actions-test-'));
  w = await providerWorld(workDir);
  commit = w.local.commit({ branch: 'main', files: { '.service/ci.yml': JSON.stringify(file) } });
  const { sandbox } = await findSandbox({ allowPlain: true });
  if (sandbox === null) throw new Error('There is no sandbox.');
  runner = createCiRunner({
    host: w.local.host,
    sandbox,
    concurrency: 2,
    pollMs: 50,
    workDir,
    onError: (error) => {
      throw error;
    },
  });
  runner.start();
});
afterAll(async () => {
  await runner.stop();
  await w[Symbol.asyncDispose]();
  rmSync(workDir, { recursive: true, force: true });
});

const run = (workflow: string): ProviderRun =>
  w.run({ kind: 'github_actions', workflow }, { commit, key: `deployment-${workflow}` });

async function ended(of: ProviderRun, name: string | null): Promise<ProviderReading> {
  return await until('it has ended', async () => {
    const reading = await w.actions.read(of, name);
    return reading?.state === 'running' ? null : reading;
  });
}

test('a workflow gets its declared inputs, and several triggers with the same key start one run', async () => {
  const name = await w.actions.trigger(run('deploy'));
  expect(await w.actions.trigger(run('deploy'))).toBe(name);
  expect(await ended(run('deploy'), name)).toMatchObject({
    state: 'success',
    message: expect.stringMatching(/^Succeeded after/),
    url: expect.stringContaining(`/checks/${name}/log`),
  });
  const log = await w.local.host.readCheckLog(w.local.repository, name ?? '');
  expect(log?.text).toMatch(/^12 production shop-1\.1-rc2\n/);
});

test('a failed workflow gives the state failure and its last output', async () => {
  const name = await w.actions.trigger(run('broken'));
  expect(await ended(run('broken'), name)).toMatchObject({
    state: 'failure',
    message: expect.stringMatching(/^Exited with code 2 after .*: no route$/),
  });
});

test('canceling stops a workflow, and canceling twice is no error', async () => {
  const name = await w.actions.trigger(run('slow'));
  await until('it runs', async () => {
    const [row] = await w.local.sql<{ state: string }>('select state from local_check_run where id = $1', [name]);
    return row?.state === 'running';
  });
  await w.actions.cancel(run('slow'), name);
  await w.actions.cancel(run('slow'), name);
  expect(await ended(run('slow'), name)).toMatchObject({ state: 'canceled' });
});

test('if the host refuses a workflow, the refusal is final, and its message says what to do', async () => {
  const refusal = async (workflow: string): Promise<unknown> =>
    await w.actions.trigger(run(workflow)).catch((error: unknown) => error);
  expect(await refusal('nightly')).toBeInstanceOf(ProviderRefused);
  expect(String(await refusal('nightly'))).toContain('has no workflow "nightly"');
  expect(await refusal('undeclared')).toBeInstanceOf(ProviderRefused);
  expect(String(await refusal('undeclared'))).toContain(
    'Unexpected inputs provided: deployment_id, release_candidate_version. Declare them under workflows -> undeclared -> inputs',
  );
});

test('an unknown run is gone; a run without a name cannot be read or canceled', async () => {
  expect(await w.actions.read(run('deploy'), '999999')).toMatchObject({ state: 'gone' });
  expect(await w.actions.read(run('deploy'), null)).toBeNull();
  await expect(w.actions.cancel(run('deploy'), null)).rejects.toThrow('never reported the name of the run');
});

test.each([
  ['{run: x, inputs: [a, b-c]}', null],
  ['{run: x, inputs: a}', /workflows -> w -> inputs: must list at most 25/],
  ['{run: x, inputs: [a b]}', /workflows -> w -> inputs/],
  ['{run: x, inputs: [a-b, A_B]}', /workflows -> w -> inputs/],
  ['{run: x, with: [a]}', /workflows -> w -> with: unknown key; known are run, timeout and inputs/],
])('inputs of a workflow are a list of valid names: %s', (text, message) => {
  const parsed = parseCiFile(`workflows: {w: ${text}}`);
  expect(parsed.kind === 'broken' ? parsed.reasons.join('\n') : null).toEqual(
    message === null ? null : expect.stringMatching(message),
  );
});

test('a check cannot have inputs', () => {
  expect(parseCiFile('checks: {c: {run: x, inputs: [a]}}')).toMatchObject({
    kind: 'broken',
    reasons: ['checks -> c -> inputs: unknown key; known are run and timeout'],
  });
});
