// The production worker is killed with -9 at each step of a landing at GitHub, while Temporal and the server for
// webhooks go on. The next worker finishes the work: one landing, one run of the final gate and one comment for each
// pull request.
import { randomInt, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { connectTemporal } from '../../../src/temporal.ts';
import { startEngine } from '../../support/engine.ts';
import type { EngineSettings } from '../../support/engine-process.ts';
import { testTemporal } from '../../support/temporal.ts';
import { among } from '../../support/tier.ts';
import { parallel } from '../../support/world.ts';
import { git } from '../commits.ts';
import { queueWorld, requiresTest, type QueueWorld } from './queue-world.ts';

const failpoints = [
  'build:after_compose',
  'github:before_push',
  'github:after_push',
  'build:after_branch',
  'github:after_open',
  'build:after_open',
  'github:after_dispatch',
  'gate:after_host',
  'landing:before_gate',
  'landing:after_gate',
  'landing:before_move',
  'landing:after_host',
  'landing:after_conclude',
  'github:after_comment',
  'conclude:after_host',
  'clean_up:after_host',
];

const smoke = `name: Smoke
on: workflow_dispatch
jobs:
  smoke:
    runs-on: ubuntu-latest
    steps:
      - run: 'true'
`;

let connected: ReturnType<typeof connectTemporal>;
let w: QueueWorld;
let worker: EngineSettings;

beforeAll(async () => {
  const temporal = { ...testTemporal(), taskQueue: `test-${randomUUID()}` };
  connected = connectTemporal({ ...temporal, log: pino({ level: process.env['LOG_LEVEL'] ?? 'fatal' }) });
  w = await queueWorld({
    configuration: `${parallel()}${requiresTest}final_gates:\n  - {workflow: smoke.yml, timeout_mins: 5}\n`,
    files: { '.github/workflows/smoke.yml': smoke },
    wake: connected.wake,
    accountId: randomInt(2, 1_000_000_000),
  });
  worker = { ...w.engine, mode: 'temporal', temporal, workflowBundle: inject('workflowBundle') ?? '' };
});
afterAll(async () => {
  await connected.close();
  await w[Symbol.asyncDispose]();
});

async function openWork(): Promise<string | undefined> {
  const [open] = await w.rows<{ n: string }>(
    `select (select count(*) from pull_request where status <> 'merged') + (select count(*) from batch where cleaned_up_at is null)
          + (select count(*) from intent where state in ('planned', 'started')) as n`,
  );
  return open?.n;
}

test.each(among(failpoints, ['landing:after_host']))(
  'if a worker is killed at %s, the next one lands the pull request once',
  { timeout: 300_000 },
  async (failpoint) => {
    const [before] = await w.rows<{ n: number }>('select count(*)::int as n from landing');
    const branch = failpoint.replace(':', '-');
    const number = await w.open(branch, { [branch]: '1\n' });
    await w.label(number);
    await using killed = await startEngine(worker, failpoint);
    expect(await killed.ended).toMatch(/SIGKILL|137/);
    await using next = await startEngine(worker);
    await expect.poll(openWork, { timeout: 120_000 }).toBe('0');
    await next.kill();

    const landed = await w.rows<{ commit: string }>(
      `select l.commit from landing l join landed_member m on m.account_id = l.account_id and m.landing_id = l.id
       join pull_request p on p.account_id = m.account_id and p.id = m.pull_request_id where p.number = $1`,
      [number],
    );
    expect(landed).toHaveLength(1);
    const line = git(await w.clone(), 'log', '--first-parent', '--format=%H', 'origin/main').split('\n');
    // The first commit, and one commit of each landing.
    expect(line).toHaveLength((before?.n ?? 0) + 2);
    expect(line[0]).toBe(landed[0]?.commit);
    const { data: gates } = await w.person.actions.listWorkflowRuns({
      ...w.place,
      workflow_id: 'smoke.yml',
      head_sha: landed[0]?.commit ?? '',
    });
    expect(gates.workflow_runs.map(({ conclusion }) => conclusion)).toEqual(['success']);
    const { data: comments } = await w.person.issues.listComments({ ...w.place, issue_number: number });
    const markers = comments.map(({ body }) => /<!-- interlock:[^ ]+ -->/.exec(body ?? '')?.[0]);
    expect(markers).toEqual([...new Set(markers)]);
    const { data: open } = await w.person.pulls.list({ ...w.place, state: 'open' });
    expect(open).toEqual([]);
    expect(w.emulator.core.mistakes).toEqual([]);
  },
);

test('a stop does not wait until the deletions of a landed build are collected', { timeout: 120_000 }, async () => {
  const number = await w.open('stop', { stop: '1\n' });
  // The merge has another tree than the pull request, so that it needs a build with a branch of its own.
  await w.push('main', { other: '1\n' });
  await w.label(number);
  await using stopped = await startEngine({ ...worker, pushPace: { perMinute: 100, gatherMs: 3_600_000 } });
  await expect
    .poll(
      async () =>
        (
          await w.rows<{ is: boolean }>(
            `select count(*) > 0 as is from batch where state = 'landed' and cleaned_up_at is null
             and not exists (select 1 from intent where state in ('planned', 'started'))`,
          )
        )[0]?.is,
      { timeout: 60_000 },
    )
    .toBe(true);
  await stopped.stop();

  await using next = await startEngine(worker);
  await expect.poll(openWork, { timeout: 60_000 }).toBe('0');
  await next.kill();
  const { data: branches } = await w.person.repos.listBranches(w.place);
  expect(branches.map(({ name }) => name).filter((name) => name.startsWith('mq-bot'))).toEqual([]);
});
