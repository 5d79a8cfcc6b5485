// Work that never ends is reported in the log and at /readyz.
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findOverdue } from '../../src/modules/health/index.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seed, sha } from './seed.ts';

let s: TestServer;
let owner: pg.Client;
/** Inserts a row. Foreign keys are not checked. */
const insert = async (table: string, row: Readonly<Record<string, unknown>>): Promise<void> => {
  const columns = Object.keys(row);
  const text = `insert into ${table} (${columns.join(', ')}) values (${columns.map((_, at) => `$${at + 1}`).join(', ')})`;
  await owner.query(text, Object.values(row));
};
const ago = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
const aWhile = 60;

beforeAll(async () => {
  s = await startServer();
  owner = new pg.Client({ connectionString: s.databaseUrl });
  await owner.connect();
  await owner.query("set session_replication_role = 'replica'");
});
afterAll(async () => {
  await owner.end();
  await s.close();
});

it('findOverdue finds work that is older than its own time limit, and leaves out all other work', async () => {
  const { repositoryId, queueId } = await seed(s);
  const account = { account_id: s.accountId };
  expect(await findOverdue(s.ports.db, new Date())).toEqual([]);

  const run = {
    ...account,
    repository_id: repositoryId,
    commit: sha(1),
    ref: '',
    attempt: 1,
    command: 'true',
    timeout_sec: 600,
  };
  const held = { state: 'running', lease_owner: 'elsewhere/1/x', lease_until: ago(-aWhile), created_at: ago(aWhile) };
  await insert('local_check_run', { ...run, ...held, name: 'stuck', started_at: ago(16) });
  await insert('local_check_run', { ...run, ...held, name: 'slow', started_at: ago(14) });

  const landing = { ...account, queue_id: queueId, kind: 'land', state: 'started', planned_at: ago(aWhile) };
  await insert('intent', { ...landing, key: '1', started_at: ago(16) });

  const project = { ...account, name: 'shop', repository_id: repositoryId, created_at: ago(aWhile) };
  await insert('release_project', { ...project, build_timeout_sec: 600 });
  const [{ id: project_id } = { id: '' }] = await s.rows<{ id: string }>('select id from release_project');
  const candidate = {
    ...account,
    project_id,
    release_id: 1,
    number: 1,
    commit: sha(1),
    repository_id: repositoryId,
    status: 'building',
    actor: 'ada',
    next_look_at: ago(-1),
  };
  await insert('release_candidate', { ...candidate, version: 'v1-rc1', created_at: ago(16) });
  await insert('release_candidate', { ...candidate, version: 'v1-rc2', created_at: ago(14) });

  await insert('environment', {
    ...account,
    project_id,
    name: 'production',
    position: 1,
    tier: 'production',
    provider: { kind: 'command', command: 'true', timeoutSec: 900 },
    report_timeout_sec: 600,
    created_at: ago(aWhile),
  });
  const [{ id: environment_id } = { id: '' }] = await s.rows<{ id: string }>('select id from environment');
  const deployment = {
    ...account,
    environment_id,
    candidate_id: 1,
    kind: 'forward',
    status: 'in_progress',
    actor: 'ada',
    created_at: ago(aWhile),
    next_look_at: ago(-1),
  };
  await insert('deployment', { ...deployment, status_at: ago(21) });
  await insert('deployment', { ...deployment, status_at: ago(19) });
  // Its command began after a wait for its code host.
  await insert('deployment', { ...deployment, status_at: ago(21), failing_since: ago(21), call_at: ago(12) });

  const verification = {
    ...account,
    repository_id: repositoryId,
    pull_request_id: 1,
    attempt: 1,
    cause: 'head',
    status: 'driving',
    created_by: 'ada',
    created_at: ago(aWhile),
    next_look_at: ago(-1),
  };
  await insert('verification', { ...verification, head_commit: sha(1), expires_at: ago(6) });
  await insert('verification', { ...verification, head_commit: sha(2), expires_at: ago(4) });
  // It waits for its code host, which has asked to wait.
  const waiting = { ...verification, head_commit: sha(3), status: 'booting', expires_at: ago(aWhile) };
  await insert('verification', { ...waiting, failing_since: ago(aWhile), call_at: ago(-aWhile) });

  const runbook = {
    ...account,
    repository_id: repositoryId,
    title: 'Tea',
    title_given: false,
    draft: false,
    pr_mode: 'manual',
    queue_when_green: false,
    workflow_files: false,
    agent: 'script',
    budget_micros: 0,
    author_email: 'ada@example.org',
    created_by: 'ada',
    target_branch: 'main',
    created_at: ago(aWhile),
  };
  const step = {
    ...account,
    parent_id: 1,
    prompt_ordinal: 1,
    number: '1.1',
    position: 1,
    title: 'Tea',
    instructions: '{}',
  };
  for (const [number, due, supervisedUntil, status] of [
    [1, ago(6), ago(60), 'in_progress'],
    [2, ago(4), ago(60), 'in_progress'],
    [3, ago(6), ago(60), 'failed'],
    // A command waits for room at its worker. A worker renews its lease while its work waits.
    [4, null, ago(-1), 'in_progress'],
    [5, null, ago(5.5), 'in_progress'],
  ] as const) {
    const supervised = { due_at: due, supervised_until: supervisedUntil, next_look_at: ago(-1) };
    await insert('runbook', { ...runbook, ...supervised, number });
    const [{ id } = { id: '' }] = await s.rows<{ id: string }>('select id from runbook where number = $1', [number]);
    await insert('runbook_step', { ...step, runbook_id: id, status });
  }

  const delivery = { ...account, endpoint_id: 1, action: 'opened', lane: '1', body: '{}', created_at: ago(aWhile) };
  await insert('webhook_delivery', { ...delivery, message_id: '1', leased_until: ago(6) });
  await insert('webhook_delivery', { ...delivery, message_id: '2', leased_until: ago(4) });

  const found = await findOverdue(s.ports.db, new Date());
  expect(found.map(({ what, count }) => [what, count])).toEqual([
    ['checks', 1],
    ['landings', 1],
    ['deployments', 1],
    ['builds', 1],
    ['verifications', 1],
    ['runbooks', 2],
    ['webhooks', 1],
  ]);
  const ends = found.map(({ since }) => Math.round((Date.now() - since.getTime()) / 60_000));
  expect(ends).toEqual([6, 6, 6, 6, 6, 6, 6]);
});

it('overdue work is listed at /readyz, which still answers 200', async () => {
  // A process looks for overdue work when it starts, and then every half minute.
  const other = await s.another();
  await expect
    .poll(async () => {
      const answer = await fetch(`${other.url}/readyz`);
      return [answer.status, await answer.json()];
    })
    .toEqual([
      200,
      { status: 'ready', overdue: expect.arrayContaining([{ what: 'checks', count: 1, since: expect.any(String) }]) },
    ]);
});
