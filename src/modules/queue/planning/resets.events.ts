// Adds one event `reset` for each reset. The subject of the event is the pull request that caused the reset, if
// webhooks have a status for this pull request. Otherwise the subject is the first pull request that was put back in
// its place.
import type { BotPullRequestFacts } from '../../../domain/events/payloads.ts';
import { statusText, webhookStatus } from '../../../domain/queue/model/status.ts';
import { BotPullRequestEntity, type PullRequestRow } from '../store/queue.entities.ts';
import type { LoadedQueue } from './snapshot.loader.ts';
import { announce, type QueueWork } from '../store/status.writer.ts';
import type { Decision } from '../../../domain/queue/model/decision.ts';

type Cause = Pick<Extract<Decision, { kind: 'SupersedeBatch' }>, 'code' | 'causedBy' | 'failedBuild'>;

interface BotPullRequests {
  /** The bot pull requests whose failed checks caused a reset, by batch id. */
  readonly failed: ReadonlyMap<string, BotPullRequestFacts>;
  /** Ids of the batches with an open bot pull request. */
  readonly open: ReadonlySet<string>;
}

/**
 * Loads the bot pull requests of the batches that the decisions reset, and of the failed builds that caused the resets.
 */
export async function loadBotPullRequests({ tx }: QueueWork, decisions: readonly Decision[]): Promise<BotPullRequests> {
  const batchIds = decisions.flatMap((decision) => [
    ...('failedBuild' in decision ? [decision.failedBuild?.batch ?? []].flat() : []),
    ...(decision.kind === 'SupersedeBatch' || decision.kind === 'ReturnBatch' ? [decision.batch] : []),
  ]);
  if (batchIds.length === 0) return { failed: new Map(), open: new Set() };
  const rows = await tx.em.find(BotPullRequestEntity, { batchId: { $in: [...new Set(batchIds)] } });
  const isOpen = ({ openedAt, closedAt }: (typeof rows)[number]): boolean =>
    (openedAt ?? null) !== null && (closedAt ?? null) === null;
  return {
    failed: new Map(
      rows.map(({ batchId, number, url, targetBranch, headCommitSha, preBatchSha }) => [
        batchId,
        { number, url, targetBranch, headCommitSha, preBatchSha },
      ]),
    ),
    open: new Set(rows.filter(isOpen).map(({ batchId }) => batchId)),
  };
}

export class Resets {
  readonly #botPullRequests: BotPullRequests;
  readonly #resets = new Map<string, { cause: Cause; back: PullRequestRow[]; closed: Set<string> }>();

  constructor(botPullRequests: BotPullRequests) {
    this.#botPullRequests = botPullRequests;
  }

  /** Adds a batch to a reset. The reset also closes the bot pull request of the batch, if there is one. */
  add(cause: Cause, batch: string | null, back: readonly PullRequestRow[]): void {
    const key = `${cause.code}:${cause.causedBy ?? ''}`;
    const known = this.#resets.get(key) ?? { cause, back: [], closed: new Set<string>() };
    known.back.push(...back);
    if (batch !== null && this.#botPullRequests.open.has(batch)) known.closed.add(batch);
    this.#resets.set(key, known);
  }

  /**
   * Adds a failed pull request that is requeued. The failure resets the pull request itself and everything built on it.
   */
  addRequeued(decision: Extract<Decision, { kind: 'RequeuePullRequest' }>, row: PullRequestRow): void {
    const { pullRequest: causedBy, failedBuild } = decision;
    this.add({ code: 301, causedBy, failedBuild }, failedBuild.batch, [row]);
  }

  announceAll(work: QueueWork, loaded: LoadedQueue): void {
    for (const { cause, back, closed } of this.#resets.values()) {
      if (back.length === 0) continue;
      const causedBy = cause.causedBy === null ? undefined : loaded.pullRequests.get(cause.causedBy);
      const subject = causedBy !== undefined && webhookStatus(causedBy.status) !== null ? causedBy : back[0];
      if (subject === undefined) continue;
      const { failedBuild } = cause;
      const botPullRequest = failedBuild === null ? undefined : this.#botPullRequests.failed.get(failedBuild.batch);
      announce(work, subject, 'reset', {
        resetCode: cause.code,
        resetText: statusText(cause.code),
        pullRequestsReset: back.length,
        botPullRequestsClosed: closed.size,
        ...(failedBuild !== null && { failedChecks: failedBuild.failedChecks }),
        ...(botPullRequest !== undefined && { botPullRequest }),
      });
    }
  }
}
