// Reads the rows for an explanation: versions and events of pull requests, and their checks at an instant.
import type { Actor } from '../../../domain/queue/requests/admission.ts';
import type { Context } from '../../../context.ts';
import { changedAction } from '../../../domain/events/queue-events.ts';
import type { Cause, CheckFact } from '../../../domain/queue/explain/condition.ts';
import type { CheckConclusion } from '../../../domain/queue/model/rules.ts';
import type { BuildState } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import { sqlConclusion, sqlHadEnded, sqlWasKnown } from '../facts/builds.loader.ts';
import { lineColumns, type LineRow } from '../store/line.rows.ts';
import { toCause } from './as-of.gates.ts';
import type { QueueAsOf } from './as-of.loader.ts';
import { loadJudgedBuilds } from '../facts/judged-builds.ts';

/** A pull request as it was from `since` (milliseconds since the epoch) until its next version. */
export interface Version extends LineRow {
  readonly queueId: string | null;
  readonly repositoryId: string;
  readonly since: number;
  readonly statusCode: number | null;
  readonly statusActor: Actor | null;
  readonly title: string;
  readonly body: string;
}

const maxVersions = 100;

const maxEvents = 50;

/** The newest of these events says whether a user took the pull request out of the line, and which user. */
const queueing = ['dequeued', 'queued', 'opened'];

interface Wanted {
  readonly ids: readonly string[];
  readonly instant: string;
  /** Whether only the newest version of each pull request is read, and only its newest event of `queueing`. */
  readonly isBrief: boolean;
}

/** The versions of each pull request up to the instant, newest first, by id of the pull request. */
export async function readVersions(
  ctx: Context,
  tx: Transaction,
  { ids, instant, isBrief }: Wanted,
): Promise<Map<string, Version[]>> {
  const rows = await tx.query<Version>(
    `select ${lineColumns}, title, body, repository_id as "repositoryId", queue_id as "queueId", status_code as "statusCode", status_actor as "statusActor",
            extract(epoch from version_since)::float8 * 1000 as since
     from unnest($2::bigint[]) as asked (one), lateral (
       select * from (
         select p.* from pull_request p where p.account_id = $1 and p.id = asked.one
         union all
         select r.* from pull_request_past v, jsonb_populate_record(null::pull_request, v.facts) r
         where v.account_id = $1 and v.pull_request_id = asked.one) stood
       where stood.version_since <= $3 order by stood.version_since desc limit ${isBrief ? 1 : maxVersions}) version
     order by version_since desc`,
    [ctx.accountId, ids, instant],
  );
  return Map.groupBy(rows, (row) => row.id);
}

/**
 * The events of each pull request up to the instant that may have caused its status, newest first, by id of the pull
 * request.
 */
export async function readEvents(
  ctx: Context,
  tx: Transaction,
  { ids, instant, isBrief }: Wanted,
): Promise<Map<string, Cause[]>> {
  const rows = await tx.query<Cause & { readonly pullRequestId: string }>(
    `select e.pull_request_id as "pullRequestId", e.action, extract(epoch from e.at)::float8 * 1000 as at, e.actor
     from unnest($2::bigint[]) as asked (one), lateral (
       select * from event where account_id = $1 and pull_request_id = asked.one and at <= $3 and ($4::text[] is null or action = any($4)) and action <> $5 order by id desc limit ${isBrief ? 1 : maxEvents}) e
     order by e.id desc`,
    [ctx.accountId, ids, instant, isBrief ? queueing : null, changedAction],
  );
  const causes = new Map<string, Cause[]>();
  for (const [id, events] of Map.groupBy(rows, (row) => row.pullRequestId)) causes.set(id, events.map(toCause));
  return causes;
}

/** The builds of the commits, by commit. The builds of pull requests in line were already read with the line. */
export async function readBuildsOf(
  ctx: Context,
  tx: Transaction,
  {
    queue: { repositoryId, rules, at, view },
    commits,
  }: { readonly queue: QueueAsOf; readonly commits: readonly string[] },
): Promise<Map<string, BuildState>> {
  const known = new Map(view.snapshot.builds.map((build) => [build.commit, build]));
  const unknown = commits.filter((commit) => !known.has(commit));
  if (unknown.length === 0) return known;
  const wanted = { repositoryId, commits: unknown, trees: [], at };
  for (const build of await loadJudgedBuilds(ctx, tx, { wanted, rules })) known.set(build.commit, build);
  return known;
}

/** The newest attempt of each check at the instant, by commit. */
export async function readChecks(
  ctx: Context,
  tx: Transaction,
  { queue: { repositoryId, at }, commits }: { readonly queue: QueueAsOf; readonly commits: readonly string[] },
): Promise<Map<string, CheckFact[]>> {
  const rows = await tx.query<CheckFact & { readonly commit: string; readonly conclusion: CheckConclusion }>(
    `select distinct on (r.commit, r.name) r.commit, r.name, ${sqlConclusion('$4')} as conclusion,
            case when ${sqlHadEnded('$4')} then extract(epoch from r.completed_at)::float8 * 1000 end as "endedAt",
            case when ${sqlHadEnded('$4')} then r.summary end as summary
     from check_result r
     where r.account_id = $1 and r.repository_id = $2 and r.commit = any($3) and ${sqlWasKnown('$4')}
     order by r.commit, r.name, r.attempt desc`,
    [ctx.accountId, repositoryId, commits, at?.toISOString() ?? 'infinity'],
  );
  return Map.groupBy(rows, (row) => row.commit);
}
