// The invariants of an installation. All of them hold where pull requests have landed, waited and failed.
// Each case plants a violation in the rows or in git, and the comparison must find it.
import { rename } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  findingsText,
  invariantNames,
  type Findings,
  type InvariantName,
  type Violation,
} from '../../src/domain/health/invariants.ts';
import { judgeInvariants } from '../../src/domain/health/parts.ts';
import { sequenceEvents } from '../../src/modules/events/index.ts';
import { findHeldQueues } from '../../src/modules/health/invariants/judged.ts';
import { compareWithInvariants, watchInvariants } from '../../src/modules/health/index.ts';
import type { SystemQueries } from '../../src/platform/database.ts';
import { advanceQueue, haltQueue, resumeQueue, syncBase, verifyRepository } from '../../src/modules/queue/index.ts';
import { loadRepository } from '../../src/modules/repositories/index.ts';
import { toHostedRepository } from '../../src/hosts/port.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { parallel, world, type World } from '../support/world.ts';
import { readPage } from '../docs/pages.ts';
import { hurry } from './stories.ts';

let w: World;
let owner: pg.Client;
const hour = 3_600_000;
beforeAll(async () => {
  // Two pull requests land, the third fails, and the last two wait behind a pause.
  w = await world({ configuration: parallel({ builds: 3, batch: 1 }) });
  const numbers: number[] = [];
  for (const name of ['one', 'two', 'bad', 'four', 'five']) numbers.push(await w.open(name, { [name]: `${name}\n` }));
  await w.queue(1, 2, 3);
  await w.settled(1, 2, 3);
  await w.pause(true);
  await w.queue(4, 5);
  await w.loop.run(w.service.ports);
  // Gives events their positions now, because a late position on a slow machine would be a violation too.
  await sequenceEvents(w.service.ports.db);
  owner = new pg.Client({ connectionString: w.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await w[Symbol.asyncDispose]();
});

type ComparedPorts = Pick<World['service']['ports'], 'db' | 'clock' | 'hosts'>;

async function compare(ports: ComparedPorts = w.service.ports): Promise<Findings> {
  return await compareWithInvariants(ports, { scope: 'all' });
}

/** Everything that the comparison finds. A case that plants no failure must be compared completely. */
async function find(ports?: ComparedPorts): Promise<readonly Violation[]> {
  const { violations, uncompared } = await compare(ports);
  return [...violations, ...uncompared];
}

type Query = World['service']['ports']['db']['system']['query'];

/** Returns the violations that are found in a transaction with these changes. The transaction is rolled back. */
async function findPlanted(changes: readonly string[], inMs = 0): Promise<readonly Violation[]> {
  const { db, hosts } = w.service.ports;
  const clock = (): Date => new Date(Date.now() + inMs);
  return await withPlanted(
    changes,
    async (query) => await find({ db: { ...db, system: { ...db.system, query } }, hosts, clock }),
  );
}

/** Reads in a transaction with these changes. The transaction is rolled back. */
async function withPlanted<Read>(changes: readonly string[], read: (query: Query) => Promise<Read>): Promise<Read> {
  await owner.query('begin');
  try {
    // Turns foreign keys off, because the planted rows may refer to rows that do not exist.
    await owner.query("set local session_replication_role = 'replica'");
    for (const text of changes) await owner.query(text);
    await owner.query('set local role interlock_system');
    const query = async <Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> =>
      (await owner.query(text, values && [...values])).rows as Row[];
    return await read(query);
  } finally {
    await owner.query('rollback');
  }
}

const newest = (table: string): string => `id = (select max(id) from ${table})`;
const account = '(select min(id) from account)';
const repository = '(select min(id) from repository)';
const settled = 'update queue set planned_version = version';
const resumed = 'update repository set paused = false';
const replacedPause = (since: string, until: string): string =>
  `insert into branch_pause_past (account_id, id, repository_id, pattern, paused, created_at, replaced_at)
   values (${account}, 1, ${repository}, 'ma*', true, ${since}, ${until})`;
const environments = `insert into environment (account_id, project_id, name, position, tier, provider, created_at)
  values (${account}, 1, 'production', 1, 'production', '{}', now())`;
const deployment = (columns: string, values: string): string =>
  `insert into deployment (account_id, environment_id, candidate_id, kind, status, actor, created_at, status_at${columns})
   values (${account}, (select max(id) from environment), 1, ${values})`;

const planted: readonly (readonly [string, string, readonly string[], string, number])[] = (
  [
    [
      'green_base',
      'a red result in a proof',
      [
        `update proof set body = jsonb_set(body, '{evidence,0,checks,0,conclusion}', '"failure"') where ${newest('proof')}`,
      ],
      'not green',
    ],
    [
      'green_base',
      'results for another tree',
      [`update proof set body = jsonb_set(body, '{evidence,0,tree}', '"${'a'.repeat(40)}"') where ${newest('proof')}`],
      'for another tree',
    ],
    [
      'green_base',
      'a result that was changed after the landing',
      [
        `update check_result set conclusion = 'failure' where commit = (select body #>> '{evidence,0,commit}' from proof where ${newest('proof')})`,
      ],
      'not on record',
    ],
    ['green_base', 'a landing without a proof', [`delete from proof where ${newest('proof')}`], 'without a proof'],
    [
      'landed_tree',
      'a landing with another tree',
      [`update landing set tree = 'x' where ${newest('landing')}`],
      'names a commit, tree or parent',
    ],
    [
      'landed_once',
      'a landing that was lost',
      [`delete from landed_member where landing_id = (select max(id) from landing)`],
      'but has 0 landings',
    ],
    ['landed_once', 'a landed batch without a landing', [batchRow('state', `'landed'`)], 'has no landing'],
    [
      'pinned_heads',
      'a landing of another head than the pinned head',
      [`update landed_member set pinned_head = 'x' where landing_id = (select max(id) from landing)`],
      'its batch had pinned',
    ],
    [
      'line_order',
      'batches that contradict the order of the line',
      [settled, `update pull_request set rank = 1000 - rank where rank is not null`, ...lineOfTwo()],
      'is behind #',
    ],
    [
      'bounded_builds',
      'four builds where three are allowed',
      [...fourBuilds(true), `update queue set planned_version = version - 1`],
      '4 builds of',
    ],
    [
      'bounded_builds',
      'four builds whose checks are all known and run, where three are allowed',
      [...fourBuilds(true), ...checksOfFour('test', 'pending')],
      '4 builds of',
    ],
    [
      'absolute_pause',
      'a landing that started while the repository was paused',
      [
        `update intent set started_at = now() + interval '1 minute' where kind = 'land' and ${newest("intent where kind = 'land'")}`,
      ],
      'the repository had been paused',
    ],
    [
      'absolute_pause',
      'a landing that started while its branch was paused',
      [
        `insert into branch_pause (account_id, repository_id, pattern, paused, created_at) values (${account}, ${repository}, 'ma*', true, now() - interval '1 day')`,
      ],
      'while main was paused',
    ],
    [
      'absolute_pause',
      'a landing that started under a rule that has been replaced since',
      [replacedPause(`now() - interval '1 day'`, `now() + interval '1 minute'`)],
      'while main was paused',
    ],
    [
      'absolute_pause',
      'a landing that started while the repository was paused, although the event of the pause is deleted',
      [`delete from event where action = 'repository_paused'`],
      'the repository had been paused.',
    ],
    [
      'absolute_pause',
      'a landing that started during a pause that has ended, although the event of its begin is deleted',
      [
        resumed,
        `update event set action = 'repository_unpaused', at = now() + interval '1 minute' where action = 'repository_paused'`,
      ],
      'the repository had been paused.',
    ],
    [
      'blamed_culprits',
      'a pull request that is blocked by a check that succeeded',
      [`update check_result set conclusion = 'success', end_heard_at = now() - interval '1 day'`],
      'which succeeded',
    ],
    [
      'terminal_states',
      'an ended batch without an end',
      [`update batch set ended_at = null where ${newest('batch where ended_at is not null')}`],
      'has no end time',
    ],
    [
      'terminal_states',
      'a merged pull request that was never merged',
      [`update pull_request set merged_at = null where number = 1`],
      'has no time of a merge',
    ],
    [
      'terminal_states',
      'a done intent without an end',
      [`update intent set concluded_at = null where ${newest("intent where state = 'done'")}`],
      'has no end time',
    ],
    [
      'clean_dequeue',
      'a batch with a pull request that left the line',
      [settled, ...lineOfTwo(), `update pull_request set status = 'open', rank = null where number = 4`],
      'contains #4, which is open',
    ],
    [
      'exact_depth',
      'a queue that counts a pull request which is not in line',
      ['update queue set waiting = waiting + 1'],
      'counts 3 queued and 0 tagged pull requests, but has 2 and 0',
    ],
    [
      'event_grammar',
      'a pull request that is merged twice',
      [
        `insert into event (account_id, repository_id, queue_id, pull_request_id, action, payload, at, position)
       select account_id, repository_id, queue_id, pull_request_id, action, payload, at, position + 100000 from event where action = 'merged'`,
      ],
      'merged after merged',
    ],
    [
      'authorised_skips',
      'a landing without validation that nobody asked for',
      [`update landing set grade = 'unvalidated' where ${newest('landing')}`],
      'no user is recorded',
    ],
    [
      'authorised_skips',
      'a skip that nobody asked for',
      [
        `update pull_request set skip_validation = true, requested_by = null, merge_requested_by = null where number = 4`,
      ],
      'no user is recorded',
    ],
    [
      'separate_tenants',
      'a table without its guard',
      [`alter table landing disable row level security`],
      'The table landing',
    ],
    [
      'separate_tenants',
      'a batch whose parent batch belongs to another account',
      [
        batchRow('parent_batch_id', '(select min(id) from batch)'),
        `update batch set account_id = account_id + 1 where ${newest('batch')}`,
        settled,
      ],
      'of another account',
    ],
    [
      'single_slot',
      'two deployments that change one environment',
      [environments, deployment(', fence', `'forward', 'in_progress', 'ada', now(), now(), 1`)],
      'records deployment none',
    ],
    [
      'single_slot',
      'a rollback to a release candidate that was never deployed with success',
      [environments, deployment('', `'rollback', 'success', 'ada', now(), now()`)],
      'never succeeded',
    ],
    [
      'line_moves',
      'a batch that is never made',
      [resumed, batchRow('state', `'making'`)],
      'has been in the state making since',
      hour,
    ],
    ['line_moves', 'an ended build that no turn acts on', endedBuild(), 'neither landed nor failed', hour],
    [
      'no_orphans',
      'a branch that nobody removed',
      [resumed, `update batch set cleaned_up_at = null where state = 'landed'`],
      'its branch is not removed',
      hour,
    ],
    [
      'no_orphans',
      'a preview that nobody ended',
      [
        `insert into preview_sandbox (account_id, verification_id, name, kind, state, slug, port, expires_at, created_at) values (${account}, 1, 'preview', 'process', 'ready', 's', 1, now(), now())`,
      ],
      'of a preview should have been gone',
      hour,
    ],
    [
      'convergence',
      'a change that was never planned',
      [resumed, `update queue set version = version + 1`, `update pull_request set updated_at = now()`],
      'the last plan is of version',
      hour,
    ],
    [
      'convergence',
      'a change at the host that was never read',
      [
        `insert into host_hint (account_id, repository_id, kind, subject, due_at) values (${account}, ${repository}, 'push', 'refs/heads/main', now())`,
      ],
      'was reported',
      hour,
    ],
    [
      'no_starvation',
      'a pull request that is passed again and again',
      [`update pull_request set times_passed = 4 where number = 4`],
      'was overtaken 4 times',
    ],
    [
      'delivered_events',
      'an event without a position',
      [`update event set position = null where ${newest('event')}`],
      'has no position',
      hour,
    ],
    [
      'delivered_events',
      'a retry that nobody makes',
      [
        `insert into webhook_endpoint (account_id, url, actions, from_position, created_at, updated_at) values (${account}, 'https://x.test', '{*}', 0, now(), now())`,
        `insert into webhook_delivery (account_id, endpoint_id, message_id, action, lane, body, state, next_attempt_at, created_at)
       values (${account}, (select max(id) from webhook_endpoint), 'm', 'merged', 'l', '{}', 'retrying', now(), now())`,
      ],
      'waits for an attempt',
      hour,
    ],
  ] as const satisfies readonly (readonly [InvariantName, string, readonly string[], string, number?])[]
).map(([invariant, what, changes, sentence, inMs]) => [invariant, what, changes, sentence, inMs ?? 0] as const);

/** SQL for one more batch. It is building, unless `columns` begins with another state. */
/** A batch whose build has ended. */
function endedBuild(): string[] {
  return [
    resumed,
    settled,
    `update queue set next_look_at = null`,
    batchRow('commit', `'built'`),
    `insert into build (account_id, repository_id, commit, tree, base_commit, complete, complete_at, started_at) values (${account}, ${repository}, 'built', 't', 'b', true, now(), now())`,
  ];
}

function batchRow(columns: string, values: string): string {
  const state = columns.startsWith('state') ? '' : ', state';
  const building = state === '' ? '' : `, 'building'`;
  const position = columns.includes('position') ? '' : ', position';
  const at = position === '' ? '' : ', 1000';
  return `insert into batch (account_id, queue_id, repository_id, cause, mode, parent_commit, base_commit, strategy, batch_commit, build_keys_hash, group_message, created_at${state}${position}, ${columns})
    values (${account}, (select min(id) from queue), ${repository}, 'new', 'parallel', 'p', 'p', 'squash', 'group', '', '', now()${building}${at}, ${values})`;
}

/** SQL for four builds. `areOpen`: whether each has a pull request of its own. */
function fourBuilds(areOpen: boolean): string[] {
  return [1, 2, 3, 4].flatMap((at) => [
    batchRow(`commit, position`, `'build${at}', ${1000 + at}`),
    `insert into build (account_id, repository_id, commit, tree, base_commit, started_at) values (${account}, ${repository}, 'build${at}', 't', 'b', now())`,
    ...(areOpen
      ? [
          `insert into bot_pull_request (account_id, repository_id, batch_id, number, url, branch, target_branch, head_commit_sha, pre_batch_sha, opened_at)
           values (${account}, ${repository}, (select max(id) from batch), ${2000 + at}, '', 'mq-bot-build${at}', 'main', 'build${at}', 'b', now())`,
        ]
      : []),
  ]);
}

/** SQL for a check of each of these four builds, whose lists of checks are complete. */
function checksOfFour(name: string, conclusion: string): string[] {
  return [1, 2, 3, 4].flatMap((at) => [
    `update build set complete = true where commit = 'build${at}'`,
    `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion) values (${account}, ${repository}, 'build${at}', '${name}', 1, '${conclusion}')`,
  ]);
}

/** SQL for two batches, with #4 and #5. */
function lineOfTwo(): string[] {
  return [4, 5].flatMap((number) => [
    batchRow('position', `${1000 + number}`),
    `insert into batch_member (account_id, batch_id, ordinal, pull_request_id, pinned_head, message, author_name, author_email)
     select account_id, (select max(id) from batch), 0, id, head_sha, '', '', '' from pull_request where number = ${number}`,
  ]);
}

describe('the comparison of the invariants', () => {
  it('finds no violation if all invariants hold', async () => {
    expect(await find()).toEqual([]);
    expect(await findPlanted([], hour)).toEqual([]);
  });

  it.each(planted)('finds that %s does not hold: %s', async (invariant, _what, changes, sentence, inMs) => {
    const found = await findPlanted(changes, inMs);
    expect(
      found
        .filter((each) => each.invariant === invariant)
        .map((each) => each.sentence)
        .join('\n'),
    ).toContain(sentence);
  });

  it('allows a landing that begins at the instant at which a pause ends', async () => {
    const at = `now() + interval '1 minute'`;
    const found = await findPlanted([
      `insert into event (account_id, repository_id, action, at) values (${account}, ${repository}, 'repository_unpaused', ${at})`,
      `update intent set started_at = ${at} where kind = 'land' and ${newest("intent where kind = 'land'")}`,
    ]);
    expect(found.filter(({ invariant }) => invariant === 'absolute_pause')).toEqual([]);
  });

  it('allows a batch with a pull request that left the line, as long as a landing is under way', async () => {
    const found = await findPlanted([
      settled,
      ...lineOfTwo(),
      `update pull_request set status = 'closed', rank = null where number = 4`,
      `insert into intent (account_id, queue_id, batch_id, kind, key, state, planned_at, started_at)
       values (${account}, (select min(id) from queue), 1, 'land', 'planted', 'started', now(), now())`,
    ]);
    expect(found.filter(({ invariant }) => invariant === 'clean_dequeue')).toEqual([]);
  });

  it('allows that a pull request is blocked in the instant in which a new head succeeds', async () => {
    const found = await findPlanted([
      `update check_result set conclusion = 'success', end_heard_at = (select max(at) from event where action = 'blocked')`,
    ]);
    expect(found.filter(({ invariant }) => invariant === 'blamed_culprits')).toEqual([]);
  });

  const freeze = (branches: string, columns: string, values: string): string =>
    `insert into freeze_rule (account_id, repository_id, base_branches, created_by, created_at, ${columns})
     values (${account}, ${repository}, '${branches}', 'ada', now(), ${values})`;
  const pause = (pattern: string, isPaused: boolean): string =>
    `insert into branch_pause (account_id, repository_id, pattern, paused, created_at) values (${account}, ${repository}, '${pattern}', ${isPaused}, now())`;
  // The comparison is made an hour later.
  it.each([
    ['that ended', false, [freeze('*', 'source, starts_at, ends_at', `'manual', now(), now()`)]],
    [
      'that ended a moment ago',
      true,
      [freeze('*', 'source, starts_at, ends_at', `'manual', now(), now() + interval '55 minutes'`)],
    ],
    ['that begins tomorrow', false, [freeze('*', 'source, starts_at', `'manual', now() + interval '1 day'`)]],
    ['in force', true, [freeze('ma*', 'source, starts_at', `'rollback', now()`)]],
    ['in force that somebody ended', false, [freeze('*', 'source, starts_at, deleted_at', `'manual', now(), now()`)]],
    [
      'in force that somebody ended a moment ago',
      true,
      [freeze('*', 'source, starts_at, deleted_at', `'manual', now(), now() + interval '55 minutes'`)],
    ],
    ['of other branches', false, [freeze('release/*', 'source, starts_at', `'manual', now()`)]],
    [
      'by a schedule that is never over',
      true,
      [freeze('*', 'source, cron_start, cron_end, timezone', `'schedule', '* * * * *', '0 0 1 1 *', 'UTC'`)],
    ],
    [
      'by a schedule of 29 February',
      false,
      [freeze('*', 'source, cron_start, cron_end, timezone', `'schedule', '0 0 29 2 *', '1 0 29 2 *', 'UTC'`)],
    ],
  ] as const)('knows that a freeze %s holds up a queue: %s', async (_which, isHeld, changes) => {
    expect(await findStuckBatch(changes)).toBe(!isHeld);
  });

  it.each([
    ['of another branch', false, [pause('release/*', true)]],
    ['of the branch', true, [pause('ma*', true)]],
    ['that a rule for the branch overrides', false, [pause('main', false), pause('ma*', true)]],
  ] as const)('knows that a pause %s holds up a queue: %s', async (_which, isHeld, changes) => {
    expect(await findStuckBatch(changes)).toBe(!isHeld);
  });

  it('reads the pauses and freezes of a repository once, however many queues it has', async () => {
    const rules = (kind: (n: number) => string): string[] => Array.from({ length: 5 }, (_, n) => kind(n));
    const queues = `insert into queue (account_id, repository_id, base_branch)
      select ${account}, ${repository}, 'ma-' || n from generate_series(1, 30) n`;
    const read = { pauses: 0, freezes: 0 };
    const held = await withPlanted(
      [
        resumed,
        queues,
        ...rules((n) => pause(`ma-${n + 1}`, true)),
        ...rules((n) => freeze(`ma-${n + 11}`, 'source, starts_at', `'manual', now()`)),
      ],
      async (query) =>
        await findHeldQueues(async <Row extends object>(text: string, values?: readonly unknown[]) => {
          const rows = await query<Row & { rules: unknown[]; freezes: unknown[] }>(text, values);
          for (const { rules, freezes } of rows) {
            read.pauses += rules.length;
            read.freezes += freezes.length;
          }
          return rows;
        }, new Date()),
    );
    expect(held).toHaveLength(10);
    expect(read).toEqual({ pauses: 5, freezes: 5 });
  });

  /** Whether a batch that is never made is found if there are these pauses and freezes. */
  async function findStuckBatch(holds: readonly string[]): Promise<boolean> {
    const found = await findPlanted([resumed, batchRow('state', `'making'`), ...holds], hour);
    return found.some(({ invariant }) => invariant === 'line_moves');
  }

  it('allows a landing under the rule of its branch, although a wider rule is newer', async () => {
    const yesterday = "now() - interval '1 day'";
    const found = await findPlanted([
      pause('main', false).replace('now()', yesterday),
      pause('ma*', true).replace('now()', yesterday),
    ]);
    expect(found.filter(({ invariant }) => invariant === 'absolute_pause')).toEqual([]);
  });

  it('allows a landing after a pause that another rule has replaced', async () => {
    const found = await findPlanted([replacedPause(`now() - interval '2 days'`, `now() - interval '1 day'`)]);
    expect(found.filter(({ invariant }) => invariant === 'absolute_pause')).toEqual([]);
  });

  it('allows a landing from before rules were kept, because the rule that allowed it may have been replaced', async () => {
    const found = await findPlanted([
      pause('ma*', true).replace('now()', "now() - interval '1 day'"),
      pause('main', false).replace('now()', "now() + interval '1 minute'"),
      `update repository set pauses_known_since = now() + interval '2 minutes'`,
    ]);
    expect(found.filter(({ invariant }) => invariant === 'absolute_pause')).toEqual([]);
  });

  it('does not count builds that are not open, because an earlier build of their tree counts for them', async () => {
    const found = await findPlanted(fourBuilds(false));
    expect(found.filter(({ invariant }) => invariant === 'bounded_builds')).toEqual([]);
  });

  it('does not count builds whose required check has passed, although another check runs', async () => {
    const violationsOf = async (running: string, passed: string): Promise<string[]> => {
      const checks = [...checksOfFour(running, 'pending'), ...checksOfFour(passed, 'success')];
      const found = await findPlanted([...fourBuilds(true), ...checks]);
      return found.flatMap(({ invariant, sentence }) => (invariant === 'bounded_builds' ? [sentence] : []));
    };
    expect(await violationsOf('slow', 'test')).toEqual([]);
    expect(await violationsOf('test', 'slow')).toEqual([expect.stringContaining('4 builds of')]);
  });

  it('allows a green batch to wait for a required check of a head that was canceled', async () => {
    const required = 'preconditions:\n  use_github_mergeability: false\n  required_checks: [test]\n';
    await using own = await world({
      configuration: `${parallel({ builds: 1, batch: 1 })}${required}`,
      // The check of the head waits to be canceled. The build contains the other file, and passes.
      ci: "checks:\n  test: {run: 'test -e other || sleep 600'}\n",
    });
    const number = await own.open('one', { one: 'one\n' });
    const has = async (text: string): Promise<boolean> => (await own.rows(text)).length > 0;
    const ofHead = 'c.commit = (select head_sha from pull_request)';
    await own.until(() => has(`select 1 from local_check_run c where ${ofHead} and c.state = 'running'`));
    await own.rows(`update local_check_run c set cancel_requested = true where ${ofHead}`);
    await own.until(() => has("select 1 from check_result where conclusion = 'cancelled'"));
    await own.commit('main', { other: 'other\n' });
    await own.queue(number);
    await own.until(() => has('select 1 from batch b join build u on u.commit = b.tested_commit where u.complete'));
    await own.loop.run(own.service.ports);
    expect((await own.status(number)).status).toBe('tagged');
    const { db, hosts } = own.service.ports;
    const found = await find({ db, hosts, clock: () => new Date(Date.now() + hour) });
    expect(found.filter(({ invariant }) => invariant === 'line_moves')).toEqual([]);
  });

  it('allows a green batch to wait until the host shows the head of a pull request', async () => {
    const found = await findPlanted(
      [
        ...endedBuild(),
        `insert into batch_member (account_id, batch_id, ordinal, pull_request_id, pinned_head, message, author_name, author_email)
         select account_id, (select max(id) from batch), 0, id, head_sha, '', '', '' from pull_request where number = 4`,
        `update pull_request set head_unseen = true where number = 4`,
      ],
      hour,
    );
    expect(found.filter(({ invariant }) => invariant === 'line_moves')).toEqual([]);
  });

  it.each(['cancelled', 'pending'])(
    'finds a green batch that waits, although a check of a head that is not required is %s',
    async (conclusion) => {
      const found = await findPlanted(
        [
          ...endedBuild(),
          `insert into batch_member (account_id, batch_id, ordinal, pull_request_id, pinned_head, message, author_name, author_email)
           select account_id, (select max(id) from batch), 0, id, head_sha, '', '', '' from pull_request where number = 4`,
          `insert into check_result (account_id, repository_id, commit, name, attempt, conclusion)
           select account_id, repository_id, head_sha, 'lint', 1, '${conclusion}' from pull_request where number = 4`,
        ],
        hour,
      );
      expect(found).toEqual([expect.objectContaining({ invariant: 'line_moves' })]);
    },
  );

  it('allows notifications that are planned once more after they were sent', async () => {
    await using own = await world({ runsCi: false });
    const number = await own.open('one', { one: 'one\n' });
    await own.queue(number);
    await hurry(own);
    await own.loop.run(own.service.ports);
    await own.dequeue(number);
    await hurry(own);
    const [queue] = await own.rows<{ id: string }>('select id from queue');
    await advanceQueue(own.ctx, queue?.id ?? '');
    const again = await own.rows(
      `select 1 from intent where state = 'planned' and kind in ('comment', 'status_check')`,
    );
    expect(again.length).toBeGreaterThan(0);
    // Gives events their positions now, because a late position on a slow machine would be a violation too.
    await sequenceEvents(own.service.ports.db);
    expect(await find(own.service.ports)).toEqual([]);
  });

  it('finds that the base branch has lost a landing', async () => {
    const tip = await w.git('rev-parse', 'main');
    await w.git('update-ref', 'refs/heads/main', `${tip}^`);
    try {
      expect(await find()).toEqual([
        expect.objectContaining({
          invariant: 'landed_tree',
          sentence: expect.stringContaining('is not on the first-parent line') as string,
        }),
      ]);
    } finally {
      await w.git('update-ref', 'refs/heads/main', tip);
    }
  });

  it.each<[string, (own: World) => Promise<unknown>]>([
    ['', async () => {}],
    [
      ', also while the tip was unknown after a halt',
      async (own) => {
        const of = { repository: own.repository, baseBranch: 'main' };
        await haltQueue(own.ctx, { ...of, reason: 'A look' });
        await resumeQueue(own.ctx, of);
      },
    ],
  ])('leaves out landings on a base branch that somebody has deleted since%s', async (_when, prepare) => {
    await using own = await world({ configuration: parallel({ builds: 3, batch: 1 }) });
    const first = await own.git('rev-parse', 'main');
    const land = async (name: string): Promise<void> => {
      const number = await own.open(name, { [name]: '1\n' });
      await own.queue(number);
      await own.settled(number);
    };
    const repository = await loadRepository(own.ctx, own.repository);
    const sync = async (): Promise<void> => await syncBase(own.ctx, toHostedRepository(repository), 'main');
    const found = async (): Promise<readonly string[]> => {
      const verified = await verifyRepository(own.ctx, repository);
      const { violations } = await compare(own.service.ports);
      const lost = violations.filter(({ invariant }) => invariant === 'landed_tree');
      return [...lost.map(({ sentence }) => sentence), ...verified.flatMap(({ failures }) => failures)];
    };
    await land('one');
    await prepare(own);
    await own.git('update-ref', '-d', 'refs/heads/main');
    expect(await found()).toEqual([]);
    await sync();
    expect(await found()).toEqual([]);
    await own.git('update-ref', 'refs/heads/main', first);
    await sync();
    await land('two');
    expect(await found()).toEqual([]);
    await own.git('update-ref', 'refs/heads/main', first);
    expect(await found()).toEqual([
      expect.stringContaining('is not on the first-parent line of main') as string,
      expect.stringContaining('is not on the first-parent line of main') as string,
    ]);
  });

  it('reads the whole line of a base branch, even if the host lists fewer commits at once', async () => {
    await using own = await world({ configuration: parallel({ builds: 3, batch: 1 }) });
    const numbers = [await own.open('one', { one: '1\n' }), await own.open('two', { two: '2\n' })];
    await own.queue(...numbers);
    await own.settled(...numbers);
    replaceHostMethod(
      own,
      'listFirstParents',
      (original) => async (repository, range) => await original(repository, { ...range, limit: 1 }),
    );
    const { violations, uncompared } = await compare(own.service.ports);
    const isLost = ({ invariant }: Violation): boolean => invariant === 'landed_tree';
    expect([violations.filter(isLost), uncompared]).toEqual([[], []]);
  });

  it('names a repository that cannot be read, and compares everything else', async () => {
    await rename(w.gitDir, `${w.gitDir}.away`);
    await w.rows('update pull_request set times_passed = 9 where number = 4');
    try {
      const { violations, uncompared } = await compare();
      expect(violations.map(({ invariant }) => invariant)).toEqual(['no_starvation']);
      const { owner: account, name } = w.repository;
      expect(uncompared).toEqual([
        expect.objectContaining({
          invariant: 'landed_tree',
          sentence: expect.stringMatching(`^main of ${account}/${name} cannot be read: `) as string,
        }),
      ]);
      // The repository of an uninstalled App is inactive.
      await w.rows('update repository set active = false');
      expect((await compare()).uncompared).toEqual([]);
    } finally {
      await w.rows('update repository set active = true');
      await w.rows('update pull_request set times_passed = 0 where number = 4');
      await rename(`${w.gitDir}.away`, w.gitDir);
    }
  });

  it('names an invariant whose statement fails, and compares all others', async () => {
    const { db } = w.service.ports;
    const query: typeof db.system.query = async (text, values) => {
      if (text.includes('times_passed >')) throw new Error('canceling statement due to statement timeout');
      return await db.system.query(text, values);
    };
    const found = await compare({ ...w.service.ports, db: { ...db, system: { ...db.system, query } } });
    expect(found).toEqual({
      violations: [],
      uncompared: [
        {
          invariant: 'no_starvation',
          account: '',
          sentence: 'The comparison failed: canceling statement due to statement timeout',
        },
      ],
    });
    expect(findingsText(found)).toContain('An invariant could not be compared: no_starvation.');
  });

  it('compares the rules about safety although the pauses and freezes cannot be read', async () => {
    const { db } = w.service.ports;
    const query = async <Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]> => {
      if (text.includes('freeze_rule')) throw new Error('canceling statement due to statement timeout');
      return await db.system.query(text, values);
    };
    await w.rows('update pull_request set times_passed = 9 where number = 4');
    const found = await compare({ ...w.service.ports, db: { ...db, system: { ...db.system, query } } });
    await w.rows('update pull_request set times_passed = 0 where number = 4');
    expect(found.violations.map(({ invariant }) => invariant)).toEqual(['no_starvation']);
    const unknown = new Set(found.uncompared.map(({ invariant }) => invariant));
    expect([...unknown]).toEqual(['line_moves', 'no_orphans', 'convergence']);
  });

  it('has a case in this file for each invariant', () => {
    expect([...new Set(planted.map(([invariant]) => invariant))].toSorted()).toEqual(invariantNames.toSorted());
  });

  it('is made by one process in a minute, and every process reports the violations', async () => {
    let now = new Date();
    const [watch, another] = [0, 1].map(() => watchInvariants({ ...w.service.ports, clock: () => now }));
    expect(watch?.report()).toBeNull();
    await watch?.look();
    expect(watch?.report()).toEqual({ violations: [], uncompared: [], endedAt: now, isOutdated: false });
    await w.rows('update pull_request set times_passed = 9 where number = 4');
    // Only one process compares in a minute. The other process reads the violations that were found.
    await another?.look();
    expect(another?.report()).toEqual(watch?.report());
    now = new Date(now.getTime() + 60_000);
    await another?.look();
    await watch?.look();
    expect(judgeInvariants(watch?.report() ?? null)).toMatchObject([
      { well: false, sentence: expect.stringContaining('An invariant does not hold: no_starvation.') as string },
    ]);
    expect(watch?.report()).toEqual(another?.report());
    await w.rows('update pull_request set times_passed = 0 where number = 4');
  });

  it('that an outage of the database breaks off leaves the findings of the one before', async () => {
    let now = new Date(Date.now() + 2 * hour);
    let queriesUntilOutage = Number.POSITIVE_INFINITY;
    const { ports } = w.service;
    const query: SystemQueries['query'] = async (...args) => {
      if ((queriesUntilOutage -= 1) < 0) throw new Error('Connection terminated unexpectedly');
      return await ports.db.system.query(...args);
    };
    const db = { ...ports.db, system: { ...ports.db.system, query } };
    const watch = watchInvariants({ ...ports, db, clock: () => now });
    await watch.look();
    const before = watch.report();
    expect(before).toMatchObject({ violations: [], uncompared: [] });
    now = new Date(now.getTime() + 60_000);
    queriesUntilOutage = 1;
    await expect(watch.look()).rejects.toThrow('Connection terminated');
    expect(watch.report()).toEqual(before);
  });

  it('does not count as well any more if later comparisons fail', async () => {
    let now = new Date(Date.now() + hour);
    const watch = watchInvariants({ ...w.service.ports, clock: () => now });
    await watch.look();
    const endedAt = now;
    now = new Date(now.getTime() + 300_000);
    expect(watch.report()).toMatchObject({ endedAt, isOutdated: false });
    now = new Date(now.getTime() + 1);
    expect(judgeInvariants(watch.report())).toMatchObject([
      {
        well: false,
        since: endedAt,
        sentence: expect.stringMatching(/^The invariants were last compared at .* UTC\. The logs/) as string,
      },
    ]);
  });
});

it('counts of a queue that are wrong are corrected by the statements that docs/operations.md gives', async () => {
  const wrong = async (): Promise<number> =>
    (await find()).filter(({ invariant }) => invariant === 'exact_depth').length;
  const counts = async (): Promise<unknown> => await w.rows('select id, waiting, tagged from queue order by id');
  const before = await counts();
  await owner.query('update queue set waiting = waiting + 1, tagged = tagged + 2');
  expect(await wrong()).toBe(1);
  const { blocks } = readPage('docs/operations.md');
  const correcting = blocks.filter(({ language, text }) => language === 'sql' && text.includes('update queue q'));
  expect(correcting).toHaveLength(1);
  for (const { text } of correcting) await owner.query(text);
  expect(await counts()).toEqual(before);
  expect(await wrong()).toBe(0);
});
