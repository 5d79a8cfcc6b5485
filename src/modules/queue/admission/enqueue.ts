// Queues and dequeues pull requests for every source: the API, a label, a command in a comment. Refusals are decided
// here, so that every source gives the same sentence.
import { systemContext, type Context } from '../../../context.ts';
import { isPermissionEnough } from '../../../domain/accounts/github-people.ts';
import { DomainError } from '../../../domain/errors.ts';
import { allowedActors } from '../../../domain/queue/requests/commands.ts';
import { isQueued, isTerminal } from '../../../domain/queue/model/status.ts';
import {
  canSkipLine,
  canSkipValidation,
  isMemberOfTeam,
  type RequestSource,
  skipRefusals,
} from '../../accounts/index.ts';
import type { HostedRepository } from '../../../hosts/port.ts';
import { permissionOfHandle } from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { loadAdmission, writeAdmission } from './admission.service.ts';
import type { FactsOfHeads } from './facts-of-heads.ts';
import { configurationOf } from '../store/rules-in-force.ts';
import { takeBackWithdrawal, voidLandings } from '../store/intents.ts';
import { PullRequestEntity, type PullRequestRow } from '../store/queue.entities.ts';
import { keepTrace } from '../facts/traces.ts';
import { isBasedOnLanded, loadPullRequestsBelow } from '../facts/stacks.ts';
import { announceDequeued, noOptions, repositoryOf, writeStatus, type QueueWork } from '../store/status.writer.ts';

/** `runbook`: the request was part of a runbook that made the pull request. */
export type QueueSource = RequestSource | 'label' | 'slash_command' | 'runbook';
type EnqueuedRepository = HostedRepository & Pick<RepositoryRow, 'active' | 'configurationYaml'>;

/** The options of a request that need a permission. */
export interface SkipOptions {
  readonly skipLine?: boolean | null;
  readonly skipLineReason?: string | null;
  readonly skipValidation?: boolean | null;
  readonly requestedBy?: string | null;
}

export function refuseSource(repository: EnqueuedRepository, source: QueueSource): void {
  if (!repository.active) throw inactiveRepository();
  const blocked: readonly string[] = configurationOf(repository).merge_rules.blocked_queue_sources;
  if (blocked.includes(source)) {
    throw new DomainError('QUEUE_SOURCE_BLOCKED', `Queueing by ${source} is disabled`);
  }
}

function inactiveRepository(): DomainError {
  return new DomainError('NOT_QUEUEABLE', 'The repository is inactive.');
}

const longestReason = 1_000;

export async function authoriseSkips(
  ctx: Context,
  repository: EnqueuedRepository,
  request: SkipOptions,
): Promise<void> {
  const requestedBy = request.requestedBy || null;
  if (request.skipLine) {
    if (!(await maySkip(ctx, repository, { can: canSkipLine, requestedBy }))) throw mayNotSkipLine();
    if (configurationOf(repository).merge_rules.require_skip_line_reason && !request.skipLineReason?.trim()) {
      throw new DomainError(
        'SKIP_LINE_REASON_REQUIRED',
        'This repository requires skip_line_reason.',
        'pull_request.skip_line_reason',
      );
    }
    if ((request.skipLineReason?.length ?? 0) > longestReason) {
      throw new DomainError(
        'BAD_INPUT',
        `pull_request.skip_line_reason must be at most ${longestReason} characters long; shorten it.`,
        'pull_request.skip_line_reason',
      );
    }
  }
  if (request.skipValidation && !(await maySkip(ctx, repository, { can: canSkipValidation, requestedBy }))) {
    throw new DomainError('FORBIDDEN', skipRefusals.skip_validation, 'pull_request.skip_validation');
  }
}

/**
 * Whether the caller may skip, and also the person in whose name the request is made. Admins of the account, users with
 * the permission, and admins of the repository at GitHub may skip.
 */
export async function maySkip(
  ctx: Context,
  repository: HostedRepository,
  { can, requestedBy }: { readonly can: typeof canSkipLine; readonly requestedBy: string | null },
): Promise<boolean> {
  const system = systemContext(ctx, ctx.accountId);
  const isAdmin = async (login: string): Promise<boolean> =>
    (await permissionOfHandle(system, repository, login.replace(/^@/, ''))) === 'admin';
  const { personAtGitHub } = ctx.actor;
  const callerMaySkip =
    (await can(ctx, repository.id)) || (personAtGitHub !== null && (await isAdmin(personAtGitHub.login)));
  if (!callerMaySkip || requestedBy === null) return callerMaySkip;
  return (await can(system, repository.id, requestedBy)) || (await isAdmin(requestedBy));
}

/**
 * Throws FORBIDDEN if the person cannot write to a repository at GitHub. If `person` is null, nothing is refused.
 * `isForLanding`: a batch cannot go on without this read.
 */
export async function requireWriteAccess(
  ctx: Context,
  repository: EnqueuedRepository,
  { person, isForLanding }: { readonly person: string | null; readonly isForLanding: boolean },
): Promise<void> {
  const has = person === null ? 'trusted' : await permissionOfHandle(ctx, repository, person, { isForLanding });
  if (has !== 'trusted' && !isPermissionEnough(has, 'write'))
    throw new DomainError('FORBIDDEN', `Only people who can write to the repository can ask this; @${person} cannot.`);
}

function mayNotSkipLine(): DomainError {
  return new DomainError('FORBIDDEN', skipRefusals.skip_line, 'pull_request.skip_line');
}

/** Authorises a person who is known only by a handle on the code host. The service acts in the name of that person. */
export async function authorisePerson(
  ctx: Context,
  repository: EnqueuedRepository,
  { person, ...skips }: SkipOptions & { readonly person: string | null },
): Promise<void> {
  // The host did not say who the person is, so nobody can be authorised.
  if (person === null) throw mayNotSkipLine();
  await authoriseSkips(systemContext(ctx, ctx.accountId), repository, { ...skips, requestedBy: person });
  if (skips.skipLine) await refuseUnlessAllowed(ctx, repository, { command: 'skip_line', person });
  if (skips.skipValidation) await refuseUnlessAllowed(ctx, repository, { command: 'skip_validation', person });
}

/**
 * Applies `command_restrictions` of the configuration. They restrict who may give commands; they give no permission.
 */
export async function refuseUnlessAllowed(
  ctx: Context,
  repository: EnqueuedRepository,
  asked: { readonly command: 'skip_line' | 'skip_validation' | 'dequeue'; readonly person: string },
): Promise<void> {
  const restrictions = configurationOf(repository).merge_rules.command_restrictions;
  const actors = allowedActors(
    restrictions.map(({ commands, allowed_actors }) => ({ commands, allowedActors: allowed_actors })),
    asked.command,
  );
  if (actors === null) return;
  for (const actor of actors) {
    if (actor.toLowerCase() === `@${asked.person}`.toLowerCase()) return;
    if (actor.includes('/') && (await isMemberOfTeam(ctx, { team: actor, handle: asked.person }))) return;
  }
  throw new DomainError(
    'FORBIDDEN',
    `@${asked.person} is not among those who may ${commandTexts[asked.command]} here: ${actors.join(', ')}.`,
  );
}

const commandTexts = {
  skip_line: 'skip the line',
  skip_validation: 'skip validation',
  dequeue: 'dequeue',
} as const;

type EnqueueOptions = SkipOptions & { readonly by: string | null };

interface Enqueued {
  readonly repository: RepositoryRow;
  readonly row: PullRequestRow;
  /** The facts of the head, if they were read with the locks. */
  readonly facts?: FactsOfHeads | null;
}

/**
 * Queues a pull request and the pull requests below it in its stack. Idempotent: a pull request that is pending or in
 * line gets the options and keeps its place.
 */
export async function enqueue(work: QueueWork, enqueued: Enqueued, options: EnqueueOptions): Promise<void> {
  const { repository, row } = enqueued;
  if (isTerminal(row.status))
    throw new DomainError('NOT_QUEUEABLE', `The pull request is ${row.status}; only an open one can be queued.`);
  // The repository that the caller read before the queue was locked may have been deactivated since.
  if (!(await repositoryOf(work)).active) throw inactiveRepository();
  const pullRequestsBelow = await loadPullRequestsBelow(work, row);
  for (const each of [...pullRequestsBelow, row]) if (isQueued(each.status)) await takeBackWithdrawal(work, each.id);
  for (const below of pullRequestsBelow) {
    const isRequested = isQueued(below.status) || below.status === 'pending';
    // Validation is skipped only for the pull request that the request names.
    if (!isRequested || options.skipLine)
      await enqueueOne(work, { repository, row: below }, { ...options, skipValidation: false });
  }
  await enqueueOne(work, enqueued, options);
}

async function enqueueOne(work: QueueWork, enqueued: Enqueued, options: EnqueueOptions): Promise<void> {
  const { repository, row, facts = null } = enqueued;
  const wasInLine = isQueued(row.status);
  if (options.skipLine) Object.assign(row, { skipLine: true, skipLineReason: options.skipLineReason?.trim() || null });
  if (options.skipValidation) {
    await refuseSkipOnLanded(work, row);
    row.skipValidation = true;
  }
  if (options.requestedBy) row.requestedBy = options.requestedBy.replace(/^@/, '');
  row.mergeRequestedAt = work.now;
  row.mergeRequestedBy = options.by;
  work.relabelled.add(row);
  if (wasInLine) return;
  // The decision reads the rows of the pull requests below, which this transaction may have just queued.
  if (row.belowId) await work.tx.em.flush();
  const { ctx, tx, queue } = work;
  await keepTrace(ctx, tx, row.id);
  writeAdmission(work, row, await loadAdmission(ctx, tx, { repository, queue, pullRequest: row, known: facts }));
}

/** Nobody skips the validation of commits that the conversation of the pull request may not show. */
async function refuseSkipOnLanded(work: QueueWork, row: PullRequestRow): Promise<void> {
  if (!(await isBasedOnLanded(work, row))) return;
  const below = await work.tx.em.findOneOrFail(PullRequestEntity, { id: row.belowId ?? '' });
  throw new DomainError(
    'NOT_QUEUEABLE',
    `The validation of #${row.number} cannot be skipped while its base branch is ${row.baseBranch}: #${below.number} has landed, and commits that were pushed to this branch afterwards would land with #${row.number} without a build. Change the base branch to ${work.queue.baseBranch} first.`,
    'pull_request.skip_validation',
  );
}

/** Takes the pull request out of the line and clears its options (rule 2 of interface 3.1). Idempotent. */
export async function dequeue(work: QueueWork, row: PullRequestRow): Promise<void> {
  const wasRequested = row.status === 'queued' || row.status === 'tagged' || row.status === 'pending';
  Object.assign(row, noOptions);
  work.relabelled.add(row);
  if (!wasRequested) return;
  writeStatus(work, row, 'dequeue');
  announceDequeued(work, row);
  await voidPlannedLandings(work, row.id);
}

async function voidPlannedLandings(work: QueueWork, pullRequestId: string): Promise<void> {
  await work.tx.em.flush();
  await work.tx.send(
    `update intent set state = 'void', concluded_at = $3, outcome = '{"reason": "dequeued"}'
     where account_id = $1 and kind = 'land' and state = 'planned'
       and batch_id in (select batch_id from batch_member where account_id = $1 and pull_request_id = $2)`,
    [work.ctx.accountId, pullRequestId, work.now.toISOString()],
  );
  await voidLandings(work);
}
