// Plans automatic updates of branches in a turn of the queue. Reads which pull requests are behind the base branch, and
// plans a sync of the chosen ones (src/domain/queue/requests/auto-update.ts).
import { isManagedBranch, type Configuration } from '../../../domain/configuration/index.ts';
import {
  planAutoUpdates,
  type AutoUpdateRules,
  type UpdateCandidate,
} from '../../../domain/queue/requests/auto-update.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { planBranchWork } from './branch-work.ts';
import type { QueueWork } from '../store/status.writer.ts';
import type { Decision } from '../../../domain/queue/model/decision.ts';

/** Plans updates. Returns when the queue must take a turn for updates. Null: no pull request waits for an update. */
export async function planUpdates(
  work: QueueWork,
  repository: RepositoryRow,
  configuration: Configuration,
): Promise<number | null> {
  const { ctx, tx, queue, now } = work;
  const { enabled, label, max_runs_for_update } = configuration.merge_rules.auto_update;
  const isManaged = isManagedBranch(configuration, queue.baseBranch, repository.defaultBranch);
  const rules: AutoUpdateRules = {
    enabled: enabled && isManaged && repository.active,
    label,
    maxRuns: max_runs_for_update ?? null,
  };
  if (!rules.enabled) {
    queue.updatesWait = false;
    return null;
  }
  const plan = planAutoUpdates(rules, await readCandidates(work), now.getTime());
  for (const id of plan.update)
    await planBranchWork(ctx, tx, {
      kind: 'sync',
      pullRequest: { id, queueId: queue.id },
      payload: { cause: 'auto_update' },
      again: false,
    });
  queue.updatesWait = plan.waits;
  return plan.planAgainAt;
}

interface CandidateRow extends Omit<UpdateCandidate, 'lastUpdatedAt' | 'checksRunSince'> {
  readonly last_updated_ms: string | null;
  readonly checks_run_since_ms: string | null;
}

/**
 * Pull requests that are behind or may be behind their base branch, and pull requests whose update is running. The base
 * branch of a stacked pull request is the head branch of the pull request below. Once the one below has ended, later
 * commits on its branch are not brought in, and its recorded head may no longer be the tip of the branch.
 */
async function readCandidates({ ctx, tx, queue }: QueueWork): Promise<UpdateCandidate[]> {
  await tx.em.flush();
  const rows = await tx.query<CandidateRow>(
    `select * from (
     select p.id, p.number, p.labels, coalesce(u.runs, 0) as runs,
            extract(epoch from u.updated_at) * 1000 as last_updated_ms,
            (u.head = p.head_sha and u.base = base.tip) is true or (b.base_commit = base.tip) is true
              or (d.status in ('merged', 'closed')) is true as "isUpToDate",
            (u.failed_head = p.head_sha) is true as "hasFailed",
            case when b.finished_at is null then extract(epoch from b.started_at) * 1000 end as checks_run_since_ms,
            (u.is_automatic and u.head = p.head_sha) is true as "isAutomatic",
            exists (select from intent i where i.account_id = $1 and i.pull_request_id = p.id and i.kind = 'sync' and i.state in ('planned', 'started')) as "isPlanned"
     from pull_request p
     left join pull_request d on d.account_id = $1 and d.id = p.below_id and p.base_branch <> $4
     cross join lateral (select coalesce(d.head_sha, $3) as tip) base
     left join branch_update u on u.account_id = $1 and u.pull_request_id = p.id
     left join build b on b.account_id = $1 and b.repository_id = p.repository_id and b.commit = p.head_sha
     where p.account_id = $1 and p.queue_id = $2 and p.head_fork is null and p.status in ('open', 'pending', 'blocked')) candidate
     where not ("isUpToDate" or "hasFailed") or "isPlanned" or ("isAutomatic" and checks_run_since_ms is not null)`,
    [ctx.accountId, queue.id, queue.baseTip, queue.baseBranch],
  );
  return rows.map(({ last_updated_ms, checks_run_since_ms, ...row }) => ({
    ...row,
    lastUpdatedAt: last_updated_ms === null ? null : Number(last_updated_ms),
    checksRunSince: checks_run_since_ms === null ? null : Number(checks_run_since_ms),
  }));
}

/**
 * A worker of the last release ends an update without a new version of the queue. It may die before it wakes the queue,
 * and nothing else would cause another turn. With the next release, no such worker is left, and this turn can go.
 */
const lookAgainMs = 60_000;

/**
 * Carries out `update_before_requeue`: a pull request that is requeued is updated first. Until the update is done, the
 * queue starts no build, because a build would contain the old head. The end of an update increases the version of the
 * queue, and so causes another turn. Until the next release, the queue also takes a turn after `lookAgainMs`.
 */
export async function updateBeforeRequeue(
  work: QueueWork,
  configuration: Configuration,
  decisions: readonly Decision[],
): Promise<readonly Decision[]> {
  const { merge_mode } = configuration.merge_rules;
  if (!merge_mode.parallel_mode.update_before_requeue) return decisions;
  const { ctx, tx, queue } = work;
  const requeued = decisions.flatMap((each) => (each.kind === 'RequeuePullRequest' ? [each.pullRequest] : []));
  for (const id of requeued)
    await planBranchWork(ctx, tx, {
      kind: 'sync',
      pullRequest: { id, queueId: queue.id },
      payload: { cause: 'requeue', holdsLine: true },
      again: true,
    });
  const open = await tx.query(
    `select 1 from intent where account_id = $1 and queue_id = $2 and kind = 'sync' and state in ('planned', 'started')
     and payload->>'holdsLine' = 'true' limit 1`,
    [ctx.accountId, queue.id],
  );
  const others = decisions.filter(({ kind }) => kind !== 'StartBatch');
  if (open.length === 0 || others.length === decisions.length) return decisions;
  return [...others, { kind: 'PlanAgainAt', at: work.now.getTime() + lookAgainMs }];
}
