// Loads builds with their checks as the planner sees them, now or as of an instant. `build.records.ts` writes the rows.
import type { Context } from '../../../context.ts';
import { evidenceLifetimeMs } from '../../../domain/queue/evidence/evidence.ts';
import type { CheckConclusion } from '../../../domain/queue/model/rules.ts';
import type { BuildState } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';

/**
 * Returns SQL: whether the end of a check, in the row r of `check_result`, was known at an instant. `infinity` means
 * now.
 */
export function sqlHadEnded(instant: string, row = 'r'): string {
  return `coalesce(${row}.end_heard_at, ${row}.completed_at, ${row}.started_at, '-infinity') <= ${instant}`;
}

/**
 * Returns SQL: whether an earlier attempt of the check of row r had ended at an instant. The first runs of two workflows
 * with a check of the same name are two attempts, and neither runs again.
 */
function sqlRunsAgain(instant: string): string {
  return `exists (select from check_result e
                  where e.account_id = r.account_id and e.repository_id = r.repository_id and e.commit = r.commit and e.name = r.name
                    and e.attempt < r.attempt and e.conclusion <> 'pending' and ${sqlHadEnded(instant, 'e')})`;
}

/** Returns SQL: the conclusion of the row r at an instant. */
export function sqlConclusion(instant: string): string {
  return `case when ${sqlHadEnded(instant)} then r.conclusion else 'pending' end`;
}

/**
 * Returns SQL: the checks of the JSON array `checks` whose attempt has, and had, another conclusion, or is not recorded.
 * `of` names the account, the repository and the commit.
 */
export function sqlUnrecorded(
  checks: string,
  of: { readonly account: string; readonly repository: string; readonly commit: string },
): string {
  return `select c.name, c.attempt, c.conclusion from jsonb_to_recordset(${checks}) as c (name text, attempt int, conclusion text)
          where not exists (
            select from check_result r
            where r.account_id = ${of.account} and r.repository_id = ${of.repository} and r.commit = ${of.commit} and r.name = c.name
              and r.attempt = c.attempt and c.conclusion = any (r.conclusion || r.past_conclusions))`;
}

/**
 * Returns SQL: whether the row r was known at an instant. If it is not recorded when the row became known, a first
 * attempt counts as known since the build, and a later attempt since its start.
 */
export function sqlWasKnown(instant: string): string {
  return `case when r.heard_at is null then r.attempt = 1 or coalesce(r.started_at, '-infinity') <= ${instant} else r.heard_at <= ${instant} end`;
}

export interface WantedBuilds {
  readonly repositoryId: string;
  readonly commits: readonly string[];
  readonly trees: readonly string[];
  /** Builds of these commits with one of the trees are read at any age. */
  readonly heads?: readonly string[];
  /** The instant as of which the builds are read. Null or absent: now. */
  readonly at?: Date | null;
}

// They are named, because a statement with a wildcard is not prepared, and planning this one takes long.
const buildColumns = 'commit, tree, base_commit, complete, complete_at, started_at, finished_at, stopped';

/** Builds of the given commits, and every build of the given trees that is recent enough to be evidence. */
export async function loadBuilds(ctx: Context, tx: Transaction, wanted: WantedBuilds): Promise<BuildState[]> {
  if (wanted.commits.length === 0 && wanted.trees.length === 0) return [];
  const at = wanted.at ?? null;
  const since = new Date((at ?? ctx.clock()).getTime() - evidenceLifetimeMs).toISOString();
  const rows = await tx.query<BuildRecord>(
    `select b.commit, b.tree, b.base_commit, b.stopped,
            b.complete and coalesce(b.complete_at, b.finished_at, b.started_at) <= $6 as complete,
            extract(epoch from b.started_at) * 1000 as started, case when b.finished_at <= $6 then extract(epoch from b.finished_at) * 1000 end as finished,
            c.last_end, coalesce(c.checks, '[]') as checks, c.stopped_attempts, extract(epoch from h.until) * 1000 as other_base_until
     from (select ${buildColumns} from build where account_id = $1 and repository_id = $2 and commit = any($3)
           union select ${buildColumns} from build where account_id = $1 and repository_id = $2 and tree = any($4) and (started_at > $5 or commit = any($7))) b
     left join lateral (
       select max(p.other_base_until) as until from pull_request p
       where p.account_id = $1 and p.repository_id = $2 and p.head_sha = b.commit and p.other_base_until is not null and p.base_changed_at <= $6) h on true
     left join lateral (
       select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', r.name, 'attempt', r.attempt, 'conclusion', ${sqlConclusion('$6')}, 'event', r.event,
                'heardAt', case when ${sqlRunsAgain('$6')} and ${sqlConclusion('$6')} = 'pending' then round(extract(epoch from r.heard_at) * 1000) end,
                'workflowRunAt', case when h.until is not null then extract(epoch from r.workflow_run_at) * 1000 end)) order by r.name, r.attempt) as checks,
              jsonb_agg(jsonb_build_object('name', r.name, 'attempt', r.attempt)) filter (where r.stopped_batch_id is not null) as stopped_attempts,
              extract(epoch from max(r.completed_at) filter (where ${sqlHadEnded('$6')})) * 1000 as last_end
       from check_result r
       where r.account_id = $1 and r.repository_id = $2 and r.commit = b.commit and ${sqlWasKnown('$6')}) c on true
     where b.started_at <= $6`,
    [
      ctx.accountId,
      wanted.repositoryId,
      [...wanted.commits],
      [...wanted.trees],
      since,
      at?.toISOString() ?? 'infinity',
      [...(wanted.heads ?? [])],
    ],
  );
  return rows.map(toBuildState);
}

interface BuildRecord {
  readonly commit: string;
  readonly tree: string;
  readonly base_commit: string;
  readonly complete: boolean;
  readonly stopped: boolean;
  /** Milliseconds since the epoch, like the other instants here. */
  readonly started: string;
  readonly finished: string | null;
  readonly last_end: string | null;
  readonly other_base_until: string | null;
  readonly checks: {
    name: string;
    attempt: number;
    conclusion: CheckConclusion;
    event?: string;
    heardAt?: number;
    workflowRunAt?: number;
  }[];
  readonly stopped_attempts: { name: string; attempt: number }[] | null;
}

function toBuildState(row: BuildRecord): BuildState {
  return {
    commit: row.commit,
    tree: row.tree,
    base: row.base_commit,
    complete: row.complete,
    checks: row.checks,
    startedAt: Math.round(Number(row.started)),
    finishedAt: row.finished === null ? null : Math.round(Number(row.finished)),
    lastEndAt: row.last_end === null ? null : Math.round(Number(row.last_end)),
    ...(row.other_base_until !== null && { otherBaseUntil: Math.round(Number(row.other_base_until)) }),
    ...(row.stopped && { isStopped: true }),
    ...(row.stopped_attempts && { stoppedAttempts: row.stopped_attempts }),
  };
}
