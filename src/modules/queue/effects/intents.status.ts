// Publishes the status of a pull request at the host. If two workers publish at once, or one is delayed, the newest
// text stays: each reads a counter before the facts, and the host never replaces a higher counter by a lower one.
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
import { finishIntent } from '../store/intents.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import type { IntentRow, PublishedCheck } from '../store/queue.entities.ts';
import { pullRequestPage } from '../../repositories/index.ts';
import { readPublishedState, type PublishedState } from '../planning/notifications.reads.ts';

export async function writeStatusComment(ctx: Context, intent: IntentRow): Promise<void> {
  const published = await readPublishedState(ctx, intent.pullRequestId ?? '');
  const { row, repository, configuration, facts } = published;
  const { publish, open_message, queued_message, blocked_message } = configuration.merge_rules.status_comment;
  if (!wantsComment(configuration.merge_rules)) await endComment(ctx, published);
  else if (shouldPublish(published, publish, row.hasStatusComment)) {
    const messages = { open: open_message, queued: queued_message, blocked: blocked_message };
    await keepComment(ctx, row.id, true);
    await passFailpoint('comment:before_host');
    await hostClient(ctx, repository).upsertComment(row.number, {
      key: statusCommentKey,
      body: statusComment(facts, messages),
      version: row.notificationVersion,
    });
  }
  await finishIntent(ctx, intent);
}

/** The last comment will never change again. It says so, and its record is deleted. */
async function endComment(ctx: Context, { row, repository }: PublishedState): Promise<void> {
  if (!row.hasStatusComment) return;
  await hostClient(ctx, repository).upsertComment(row.number, {
    key: statusCommentKey,
    body: endedComment,
    version: row.notificationVersion,
  });
  await keepComment(ctx, row.id, false);
}

async function keepComment(ctx: Context, pullRequestId: string, stands: boolean): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.query('update pull_request set has_status_comment = $3 where account_id = $1 and id = $2', [
      ctx.accountId,
      pullRequestId,
      stands,
    ]);
  });
}

export async function publishStatusCheck(ctx: Context, intent: IntentRow): Promise<void> {
  const published = await readPublishedState(ctx, intent.pullRequestId ?? '');
  const { row, repository, configuration, facts } = published;
  const stands = row.statusCheck?.commit === row.headSha;
  if (shouldPublish(published, publicationOf(configuration.merge_rules.publish_status_check), stands)) {
    const told = statusCheck(facts);
    const check: PublishedCheck = {
      ...told,
      url: told.url ?? pullRequestPage(ctx, repository, row.number),
      commit: row.headSha,
      version: row.notificationVersion,
      publishedAt: ctx.clock().toISOString(),
    };
    await keepCheck(ctx, row.id, check);
    const { commit, version, state, title, summary, url } = check;
    await hostClient(ctx, repository).publishCheck({
      name: statusCheckName,
      ...{ commit, version, state, title, summary, url },
    });
  }
  await finishIntent(ctx, intent);
}

function shouldPublish({ row, isReady }: PublishedState, publication: Publication, stands: boolean): boolean {
  if (publication === 'never') return false;
  return stands || isPublished(publication, { status: row.status, mergedByQueue: row.mergedByQueue === true, isReady });
}

async function keepCheck(ctx: Context, pullRequestId: string, check: PublishedCheck): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.query(
      `update pull_request set status_check = $3
       where account_id = $1 and id = $2 and coalesce((status_check->>'version')::bigint, 0) <= $4`,
      [ctx.accountId, pullRequestId, JSON.stringify(check), check.version],
    );
  });
}
