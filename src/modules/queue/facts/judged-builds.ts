// Loads builds and judges own checks for the planner and for admission. A failed check that is retried counts as
// pending until its new attempt ends.
import type { Context } from '../../../context.ts';
import { decideRetries, withUndecidedChecks, type Retry } from '../../../domain/queue/evidence/check-retry.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import type { BuildState, Verdict } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import { loadBuilds, type WantedBuilds } from './builds.loader.ts';
import {
  failedChecks,
  judgeChecks,
  judgeOwnHead,
  mayHeadsBeEvidence,
  missingChecks,
  withoutHeads,
} from '../../../domain/queue/evidence/evidence.ts';

/** Loads builds. A failed check that is being retried, or is about to be retried, is pending in them. */
export async function loadJudgedBuilds(
  ctx: Context,
  tx: Transaction,
  { wanted, rules }: { readonly wanted: WantedBuilds; readonly rules: QueueRules },
): Promise<readonly BuildState[]> {
  return await judgeBuilds(ctx, tx, { builds: await loadBuilds(ctx, tx, wanted), wanted, rules });
}

/** Like `loadJudgedBuilds`, for builds that were already loaded. */
export async function judgeBuilds(
  ctx: Context,
  tx: Transaction,
  of: {
    readonly builds: readonly BuildState[];
    readonly wanted: Pick<WantedBuilds, 'repositoryId' | 'at'>;
    readonly rules: QueueRules;
  },
): Promise<readonly BuildState[]> {
  const undecided = await findUndecided(ctx, tx, of);
  return of.builds.map((build) => withUndecidedChecks(build, undecided.get(build.commit) ?? []));
}

/** Like `loadJudgedBuilds`, for builds of heads that were already loaded. Returns the builds by head commit. */
export async function judgedHeads(
  ctx: Context,
  tx: Transaction,
  of: {
    readonly heads: ReadonlyMap<string, BuildState>;
    readonly wanted: Pick<WantedBuilds, 'repositoryId' | 'at'>;
    readonly rules: QueueRules;
  },
): Promise<ReadonlyMap<string, BuildState>> {
  const undecided = await findUndecided(ctx, tx, { ...of, builds: of.heads.values() });
  if (undecided.size === 0) return of.heads;
  const judged = new Map(of.heads);
  for (const [commit, names] of undecided) {
    const build = of.heads.get(commit);
    if (build !== undefined) judged.set(commit, withUndecidedChecks(build, names));
  }
  return judged;
}

/** The names of the checks that are being retried or are about to be retried, by commit. */
async function findUndecided(
  ctx: Context,
  tx: Transaction,
  of: {
    readonly builds: Iterable<BuildState>;
    readonly wanted: Pick<WantedBuilds, 'repositoryId' | 'at'>;
    readonly rules: QueueRules;
  },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rules } = of;
  const { repositoryId, at = null } = of.wanted;
  if (rules.retriableChecks === null) return new Map();
  const now = (at ?? ctx.clock()).getTime();
  const failed = [...of.builds].filter((build) => decideRetries(build, { rules, retries: [], now }).due.length > 0);
  if (failed.length === 0) return new Map();
  const retries = await loadRetries(ctx, tx, { repositoryId, builds: failed, at });
  return new Map(failed.map((build) => [build.commit, decideRetries(build, { rules, retries, now }).undecided]));
}

export async function loadRetries(
  ctx: Context,
  tx: Transaction,
  of: { readonly repositoryId: string; readonly builds: readonly BuildState[]; readonly at: Date | null },
): Promise<Retry[]> {
  return await tx.query<Retry>(
    `select commit, name, attempt, case when started_at <= $4 then state else 'planned' end as state,
            case when started_at <= $4 then extract(epoch from started_at)::float8 * 1000 end as "startedAt"
     from check_retry where account_id = $1 and repository_id = $2 and commit = any($3) and planned_at <= $4`,
    [ctx.accountId, of.repositoryId, of.builds.map((build) => build.commit), of.at?.toISOString() ?? 'infinity'],
  );
}

export interface OwnChecks {
  readonly verdict: Verdict;
  readonly failed: readonly string[];
  /** The failed checks that never ran. */
  readonly missing: readonly string[];
  /** The canceled checks, if nothing else keeps the verdict from being green. */
  readonly canceled: readonly string[];
}

/**
 * Judges a pull request's own required checks on its head. Admission, planner, gate and explanations all use this
 * function.
 */
export function judgeOwnChecks(build: BuildState | undefined, rules: QueueRules): OwnChecks {
  const nothing = { failed: [], missing: [], canceled: [] };
  if (build === undefined) return { verdict: 'none', ...nothing };
  const required = rules.ownRequiredChecks;
  const verdict = judgeOwnHead(build, rules);
  if (verdict === 'red')
    return { ...nothing, verdict, failed: failedChecks(build, required), missing: missingChecks(build, required) };
  const isCanceled = verdict === 'pending' && judgeChecks(build, required) === 'none';
  return { ...nothing, verdict, canceled: isCanceled ? failedChecks(build, required) : [] };
}

/**
 * Removes the builds of `heads` and of all heads in line if builds of head commits must not be evidence, as the planner
 * does. A pull request in line may have the same content as a batch without being its member.
 */
export async function withoutHeadsInLine(
  ctx: Context,
  tx: Transaction,
  {
    queueId,
    builds,
    rules,
    heads,
  }: {
    readonly queueId: string;
    readonly builds: readonly BuildState[];
    readonly rules: QueueRules;
    readonly heads: readonly string[];
  },
): Promise<readonly BuildState[]> {
  if (builds.length === 0 || mayHeadsBeEvidence(rules)) return builds;
  const inLine = await tx.query<{ head: string }>(
    `select head_sha as head from pull_request
     where account_id = $1 and queue_id = $2 and status in ('queued', 'tagged') and head_sha = any($3)`,
    [ctx.accountId, queueId, builds.map(({ commit }) => commit)],
  );
  return withoutHeads(builds, rules, [...heads, ...inLine.map(({ head }) => head)]);
}
