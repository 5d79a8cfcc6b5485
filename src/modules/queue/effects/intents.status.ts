// Publishes the status of pull requests at the host: the comment, the check, or both. Facts that several pull requests
// share are read and written once. If two workers publish at once, or one is delayed, the newest text remains: each
// worker reads the version before the facts, and the host never replaces a text by a text with a lower version.
import type { Context } from '../../../context.ts';
import {
  endedComment,
  isPublished,
  publicationOf,
  statusCheck,
  statusCheckName,
  statusComment,
  statusCommentKey,
  wantsComment,
  type Publication,
} from '../../../domain/queue/explain/status-comment.ts';
import { hostClient } from '../../../hosts/port.ts';
import { atMost } from '../../../platform/at-most.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { pullRequestPage } from '../../repositories/index.ts';
import { readPublishedStates, type PublishedState } from '../planning/notifications.reads.ts';
import type { IntentRow, PublishedCheck } from '../store/queue.entities.ts';
import { lockQueue } from '../store/queue.locks.ts';

/** What is written at the host because of one intent. */
interface Publishing {
  readonly intent: IntentRow;
  readonly state: PublishedState;
  /** The text of the comment. Null: the comment is not changed. */
  readonly comment: string | null;
  /** Whether this is the last text of the comment. The comment is then no longer recorded. */
  readonly endsComment: boolean;
  /** Null: the check is not changed. */
  readonly check: PublishedCheck | null;
}

/** Publishes the statuses. Returns the error of each intent that failed. The caller ends the other intents. */
export async function publishStatuses(
  ctx: Context,
  intents: readonly IntentRow[],
): Promise<ReadonlyMap<IntentRow, unknown>> {
  const failed = new Map<IntentRow, unknown>();
  const states = await readPublishedStates(ctx, [...new Set(intents.map(({ pullRequestId }) => pullRequestId ?? ''))]);
  const all: Publishing[] = [];
  for (const intent of intents) {
    const state = states.get(intent.pullRequestId ?? '');
    if (state === undefined)
      failed.set(intent, new Error(`There is no pull request ${intent.pullRequestId} in a queue.`));
    else all.push(intent.kind === 'comment' ? decideComment(intent, state) : decideCheck(ctx, intent, state));
  }
  await keepPublished(ctx, all);
  // The local host writes texts of the same moment together. Another host could refuse many calls at once.
  const isLocal = all.every(({ state }) => state.repository.host === 'local');
  const inTurn = atMost(isLocal ? Math.max(1, all.length) : 1);
  await Promise.all(
    all.map(
      async (publishing) =>
        await inTurn(async () => await publish(ctx, publishing)).catch((error: unknown) =>
          failed.set(publishing.intent, error),
        ),
    ),
  );
  return failed;
}

function decideComment(intent: IntentRow, state: PublishedState): Publishing {
  const { row, configuration, facts } = state;
  const { publish, open_message, queued_message, blocked_message } = configuration.merge_rules.status_comment;
  const nothing = { intent, state, comment: null, endsComment: false, check: null };
  // The last text says that the comment is no longer updated.
  if (!wantsComment(configuration.merge_rules))
    return row.hasStatusComment ? { ...nothing, comment: endedComment, endsComment: true } : nothing;
  if (!shouldPublish(state, publish, row.hasStatusComment)) return nothing;
  const messages = { open: open_message, queued: queued_message, blocked: blocked_message };
  return { ...nothing, comment: statusComment(facts, messages) };
}

function decideCheck(ctx: Context, intent: IntentRow, state: PublishedState): Publishing {
  const { row, repository, configuration, facts } = state;
  const isPublishedAlready = row.statusCheck?.commit === row.headSha;
  const nothing = { intent, state, comment: null, endsComment: false, check: null };
  if (!shouldPublish(state, publicationOf(configuration.merge_rules.publish_status_check), isPublishedAlready))
    return nothing;
  const described = statusCheck(facts);
  const check: PublishedCheck = {
    ...described,
    url: described.url ?? pullRequestPage(ctx, repository, row.number),
    commit: row.headSha,
    version: row.notificationVersion,
    publishedAt: ctx.clock().toISOString(),
  };
  return { ...nothing, check };
}

function shouldPublish(
  { row, isReady }: PublishedState,
  publication: Publication,
  isPublishedAlready: boolean,
): boolean {
  if (publication === 'never') return false;
  return (
    isPublishedAlready ||
    isPublished(publication, { status: row.status, mergedByQueue: row.mergedByQueue === true, isReady })
  );
}

async function publish(ctx: Context, { state, comment, endsComment, check }: Publishing): Promise<void> {
  const { row, repository } = state;
  if (comment !== null) {
    await passFailpoint('comment:before_host');
    await hostClient(ctx, repository).upsertComment(row.number, {
      key: statusCommentKey,
      body: comment,
      version: row.notificationVersion,
    });
    if (endsComment)
      await ctx.db.transaction(ctx.accountId, async (tx) => {
        await tx.send('update pull_request set has_status_comment = false where account_id = $1 and id = $2', [
          ctx.accountId,
          row.id,
        ]);
      });
  }
  if (check !== null) {
    const { commit, version, state: checkState, title, summary, url } = check;
    await hostClient(ctx, repository).publishCheck({
      name: statusCheckName,
      ...{ commit, version, state: checkState, title, summary, url },
    });
  }
}

/**
 * Records what is published, before the host is called. Locks the queues, because the rows of several pull requests are
 * written.
 */
async function keepPublished(ctx: Context, all: readonly Publishing[]): Promise<void> {
  const commented = all.filter(({ comment, endsComment, state }) => {
    return comment !== null && !endsComment && !state.row.hasStatusComment;
  });
  const checked = all.filter(({ check }) => check !== null);
  const kept = [...commented, ...checked];
  if (kept.length === 0) return;
  const queueIds = new Set(kept.flatMap(({ state }) => (state.row.queueId ? [state.row.queueId] : [])));
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    for (const id of [...queueIds].toSorted((a, b) => Number(BigInt(a) - BigInt(b)))) await lockQueue(tx, id);
    if (commented.length > 0)
      await tx.send(
        'update pull_request set has_status_comment = true where account_id = $1 and id = any($2::bigint[])',
        [ctx.accountId, commented.map(({ state }) => state.row.id)],
      );
    if (checked.length > 0)
      await tx.send(
        `update pull_request p set status_check = kept.body
         from jsonb_to_recordset($2::jsonb) as kept (id bigint, body jsonb)
         where p.account_id = $1 and p.id = kept.id
           and coalesce((p.status_check->>'version')::bigint, 0) <= (kept.body->>'version')::bigint`,
        [ctx.accountId, JSON.stringify(checked.map(({ state, check }) => ({ id: state.row.id, body: check })))],
      );
  });
}
