// One statement a second asks for all kinds of due work. The condition of a kind must hold if its work would do
// something. On an idle installation it must not hold, because the work would then cost a statement each second.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openChecks } from '../../src/hosts/local/index.ts';
import { unpositionedEvents } from '../../src/modules/events/index.ts';
import { queuesAreDue } from '../../src/modules/queue/index.ts';
import { webhooksAreDue } from '../../src/modules/webhooks/index.ts';
import { lookForDueWork, type DueWork } from '../../src/platform/due-work.ts';
import { startServer, type TestServer } from '../support/server.ts';

let s: TestServer;
beforeAll(async () => {
  s = await startServer();
});
afterAll(async () => await s.close());

function looking(...works: readonly DueWork[]) {
  const errors: unknown[] = [];
  const loop = lookForDueWork(works, {
    db: s.ports.db,
    clock: s.ports.clock,
    everyMs: 10,
    onError: (error) => errors.push(error),
  });
  loop.start();
  return { errors, stop: async () => await loop.stop() };
}

it('work is done if its condition holds now, and other work is not done', async () => {
  const done: string[] = [];
  const work = (name: string, isDue: string): DueWork => ({ isDue, act: async () => done.push(name) });
  const { stop, errors } = looking(
    work('past', "$1 > timestamptz '2000-01-01'"),
    work('future', "$1 > timestamptz '3000-01-01'"),
    work('unknown', 'null'),
    work('a row', 'exists (select from account)'),
    work('no row', 'exists (select from account where id < 0)'),
  );
  await expect.poll(() => new Set(done).size).toBe(2);
  await stop();
  expect([new Set(done), errors]).toEqual([new Set(['past', 'a row']), []]);
});

it('running work is not started again, and slow or failing work delays no other work', async () => {
  const release = Promise.withResolvers<void>();
  const counts = { slow: 0, failed: 0, quick: 0 };
  const { stop, errors } = looking(
    {
      isDue: 'true',
      async act() {
        counts.slow += 1;
        await release.promise;
      },
    },
    {
      isDue: 'true',
      async act() {
        counts.failed += 1;
        await Promise.reject(new Error('failed'));
      },
    },
    { isDue: 'true', act: async () => void (counts.quick += 1) },
  );
  await expect.poll(() => Math.min(counts.failed, counts.quick)).toBeGreaterThan(2);
  expect(counts.slow).toBe(1);
  let isStopped = false;
  const stopping = stop().then(() => void (isStopped = true));
  await delay(50);
  expect(isStopped).toBe(false);
  release.resolve();
  await stopping;
  expect(String(errors[0])).toBe('Error: failed');
});

const repository = `with r as (insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash)
  values ($1, 'acme', 'shop', 'local', '', '') returning account_id, id)`;
const queue = (columns: string, values: string): string =>
  `${repository} insert into queue (account_id, repository_id, base_branch, ${columns}) select account_id, id, 'main', ${values} from r`;
const plannedQueue = `${repository}, q as (insert into queue (account_id, repository_id, base_branch, planned_version)
  select account_id, id, 'main', 1 from r returning account_id, id, repository_id)`;
const batch = (cleanedUpAt: string): string =>
  `${plannedQueue} insert into batch (account_id, queue_id, repository_id, position, cause, mode, state, parent_commit, base_commit, strategy,
     batch_commit, build_keys_hash, group_message, created_at, ended_at, cleaned_up_at)
   select account_id, id, repository_id, 1, 'new', 'parallel', 'failed', '', '', 'squash', 'group', '', '', now(), now(), ${cleanedUpAt} from q`;
const intent = (state: string, concludedAt: string): string =>
  `${plannedQueue} insert into intent (account_id, queue_id, kind, key, state, planned_at, concluded_at)
   select account_id, id, 'comment', 'c', '${state}', now(), ${concludedAt} from q`;
const check = (state: string): string =>
  `${repository} insert into local_check_run (account_id, repository_id, commit, ref, name, attempt, command, timeout_sec, state, created_at)
   select account_id, id, '', '', 'test', 1, 'true', 60, '${state}', now() from r`;
const delivery = (state: string, leasedUntil: string): string =>
  `with e as (insert into webhook_endpoint (account_id, url, actions, from_position, created_at, updated_at)
     values ($1, 'https://example.test', '{*}', 0, now(), now()) returning account_id, id)
   insert into webhook_delivery (account_id, endpoint_id, message_id, action, lane, body, state, leased_until, created_at)
   select account_id, id, 'm', 'queued', 'l', '', '${state}', ${leasedUntil}, now() from e`;
const positions = (cursor: number, head: number): string =>
  `with c as (insert into webhook_cursor (account_id, position) values ($1, ${cursor}))
   insert into event_head (account_id, position) values ($1, ${head})`;
const event = (position: string): string =>
  `insert into event (account_id, action, at, position) values ($1, 'queued', now(), ${position})`;

it.each<[what: string, condition: string, row: string, isDue: boolean]>([
  ['an event without a position', unpositionedEvents, event('null'), true],
  ['an event with a position', unpositionedEvents, event('1'), false],
  ['a queue behind its plan', queuesAreDue, queue('version, planned_version', '2, 1'), true],
  ['a queue past its deadline', queuesAreDue, queue('planned_version, next_look_at', '1, now()'), true],
  ['a planned queue', queuesAreDue, queue('planned_version, next_look_at', "1, now() + interval '1 hour'"), false],
  ['a batch that is not cleaned up', queuesAreDue, batch('null'), true],
  ['a batch that is cleaned up', queuesAreDue, batch('now()'), false],
  ['a planned intent', queuesAreDue, intent('planned', 'null'), true],
  ['a concluded intent', queuesAreDue, intent('done', 'now()'), false],
  ['a queued check', openChecks, check('queued'), true],
  ['a running check', openChecks, check('running'), true],
  ['a completed check', openChecks, check('completed'), false],
  ['an event that is no delivery yet', webhooksAreDue, positions(1, 2), true],
  ['events that are all deliveries', webhooksAreDue, positions(2, 2), false],
  ['a delivery without an attempt', webhooksAreDue, delivery('pending', 'null'), true],
  ['a delivery of a dead process', webhooksAreDue, delivery('pending', "now() - interval '1 second'"), true],
  ['a delivery that is being sent', webhooksAreDue, delivery('pending', "now() + interval '1 minute'"), false],
  ['a delivered webhook', webhooksAreDue, delivery('succeeded', 'null'), false],
])('%s', async (_, condition, row, isDue) => {
  const client = new pg.Client({ connectionString: s.databaseUrl });
  await client.connect();
  const read = async (): Promise<boolean> => {
    const { rows } = await client.query<{ due: boolean | null }>(
      `select $1::timestamptz, (${condition})::boolean as due`,
      [new Date(Date.now() + 1_000).toISOString()],
    );
    return rows[0]?.due === true;
  };
  // The service works with the same database, and never sees a row of this transaction.
  await client.query('begin');
  expect(await read()).toBe(false);
  await client.query(row, [s.accountId]);
  expect(await read()).toBe(isDue);
  await client.query('rollback');
  await client.end();
});
