// Reads the rows of a queue, now or at an instant. The same statements read both. Now is the instant `infinity`.
import type { Context } from '../../../context.ts';
import { defaultConfigurationYaml } from '../../../domain/configuration/keys.ts';
import type { HostRules } from '../../../domain/queue/landing/host-rules.ts';
import type { BatchCause } from '../../../domain/queue/explain/line-position.ts';
import type { BatchState, LiveBatchState, Snapshot } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import type { RecordedLanding } from '../facts/landings.loader.ts';
import { sqlNeedsNoBuild } from '../store/batch.rows.ts';
import { placedColumns, type PlacedRow } from '../store/line.rows.ts';

export interface QueueRow {
  readonly repositoryId: string;
  readonly baseBranch: string;
  readonly defaultBranch: string;
  readonly active: boolean;
  readonly paused: boolean;
  readonly configurationYaml: string;
  readonly tip: string | null;
  readonly tree: string | null;
  readonly hostRequiredChecks: string[];
  readonly hostRules: HostRules | null;
  readonly hostWaitUntil: number | null;
  readonly preparingSince: number | null;
  readonly haltedReason: string | null;
  readonly haltedAt: number | null;
}

export async function readQueue(
  ctx: Context,
  tx: Transaction,
  { queueId, instant }: { readonly queueId: string; readonly instant: string },
): Promise<QueueRow | undefined> {
  const [row] = await tx.query<QueueRow>(
    `select q.repository_id as "repositoryId", q.base_branch as "baseBranch", r.default_branch as "defaultBranch", r.active, r.paused,
            r.configuration_yaml as "configurationYaml", v.base_tip as tip, v.base_tree as tree, v.host_required_checks as "hostRequiredChecks", v.host_rules as "hostRules", extract(epoch from q.host_wait_until)::float8 * 1000 as "hostWaitUntil",
            extract(epoch from r.preparing_since)::float8 * 1000 as "preparingSince",
            v.halted_reason as "haltedReason", extract(epoch from v.halted_at)::float8 * 1000 as "haltedAt"
     from queue q
     join repository r on r.account_id = q.account_id and r.id = q.repository_id
     join lateral (
       select q.base_tip, q.base_tree, q.host_required_checks, q.halted_reason, q.halted_at, q.host_rules, q.version_since as since
       union all
       select p.base_tip, p.base_tree, p.host_required_checks, p.halted_reason, p.halted_at, p.host_rules, p.since from queue_past p
       where p.account_id = $1 and p.queue_id = $2 and p.until_at > $3) v on v.since <= $3
     where q.account_id = $1 and q.id = $2
     order by v.since desc limit 1`,
    [ctx.accountId, queueId, instant],
  );
  return row;
}

export async function configurationAt(
  ctx: Context,
  tx: Transaction,
  { repositoryId, instant }: { readonly repositoryId: string; readonly instant: string },
): Promise<string> {
  const [row] = await tx.query<{ yaml: string }>(
    'select yaml from configuration_change where account_id = $1 and repository_id = $2 and modified_at <= $3 order by id desc limit 1',
    [ctx.accountId, repositoryId, instant],
  );
  return row?.yaml ?? defaultConfigurationYaml;
}

/** A pull request that only waits in line: it is in no live batch, and its other columns contain the `usualValues`. */
export interface WaitingRow extends Pick<PlacedRow, 'id' | 'number' | 'headSha' | 'rank' | 'queuedAt'> {}

export interface LineAt {
  readonly waiting: readonly WaitingRow[];
  readonly others: readonly PlacedRow[];
}

/**
 * The values of the columns that are not read for a `WaitingRow`. `labels` is empty, because none of its labels
 * matters.
 */
export const usualValues = {
  status: 'queued',
  labels: [],
  belowId: null,
  skipValidation: false,
  headUnseen: false,
  reorderedForFailure: false,
  timesPassed: 0,
  skipLine: false,
  requeueAttempts: 0,
  bisectionGroup: null,
  bisectionMax: null,
  bisectionAttempts: 0,
  bisectionPhase: 'in_place',
  topAnnounced: false,
  stuckAnnounced: false,
  conflictParent: null,
  conflictAfter: null,
} as const satisfies Omit<PlacedRow, keyof WaitingRow>;

const isUnusual = `status <> 'queued' or below_id is not null or skip_validation or coalesce(head_unseen, false)
  or coalesce(reordered_for_failure, false) or coalesce(times_passed, 0) > 0 or skip_line or requeue_attempts > 0
  or bisection_group is not null or bisection_max is not null or bisection_attempts > 0 or bisection_phase <> 'in_place'
  or top_announced or stuck_announced or conflict_parent is not null or conflict_after is not null`;

const isBeyondAscii = (text: string): string => `octet_length(${text}) > char_length(${text})`;

/**
 * Whether `label` may be the label $4 by `isSameLabel`, which decides later. Labels in ASCII are compared here. Of the
 * letters beyond ASCII, only the sign of kelvin (8490) has a lower case in ASCII.
 */
const mayBeLabel = `lower(label collate "C") = lower($4::text collate "C")
  or (${isBeyondAscii('label')} and (${isBeyondAscii('$4::text')} or strpos(label, chr(8490)) > 0))`;

/**
 * Reads the line. In a long line nearly all pull requests only wait. Five columns of each of these are read, in one
 * document for all, because a row for each of them costs many times as much.
 */
export async function readLineAt(
  ctx: Context,
  tx: Transaction,
  of: {
    readonly queueId: string;
    readonly instant: string;
    /** Null: no label makes a pull request a barrier. */
    readonly barrierLabel: string | null;
    readonly inBatches: readonly string[];
    /** Null: all pull requests in line are read. */
    readonly ids: readonly string[] | null;
  },
): Promise<LineAt> {
  const [line] = await tx.query<{ waiting: [string, number, string, number, number][]; others: PlacedRow[] }>(
    `select coalesce(json_agg(json_build_array(id::text, number, head_sha, coalesce(rank, 0)::float8, coalesce(extract(epoch from queued_at) * 1000, 0)::float8))
              filter (where not is_unusual), '[]') as waiting,
            coalesce(json_agg((select to_json(other) from (select id::text as id, below_id::text as "belowId", ${placedColumns}) other))
              filter (where is_unusual), '[]') as others
     from (
       select stood.*, coalesce(${isUnusual} or id = any($5::bigint[]) or exists (select from unnest(labels) label where ${mayBeLabel}), true) as is_unusual
       from (
         select p.* from pull_request p where p.account_id = $1 and p.queue_id = $2 and p.status in ('queued', 'tagged') and p.version_since <= $3${of.ids === null ? '' : ' and p.id = any($6::bigint[])'}
         union all
         select r.* from pull_request_past v, jsonb_populate_record(null::pull_request, v.facts) r
         where v.account_id = $1 and v.queue_id = $2 and v.is_in_line and v.since <= $3 and v.until_at > $3) stood) line`,
    [ctx.accountId, of.queueId, of.instant, of.barrierLabel, of.inBatches, ...(of.ids === null ? [] : [of.ids])],
  );
  const { waiting = [], others = [] } = line ?? {};
  return {
    waiting: waiting.map(([id, number, headSha, rank, queuedAt]) => ({ id, number, headSha, rank, queuedAt })),
    others,
  };
}

export interface BatchRow
  extends Pick<
    BatchState,
    | 'id'
    | 'position'
    | 'sideBuild'
    | 'parentBatch'
    | 'parentCommit'
    | 'base'
    | 'assumes'
    | 'restsOn'
    | 'buildKeysHash'
    | 'createdAt'
    | 'landingStarted'
    | 'needsNoBuild'
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

export async function readBatches(
  ctx: Context,
  tx: Transaction,
  { queueId, instant }: { readonly queueId: string; readonly instant: string },
): Promise<BatchRow[]> {
  return await tx.query<BatchRow>(
    `select b.id, b.position::float8 as position, b.side_build as "sideBuild", b.state, b.cause, b.parent_batch_id as "parentBatch", b.parent_commit as "parentCommit",
            b.base_commit as base, b.build_keys_hash as "buildKeysHash", b.commit, b.tree, b.tested_commit as "testedCommit", b.given_up as "givenUp",
            extract(epoch from b.created_at)::float8 * 1000 as "createdAt",
            case when b.build_started_at <= $3 then extract(epoch from b.build_started_at)::float8 * 1000 end as "startedAt",
            ${sqlNeedsNoBuild('b')} as "needsNoBuild",
            exists (select from intent i where i.account_id = $1 and i.kind = 'land' and i.batch_id = b.id and i.started_at <= $3
                      and case when i.state = 'started' then true else i.concluded_at > $3 end) as "landingStarted",
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

/**
 * Converts a row. The time at which the commit of a batch was made is not recorded. So the batch counts as having its
 * commit from the start of its build on.
 */
export function toBatch(row: BatchRow, instant: string): BatchState {
  const { startedAt } = row;
  const hasStarted = startedAt !== null;
  return {
    ...row,
    state: row.landingStarted ? 'landing' : hasStarted ? 'building' : ('making' satisfies LiveBatchState),
    commit: hasStarted ? row.commit : null,
    tree: hasStarted ? row.tree : null,
    testedCommit: hasStarted ? row.testedCommit : null,
    buildStartedAt: startedAt,
    landingPlanned: row.landingStarted,
    givenUp: instant === 'infinity' && row.givenUp,
  };
}

/** The landings of the 24 h before the instant. */
export async function readLandingsAt(
  ctx: Context,
  tx: Transaction,
  of: { readonly queueId: string; readonly now: number; readonly instant: string },
): Promise<RecordedLanding[]> {
  return await tx.query<RecordedLanding>(
    'select id, commit, first_parent from landing where account_id = $1 and queue_id = $2 and landed_at > $3 and landed_at <= $4',
    [ctx.accountId, of.queueId, new Date(of.now - 24 * 3_600_000).toISOString(), of.instant],
  );
}

/** The affected targets that were reported for these pull requests up to the instant, by id. */
export async function readTargetsAt(
  ctx: Context,
  tx: Transaction,
  { ids, instant }: { readonly ids: readonly string[]; readonly instant: string },
): Promise<Map<string, string[]>> {
  const rows = await tx.query<{ id: string; targets: string[] | null }>(
    `select p.id, case when v.id is null then p.affected_targets else v.targets end as targets
     from unnest($2::bigint[]) as asked (one) join pull_request p on p.account_id = $1 and p.id = asked.one
       left join lateral (
         select t.id, t.targets from pull_request_targets_past t
         where t.account_id = $1 and t.pull_request_id = p.id and t.until_at > $3 order by t.until_at limit 1) v on true`,
    [ctx.accountId, ids, instant],
  );
  return new Map(rows.flatMap(({ id, targets }) => (targets === null ? [] : [[id, targets] as const])));
}

export async function readMergeResults(
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
