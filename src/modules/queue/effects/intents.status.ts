// Publishes the status of pull requests at the host: of each its comment, its check, or both. What the pull requests
// share is read and written once for all. If two workers publish at once, or one is delayed, the newest text stays:
// each reads a counter before the facts, and the host never replaces a higher counter by a lower one.
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
import { passFailpoint } from '../../../platform/failpoints.ts';
import { pullRequestPage } from '../../repositories/index.ts';
import { readPublishedStates, type PublishedState } from '../planning/notifications.reads.ts';
import type { IntentRow, PublishedCheck } from '../store/queue.entities.ts';
import { lockQueue } from '../store/queue.locks.ts';

/** What is written at the host for one intent. */
interface Publishing {
  readonly intent: IntentRow;
  readonly state: PublishedState;
  /** The text of the comment. Null: the comment stays as it is. */
  readonly comment: string | null;
  /** Whether the comment gets its last text now. The record of the comment is then removed. */
  readonly endsComment: boolean;
  /** Null: the check stays as it is. */
  readonly check: PublishedCheck | null;
}

/** Returns the errors of intents of the kinds `comment` and `status_check` that failed. The caller ends the others. */
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
  for (const publishing of all)
    await publish(ctx, publishing).catch((error: unknown) => failed.set(publishing.intent, error));
  return failed;
}

function decideComment(intent: IntentRow, state: PublishedState): Publishing {
  const { row, configuration, facts } = state;
  const { publish, open_message, queued_message, blocked_message } = configuration.merge_rules.status_comment;
  const nothing = { intent, state, comment: null, endsComment: false, check: null };
  // The last comment will never change again. It says so, and its record is removed.
  if (!wantsComment(configuration.merge_rules))
    return row.hasStatusComment ? { ...nothing, comment: endedComment, endsComment: true } : nothing;
  if (!shouldPublish(state, publish, row.hasStatusComment)) return nothing;
  const messages = { open: open_message, queued: queued_message, blocked: blocked_message };
  return { ...nothing, comment: statusComment(facts, messages) };
}

function decideCheck(ctx: Context, intent: IntentRow, state: PublishedState): Publishing {
  const { row, repository, configuration, facts } = state;
  const stands = row.statusCheck?.commit === row.headSha;
  const nothing = { intent, state, comment: null, endsComment: false, check: null };
  if (!shouldPublish(state, publicationOf(configuration.merge_rules.publish_status_check), stands)) return nothing;
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

function shouldPublish({ row, isReady }: PublishedState, publication: Publication, stands: boolean): boolean {
  if (publication === 'never') return false;
  return stands || isPublished(publication, { status: row.status, mergedByQueue: row.mergedByQueue === true, isReady });
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
        await tx.query('update pull_request set has_status_comment = false where account_id = $1 and id = $2', [
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

/** Recorded before the host is called, and under the rows of the queues, because several pull requests are written. */
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
      await tx.query(
        'update pull_request set has_status_comment = true where account_id = $1 and id = any($2::bigint[])',
        [ctx.accountId, commented.map(({ state }) => state.row.id)],
      );
    if (checked.length > 0)
      await tx.query(
        `update pull_request p set status_check = kept.body
         from jsonb_to_recordset($2::jsonb) as kept (id bigint, body jsonb)
         where p.account_id = $1 and p.id = kept.id
           and coalesce((p.status_check->>'version')::bigint, 0) <= (kept.body->>'version')::bigint`,
        [ctx.accountId, JSON.stringify(checked.map(({ state, check }) => ({ id: state.row.id, body: check })))],
      );
  });
}
