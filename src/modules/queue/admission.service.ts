// Asks the domain whether a pull request may enter the line, with the facts the rows hold, and writes the answer.
import type { Context } from '../../context.ts';
import { isManagedBranch, numberOfApprovals, type Configuration } from '../../domain/configuration/index.ts';
import { decideAdmission, type Admission, type AdmissionFacts } from '../../domain/queue/admission.ts';
import type { QueueRules } from '../../domain/queue/snapshot.ts';
import type { Transaction } from '../../platform/database.ts';
import type { RepositoryRow } from '../repositories/repositories.entities.ts';
import { loadBuilds } from './build.records.ts';
import { rulesOf } from './configuration.cache.ts';
import { PullRequestEntity, type PullRequestRow, type QueueRow } from './queue.entities.ts';
import { judgeOwn } from './snapshot.loader.ts';
import { announce, blockPullRequest, writeStatus, type QueueWork } from './status.writer.ts';

interface Asked {
  readonly repository: RepositoryRow;
  readonly queue: QueueRow;
  readonly pullRequest: PullRequestRow;
}

export async function decideFor(ctx: Context, tx: Transaction, of: Asked): Promise<Admission> {
  const { repository, queue, pullRequest } = of;
  const { rules } = rulesOf(repository, queue.hostRequiredChecks);
  const [build] = await loadBuilds(ctx, tx, { repositoryId: repository.id, commits: [pullRequest.headSha], trees: [] });
  const own = judgeOwn(build, rules);
  const conflictsWithBase = await conflictsWithTip(ctx, tx, of);
  return decideWith(of, { ownVerdict: own.verdict, ownFailedChecks: own.failed, conflictsWithBase });
}

/**
 * What takes a pull request out of the line again: an approval withdrawn, changes requested, a draft. Its own checks and
 * its conflicts are left to the planner, who sees the line. Null: it stands.
 */
export function findLoss(of: Asked): Exclude<Admission, { kind: 'queue' }> | null {
  const admission = decideWith(of, { ownVerdict: 'green', ownFailedChecks: [], conflictsWithBase: false });
  return admission.kind === 'queue' ? null : admission;
}

function decideWith({ repository, queue, pullRequest }: Asked, seen: Pick<AdmissionFacts, 'ownVerdict' | 'ownFailedChecks' | 'conflictsWithBase'>): Admission {
  const { configuration, rules } = rulesOf(repository, queue.hostRequiredChecks);
  return decideAdmission({
    facts: {
      ...seen,
      isBaseBranchManaged: isManagedBranch(configuration, pullRequest.baseBranch, repository.defaultBranch),
      draft: pullRequest.draft,
      labels: pullRequest.labels,
      approvals: pullRequest.approvals,
      changesRequested: pullRequest.changesRequested,
      unresolvedConversations: pullRequest.unresolvedConversations,
      hasUnverifiedCommits: false,
      failedValidations: [],
    },
    rules: admissionRules(configuration, rules),
    skipValidation: pullRequest.skipValidation,
  });
}

function admissionRules(configuration: Configuration, rules: QueueRules): Parameters<typeof decideAdmission>[0]['rules'] {
  const { preconditions, merge_mode } = configuration.merge_rules;
  return {
    mode: rules.mode,
    numberOfApprovals: numberOfApprovals(configuration),
    conversationResolutionRequired: preconditions.conversation_resolution_required,
    requireVerifiedCommits: false,
    checkMergeabilityToQueue: merge_mode.parallel_mode.check_mergeability_to_queue,
    blockingLabels: [],
  };
}

async function conflictsWithTip(ctx: Context, tx: Transaction, of: { queue: QueueRow; pullRequest: PullRequestRow }): Promise<boolean> {
  const rows = await tx.query(
    'select 1 from merge_result where account_id = $1 and repository_id = $2 and parent = $3 and heads = $4 and conflict_at = 0',
    [ctx.accountId, of.queue.repositoryId, of.queue.baseTip ?? '', [of.pullRequest.headSha]],
  );
  return rows.length > 0;
}

/** Writes what was decided: in line, waiting for something, or blocked with the reason. */
export function writeAdmission(work: QueueWork, pullRequest: PullRequestRow, admission: Admission): void {
  switch (admission.kind) {
    case 'queue':
      writeStatus(work, pullRequest, 'queue');
      announce(work, pullRequest, 'queued');
      break;
    case 'pend':
      writeStatus(work, pullRequest, 'pend', { code: admission.code, text: admission.text });
      break;
    case 'block':
      blockPullRequest(work, pullRequest, { code: admission.code, text: admission.text, failedChecks: admission.code === 107 ? admission.names : [] });
      break;
    default:
      admission satisfies never;
  }
}

/** Pending pull requests are looked at again whenever the queue plans: a fact may have come. */
export async function reconsiderPending(work: QueueWork, repository: RepositoryRow): Promise<void> {
  const { ctx, tx, queue } = work;
  const pending = await tx.em.find(PullRequestEntity, { queueId: queue.id, status: 'pending' }, { orderBy: { askedAt: 'asc', id: 'asc' } });
  for (const pullRequest of pending) {
    const admission = await decideFor(ctx, tx, { repository, queue, pullRequest });
    const isUnchanged = admission.kind === 'pend' && admission.text === pullRequest.statusText;
    if (!isUnchanged) writeAdmission(work, pullRequest, admission);
  }
}

/** Those in line whose preconditions no longer hold are blocked; a landing past its gate is left to its end. */
export async function reconsiderInLine(work: QueueWork, repository: RepositoryRow): Promise<void> {
  const { ctx, tx, queue } = work;
  const inLine = await tx.em.find(PullRequestEntity, { queueId: queue.id, status: { $in: ['queued', 'tagged'] } });
  const lost = inLine.flatMap((pullRequest) => {
    const loss = findLoss({ repository, queue, pullRequest });
    return loss === null ? [] : [{ pullRequest, loss }];
  });
  if (lost.length === 0) return;
  const landing = await tx.query<{ id: string }>(
    `select m.pull_request_id as id from intent i join batch_member m on m.account_id = i.account_id and m.batch_id = i.batch_id
     where i.account_id = $1 and i.queue_id = $2 and i.kind = 'land' and i.state = 'begun'`,
    [ctx.accountId, queue.id],
  );
  const leaving = new Set(landing.map((row) => row.id));
  for (const { pullRequest, loss } of lost) {
    if (leaving.has(pullRequest.id) || loss.code === null) continue;
    blockPullRequest(work, pullRequest, { code: loss.code, text: loss.text });
  }
}
