// A queue as it stands, or as it stood at an instant: what explanations are derived from. Both are read by the same
// statements, the present being the instant `infinity`, so that what is said now and what is said later of now agree.
import type { Context } from '../../../context.ts';
import { landingsFrom } from '../../../domain/configuration/index.ts';
import { defaultConfigurationYaml, type Configuration } from '../../../domain/configuration/keys.ts';
import { withoutHeads } from '../../../domain/queue/evidence.ts';
import type { Cause } from '../../../domain/queue/explain.condition.ts';
import type { BatchCause } from '../../../domain/queue/explain.standing.ts';
import { decideLandingsFrom } from '../../../domain/queue/landing-time.ts';
import { viewLine, type LineView } from '../../../domain/queue/line.ts';
import { decidePause, type Pause, type PauseRule } from '../../../domain/queue/pause.ts';
import type { BatchState, LiveBatchState, QueueRules, Snapshot } from '../../../domain/queue/snapshot.ts';
import { withStacks } from '../../../domain/queue/stack.ts';
import { frozenAt, type Frozen } from '../../../domain/releases/freeze.ts';
import type { Transaction } from '../../../platform/database.ts';
import { freezesOf, loadBranchFreezes, type StoredFreeze } from '../../repositories/index.ts';
import { rulesOf } from '../planning/configuration.cache.ts';
import { labelBatches, loadGates } from '../planning/final-gates.ts';
import { lineColumns, type LineRow } from '../planning/line.rows.ts';
import { lineageOf, loadLandings, type Landed } from '../planning/landings.loader.ts';
import { loadJudgedBuilds } from '../planning/retries.ts';
import { toPullRequestState } from '../planning/snapshot.loader.ts';

export interface Moment {
  /** Null: now. */
  readonly at: Date | null;
  readonly now: number;
  readonly repositoryId: string;
  readonly defaultBranch: string;
  readonly baseBranch: string;
  readonly tip: string;
  readonly configuration: Configuration;
  readonly rules: QueueRules;
  readonly view: LineView;
  /** Why each live batch was started. */
  readonly causes: ReadonlyMap<string, BatchCause>;
  readonly pause: Pause | null;
  readonly pausedBy: Cause | null;
  readonly frozen: Frozen | null;
  readonly frozenBy: Cause | null;
  /** When a merge window opens. Null: landings wait for none. */
  readonly windowFrom: number | null;
  readonly haltedReason: string | null;
  readonly haltedAt: number | null;
  readonly haltedBy: Cause | null;
}

interface QueueRow {
  readonly repositoryId: string;
  readonly baseBranch: string;
  readonly defaultBranch: string;
  readonly active: boolean;
  readonly paused: boolean;
  readonly configurationYaml: string;
  readonly tip: string | null;
  readonly tree: string | null;
  readonly hostRequiredChecks: string[];
  readonly haltedReason: string | null;
  readonly haltedAt: number | null;
}

interface EventRow {
  readonly action: string;
  readonly at: number;
  readonly actor: string | null;
  readonly payload: Record<string, unknown>;
}

interface Asked {
  readonly queueId: string;
  /** Null: now. */
  readonly at: Date | null;
}

/** Null: nothing is on record of the queue at that time. */
export async function loadMoment(ctx: Context, tx: Transaction, asked: Asked): Promise<Moment | null> {
  const { queueId, at } = asked;
  const instant = at?.toISOString() ?? 'infinity';
  const now = (at ?? ctx.clock()).getTime();
  const queue = await readQueue(ctx, tx, { queueId, instant });
  if (queue === undefined) return null;
  const { repositoryId, defaultBranch, baseBranch, haltedReason, haltedAt } = queue;
  const log = await readGateEvents(ctx, tx, { queueId, repositoryId, instant });
  const configurationYaml =
    at === null ? queue.configurationYaml : await configurationAt(ctx, tx, repositoryId, instant);
  const { configuration, rules } = rulesOf({ configurationYaml }, queue.hostRequiredChecks);
  const pause = await pauseOf(ctx, tx, { queue, log, at });
  const freezes = freezesOf(await loadBranchFreezes(tx, { accountId: ctx.accountId, repositoryId, at }), baseBranch);
  const frozen = frozenAt(freezes, now);
  const rows = await readBatches(ctx, tx, queueId, instant);
  const parts = await readParts(ctx, tx, { ...asked, queue, rules, rows, now, instant });
  const snapshot: Snapshot = {
    ...parts,
    queue: {
      id: queueId,
      baseBranch,
      tip: queue.tip ?? '',
      tipTree: queue.tree ?? '',
      lineage: parts.lineage,
      // Where blame is told from; it matters to who blames, not to who explains.
      ownLine: [queue.tip ?? ''],
      paused: pause !== null,
      haltedReason,
      landingsFrom: decideLandingsFrom({ configuration, baseBranch, freezes }, now),
      nextPosition: 0,
      buildsElsewhere: 0,
    },
    rules,
    departures: [],
    // When the host was asked anew is not kept for ever; it matters to who blames, not to who explains.
    readings: [],
  };
  const halt = log.find(({ action }) => action === 'queue_halted' || action === 'queue_resumed');
  return {
    at,
    now,
    repositoryId,
    defaultBranch,
    baseBranch,
    tip: snapshot.queue.tip,
    configuration,
    rules,
    view: viewLine(snapshot, now),
    causes: new Map(rows.map((row) => [row.id, row.cause])),
    pause,
    pausedBy: pause === null ? null : findPauseEvent(log, pause),
    frozen,
    frozenBy: frozen === null ? null : freezeCause(frozen),
    windowFrom: landingsFrom(configuration, baseBranch, now),
    haltedReason,
    haltedAt,
    haltedBy: haltedReason !== null && halt !== undefined ? toCause(halt) : null,
  };
}

interface Read extends Asked {
  readonly queue: QueueRow;
  readonly rules: QueueRules;
  readonly rows: readonly BatchRow[];
  readonly now: number;
  readonly instant: string;
}

async function readParts(
  ctx: Context,
  tx: Transaction,
  { queueId, at, queue, rules, rows, now, instant }: Read,
): Promise<
  Pick<Snapshot, 'pullRequests' | 'batches' | 'builds' | 'mergeResults' | 'landings'> & { readonly lineage: string[] }
> {
  const { repositoryId } = queue;
  const line = await readLineAt(ctx, tx, queueId, instant);
  const batches = rows.map((row) => toBatch(row, instant));
  const tip = queue.tip ?? '';
  const landed = await readLandingsAt(ctx, tx, { queueId, now, instant });
  const lineage = lineageOf(landed, tip);
  const bases = batches.flatMap((batch) => (batch.beside === 'bet' ? [batch.base] : []));
  const targets = rules.useAffectedTargets ? await readTargetsAt(ctx, tx, line, instant) : new Map<string, string[]>();
  const heads = line.map((row) => row.headSha);
  const pinned = batches.flatMap((batch) => batch.members.map(({ head }) => head));
  const tested = batches.flatMap(({ testedCommit, restsOn }) => [...(testedCommit ? [testedCommit] : []), ...restsOn]);
  const commits = [...tested, ...heads];
  const trees = batches.flatMap((batch) => batch.tree ?? []);
  const builds = await loadJudgedBuilds(ctx, tx, { repositoryId, commits, trees, at }, rules);
  const inLine = new Set(line.map(({ id }) => id));
  const buildOf = new Map(builds.map((build) => [build.commit, build]));
  const named = batches.map(({ id, members }) => [id, members.map(({ pullRequest }) => pullRequest)] as const);
  const gates = await loadGates(ctx, tx, { rules, batches: labelBatches(named, line), at });
  const parents = [...lineage, ...batches.flatMap((batch) => [batch.parentCommit, batch.commit ?? batch.parentCommit])];
  return {
    lineage,
    landings: await loadLandings(ctx, tx, { landed, tip, since: bases }),
    pullRequests: withStacks(
      line.map((row) => ({
        ...toPullRequestState(row, buildOf.get(row.headSha), rules),
        targets: targets.get(row.id) ?? null,
        below: row.belowId && inLine.has(row.belowId) ? row.belowId : null,
      })),
    ),
    batches: batches.map((batch) => ({ ...batch, gates: gates.get(batch.id) ?? [] })),
    builds: withoutHeads(builds, rules, [...heads, ...pinned]),
    mergeResults: await readMergeResults(ctx, tx, { repositoryId, parents, instant }),
  };
}

async function readQueue(
  ctx: Context,
  tx: Transaction,
  { queueId, instant }: { readonly queueId: string; readonly instant: string },
): Promise<QueueRow | undefined> {
  const [row] = await tx.query<QueueRow>(
    `select q.repository_id as "repositoryId", q.base_branch as "baseBranch", r.default_branch as "defaultBranch", r.active, r.paused,
            r.configuration_yaml as "configurationYaml", v.base_tip as tip, v.base_tree as tree, v.host_required_checks as "hostRequiredChecks",
            v.halted_reason as "haltedReason", extract(epoch from v.halted_at)::float8 * 1000 as "haltedAt"
     from queue q
     join repository r on r.account_id = q.account_id and r.id = q.repository_id
     join lateral (
       select q.base_tip, q.base_tree, q.host_required_checks, q.halted_reason, q.halted_at, q.standing_since as since
       union all
       select p.base_tip, p.base_tree, p.host_required_checks, p.halted_reason, p.halted_at, p.since from queue_past p
       where p.account_id = $1 and p.queue_id = $2 and p.until_at > $3) v on v.since <= $3
     where q.account_id = $1 and q.id = $2
     order by v.since desc limit 1`,
    [ctx.accountId, queueId, instant],
  );
  return row;
}

/** What paused, resumed and halted, newest first. */
async function readGateEvents(
  ctx: Context,
  tx: Transaction,
  of: { readonly queueId: string; readonly repositoryId: string; readonly instant: string },
): Promise<EventRow[]> {
  return await tx.query<EventRow>(
    `select action, extract(epoch from at)::float8 * 1000 as at, actor, payload from event
     where account_id = $1 and repository_id = $2 and at <= $4
       and action in ('repository_paused', 'repository_unpaused', 'branches_paused', 'branches_unpaused', 'queue_halted', 'queue_resumed')
       and (queue_id is null or queue_id = $3)
     order by id desc`,
    [ctx.accountId, of.repositoryId, of.queueId, of.instant],
  );
}

async function configurationAt(ctx: Context, tx: Transaction, repositoryId: string, instant: string): Promise<string> {
  const [row] = await tx.query<{ yaml: string }>(
    'select yaml from configuration_change where account_id = $1 and repository_id = $2 and modified_at <= $3 order by id desc limit 1',
    [ctx.accountId, repositoryId, instant],
  );
  return row?.yaml ?? defaultConfigurationYaml;
}

async function pauseOf(
  ctx: Context,
  tx: Transaction,
  of: { readonly queue: QueueRow; readonly log: readonly EventRow[]; readonly at: Date | null },
): Promise<Pause | null> {
  const { queue, log, at } = of;
  if (at !== null) {
    const last = log.find(({ action }) => action === 'repository_paused' || action === 'repository_unpaused');
    return decidePause({ paused: last?.action === 'repository_paused' }, rulesIn(log), queue.baseBranch);
  }
  const rules = await tx.query<PauseRule>(
    'select pattern, paused, paused_message as "pausedMessage" from branch_pause where account_id = $1 and repository_id = $2 order by id desc',
    [ctx.accountId, queue.repositoryId],
  );
  return decidePause(queue, rules, queue.baseBranch);
}

/** Each rule is the newest word about its pattern. */
function rulesIn(log: readonly EventRow[]): PauseRule[] {
  const rules = new Map<string, PauseRule>();
  for (const { action, payload } of log) {
    const { pattern, message } = payload;
    if (typeof pattern !== 'string' || rules.has(pattern)) continue;
    rules.set(pattern, {
      pattern,
      paused: action === 'branches_paused',
      pausedMessage: typeof message === 'string' ? message : null,
    });
  }
  return [...rules.values()];
}

function findPauseEvent(log: readonly EventRow[], { pattern }: Pause): Cause | null {
  const found = log.find(({ action, payload }) =>
    pattern === null ? action === 'repository_paused' : action === 'branches_paused' && payload['pattern'] === pattern,
  );
  return found === undefined ? null : toCause(found);
}

/** As the event of the log that tells of the freeze. */
function freezeCause({ freeze }: Frozen<StoredFreeze>): Cause {
  return { action: 'freeze_created', at: freeze.createdAt, actor: freeze.createdBy };
}

export function toCause({ action, at, actor }: Pick<EventRow, 'action' | 'at' | 'actor'>): Cause {
  return { action, at, actor };
}

async function readLineAt(ctx: Context, tx: Transaction, queueId: string, instant: string): Promise<LineRow[]> {
  return await tx.query<LineRow>(
    `select ${lineColumns} from (
       select p.* from pull_request p where p.account_id = $1 and p.queue_id = $2 and p.status in ('queued', 'tagged') and p.standing_since <= $3
       union all
       select r.* from pull_request_past v, jsonb_populate_record(null::pull_request, v.facts) r
       where v.account_id = $1 and v.queue_id = $2 and v.is_in_line and v.since <= $3 and v.until_at > $3) stood
     order by rank`,
    [ctx.accountId, queueId, instant],
  );
}

interface BatchRow
  extends Pick<
    BatchState,
    | 'id'
    | 'position'
    | 'beside'
    | 'parentBatch'
    | 'parentCommit'
    | 'base'
    | 'assumes'
    | 'restsOn'
    | 'buildKeysHash'
    | 'createdAt'
    | 'landingBegun'
  > {
  readonly state: string;
  readonly cause: BatchCause;
  readonly commit: string | null;
  readonly tree: string | null;
  readonly testedCommit: string | null;
  readonly startedAt: number | null;
  readonly givenUp: boolean;
  readonly members: { readonly pullRequest: string; readonly head: string }[];
}

async function readBatches(ctx: Context, tx: Transaction, queueId: string, instant: string): Promise<BatchRow[]> {
  return await tx.query<BatchRow>(
    `select b.id, b.position::float8 as position, b.beside, b.state, b.cause, b.parent_batch_id as "parentBatch", b.parent_commit as "parentCommit",
            b.base_commit as base, b.build_keys_hash as "buildKeysHash", b.commit, b.tree, b.tested_commit as "testedCommit", b.given_up as "givenUp",
            extract(epoch from b.created_at)::float8 * 1000 as "createdAt",
            case when b.build_started_at <= $3 then extract(epoch from b.build_started_at)::float8 * 1000 end as "startedAt",
            exists (select from intent i where i.account_id = $1 and i.kind = 'land' and i.batch_id = b.id and i.begun_at <= $3
                      and case when i.state = 'begun' then true else i.concluded_at > $3 end) as "landingBegun",
            (select jsonb_agg(jsonb_build_object('pullRequest', m.pull_request_id::text, 'head', m.pinned_head) order by m.ordinal)
             from batch_member m where m.account_id = $1 and m.batch_id = b.id) as members,
            (select coalesce(jsonb_agg(jsonb_build_object('pullRequest', a.pull_request_id::text, 'head', a.pinned_head) order by a.ordinal), '[]')
             from batch_assumption a where a.account_id = $1 and a.batch_id = b.id) as assumes, b.rests_on as "restsOn"
     from batch b
     where b.account_id = $1 and b.queue_id = $2 and b.created_at <= $3
       and (b.state in ('making', 'building', 'landing') or b.ended_at > $3)
     order by b.position`,
    [ctx.accountId, queueId, instant],
  );
}

/** When its commit was made is not kept, when its build was started is: from then on it has one. */
function toBatch(row: BatchRow, instant: string): BatchState {
  const { startedAt } = row;
  const hasStarted = startedAt !== null;
  return {
    ...row,
    state: row.landingBegun ? 'landing' : hasStarted ? 'building' : ('making' satisfies LiveBatchState),
    commit: hasStarted ? row.commit : null,
    tree: hasStarted ? row.tree : null,
    testedCommit: hasStarted ? row.testedCommit : null,
    buildStartedAt: startedAt,
    landingPlanned: row.landingBegun,
    givenUp: instant === 'infinity' && row.givenUp,
  };
}

/** Of the 24 h before. */
async function readLandingsAt(
  ctx: Context,
  tx: Transaction,
  of: { readonly queueId: string; readonly now: number; readonly instant: string },
): Promise<Landed[]> {
  return await tx.query<Landed>(
    'select id, commit, first_parent from landing where account_id = $1 and queue_id = $2 and landed_at > $3 and landed_at <= $4',
    [ctx.accountId, of.queueId, new Date(of.now - 24 * 3_600_000).toISOString(), of.instant],
  );
}

/** What those affected by what had been said of them then. */
async function readTargetsAt(
  ctx: Context,
  tx: Transaction,
  line: readonly LineRow[],
  instant: string,
): Promise<Map<string, string[]>> {
  const rows = await tx.query<{ id: string; targets: string[] | null }>(
    `select p.id, case when v.id is null then p.affected_targets else v.targets end as targets
     from unnest($2::bigint[]) as asked (one) join pull_request p on p.account_id = $1 and p.id = asked.one
       left join lateral (
         select t.id, t.targets from pull_request_targets_past t
         where t.account_id = $1 and t.pull_request_id = p.id and t.until_at > $3 order by t.until_at limit 1) v on true`,
    [ctx.accountId, line.map(({ id }) => id), instant],
  );
  return new Map(rows.flatMap(({ id, targets }) => (targets === null ? [] : [[id, targets] as const])));
}

async function readMergeResults(
  ctx: Context,
  tx: Transaction,
  of: { readonly repositoryId: string; readonly parents: readonly string[]; readonly instant: string },
): Promise<Snapshot['mergeResults']> {
  return await tx.query(
    `select parent, heads, tree, conflict_at as "conflictAt" from merge_result
     where account_id = $1 and repository_id = $2 and parent = any($3) and conflict_at >= 0 and coalesce(found_at, '-infinity') <= $4`,
    [ctx.accountId, of.repositoryId, [...new Set(of.parents)], of.instant],
  );
}
