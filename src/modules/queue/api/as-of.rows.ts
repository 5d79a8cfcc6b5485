// Rows of a queue now or at an instant. The same statements read both, with the instant `infinity` for now.
import type { Context } from '../../../context.ts';
import { defaultConfigurationYaml } from '../../../domain/configuration/keys.ts';
import type { HostRules } from '../../../domain/queue/landing/host-rules.ts';
import type { BatchCause } from '../../../domain/queue/explain/line-position.ts';
import type { BatchState, LiveBatchState, Snapshot } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction, Database } from '../../../platform/database.ts';
import type { Landed } from '../facts/landings.loader.ts';
import { lineColumns, type LineRow } from '../store/line.rows.ts';

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
       select q.base_tip, q.base_tree, q.host_required_checks, q.halted_reason, q.halted_at, q.host_rules, q.standing_since as since
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

export async function readLineAt(
  ctx: Context,
  tx: Transaction,
  { queueId, instant }: { readonly queueId: string; readonly instant: string },
): Promise<LineRow[]> {
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
            exists (select from intent i where i.account_id = $1 and i.kind = 'land' and i.batch_id = b.id and i.started_at <= $3
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

/** The time of its commit is not recorded. The time of its build is: from then on it has a commit. */
export function toBatch(row: BatchRow, instant: string): BatchState {
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

/** Of the 24 h before the instant. */
export async function readLandingsAt(
  ctx: Context,
  tx: Transaction,
  of: { readonly queueId: string; readonly now: number; readonly instant: string },
): Promise<Landed[]> {
  return await tx.query<Landed>(
    'select id, commit, first_parent from landing where account_id = $1 and queue_id = $2 and landed_at > $3 and landed_at <= $4',
    [ctx.accountId, of.queueId, new Date(of.now - 24 * 3_600_000).toISOString(), of.instant],
  );
}

/** The targets that were reported for these by that time. */
export async function readTargetsAt(
  ctx: Context,
  tx: Transaction,
  { line, instant }: { readonly line: readonly LineRow[]; readonly instant: string },
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

const daysKept = { pull_request_past: 400, queue_past: 400, pull_request_targets_past: 30 } as const;

const versionsAtOnce = 5_000;

/**
 * Deletes old versions. Versions of pull requests and queues are kept as long as the event log, and versions of
 * affected targets, which may be large, for a month. Returns the number of deleted versions.
 */
export async function forgetOldVersions(db: Database, now: Date): Promise<number> {
  let deletedCount = 0;
  for (const [table, days] of Object.entries(daysKept)) {
    const cutoff = new Date(now.getTime() - days * 24 * 3_600_000).toISOString();
    for (;;) {
      const deleted = await db.system.query(
        `delete from ${table} where ctid = any(array(select ctid from ${table} where until_at < $1 limit ${versionsAtOnce})) returning 1`,
        [cutoff],
      );
      deletedCount += deleted.length;
      if (deleted.length < versionsAtOnce) break;
    }
  }
  return deletedCount;
}
