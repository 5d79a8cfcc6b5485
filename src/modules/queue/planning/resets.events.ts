// One `reset` event per reset: on the pull request that caused it while webhooks know its status, else on the first put back.
import type { BotPullRequestFacts } from '../../../domain/events/payloads.ts';
import type { Decision } from '../../../domain/queue/snapshot.ts';
import { statusText, webhookStatus } from '../../../domain/queue/status.ts';
import { BotPullRequestEntity, type PullRequestRow } from '../queue.entities.ts';
import type { LoadedQueue } from './snapshot.loader.ts';
import { announce, type QueueWork } from '../status.writer.ts';

type Cause = Pick<Extract<Decision, { kind: 'SupersedeBatch' }>, 'code' | 'causedBy' | 'failedBuild'>;

/** The bot pull requests whose failed checks reset something, by batch. */
export async function loadBotPullRequests(
  { tx }: QueueWork,
  decisions: readonly Decision[],
): Promise<ReadonlyMap<string, BotPullRequestFacts>> {
  const failed = decisions.flatMap((decision) =>
    'failedBuild' in decision ? (decision.failedBuild?.batch ?? []) : [],
  );
  if (failed.length === 0) return new Map();
  const rows = await tx.em.find(BotPullRequestEntity, { batchId: { $in: failed } });
  return new Map(
    rows.map(({ batchId, number, url, targetBranch, headCommitSha, preBatchSha }) => [
      batchId,
      { number, url, targetBranch, headCommitSha, preBatchSha },
    ]),
  );
}

export class Resets {
  readonly #botPullRequests: ReadonlyMap<string, BotPullRequestFacts>;
  readonly #resets = new Map<string, { cause: Cause; back: PullRequestRow[]; closed: number }>();

  constructor(botPullRequests: ReadonlyMap<string, BotPullRequestFacts>) {
    this.#botPullRequests = botPullRequests;
  }

  add(cause: Cause, back: readonly PullRequestRow[]): void {
    const key = `${cause.code}:${cause.causedBy ?? ''}`;
    const known = this.#resets.get(key) ?? { cause, back: [], closed: 0 };
    known.back.push(...back);
    if (back.length > 0) known.closed += 1;
    this.#resets.set(key, known);
  }

  /** One that failed and is tried again is reset by its own failure, with all that stood on it. */
  addRequeued(decision: Extract<Decision, { kind: 'RequeuePullRequest' }>, row: PullRequestRow): void {
    this.add({ code: 301, causedBy: decision.pullRequest, failedBuild: decision.failedBuild }, [row]);
  }

  announceAll(work: QueueWork, loaded: LoadedQueue): void {
    if (loaded.snapshot.rules.mode !== 'parallel') return;
    for (const { cause, back, closed } of this.#resets.values()) {
      if (back.length === 0) continue;
      const causedBy = cause.causedBy === null ? undefined : loaded.pullRequests.get(cause.causedBy);
      const subject = causedBy !== undefined && webhookStatus(causedBy.status) !== null ? causedBy : back[0];
      if (subject === undefined) continue;
      const { failedBuild } = cause;
      const botPullRequest = failedBuild === null ? undefined : this.#botPullRequests.get(failedBuild.batch);
      announce(work, subject, 'reset', {
        resetCode: cause.code,
        resetText: statusText(cause.code),
        pullRequestsReset: back.length,
        botPullRequestsClosed: closed,
        ...(failedBuild !== null && { failedChecks: failedBuild.failedChecks }),
        ...(botPullRequest !== undefined && { botPullRequest }),
      });
    }
  }
}
