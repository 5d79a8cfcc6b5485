// Plans, in a turn of the queue, which pull requests get a new status comment and a new check at the host. The comment
// and the check have an intent each, which contains a version number instead of the text. The worker that carries out
// the intent writes the text from the facts at that time.
import { frozenComment } from '../../../domain/queue/explain/branch-comments.ts';
import { haltedText } from '../../../domain/queue/explain/explain.ts';
import { openQueueMethods, publicationOf, wantsComment } from '../../../domain/queue/explain/status-comment.ts';
import { findFreezeInForce } from '../../../domain/releases/freeze.ts';
import type { BranchHolds } from '../../repositories/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { configurationOf } from '../store/rules-in-force.ts';
import type { QueueWork } from '../store/status.writer.ts';
import { holdOf } from './notifications.reads.ts';

/**
 * The greatest number of notifications that one turn plans, so that a landing that is planned in the meantime does not
 * wait long.
 */
const maxNotifications = 40;
const pauseMs = 500;

/** What the turn has read under the queue's lock. */
interface Held {
  readonly repository: RepositoryRow;
  readonly holds: BranchHolds;
}

/** Schedules the texts that a change of the whole queue makes necessary. Flush the unit of work before the call. */
export async function scheduleNotifications(work: QueueWork, held: Held): Promise<void> {
  await planHoldMessages(work, held);
  await planChanged(work, held);
}

/**
 * Plans the notifications that are due. When the first one is due, all later ones are planned too, so that the workflow
 * has one step instead of many. If the host is called after this turn anyway, all are planned, because they are sent
 * with the same calls and need no later wake. Returns when the next ones are due, in milliseconds since the epoch.
 * Null: not before the next change. Flush the unit of work before the call.
 */
export async function planDueNotifications(work: QueueWork, repository: RepositoryRow): Promise<number | null> {
  const wanted = wantedOf(repository);
  const [planned, next] = await Promise.all([planIntents(work, wanted), readNext(work)]);
  if (planned === 0 || next === null) return next;
  return Math.max(next, work.now.getTime() + pauseMs);
}

/**
 * Schedules new texts for all pull requests that a change of the whole queue concerns. If the reason why nothing lands
 * has changed, these are the pull requests that are built or first in line, or all in line if the queue was or is
 * halted. If the ways to queue have changed, these are the pull requests that nobody has queued.
 */
async function planChanged(work: QueueWork, { repository, holds }: Held): Promise<void> {
  const { ctx, tx, queue, now } = work;
  const hold = holdOf({ queue, repository, holds, now });
  const notified = queue.notifiedHold ?? null;
  if (notified !== hold) {
    const isOfAll = [notified, hold].some((text) => text?.startsWith(haltedText('')) ?? false);
    queue.notifiedHold = hold;
    await tx.send(
      `update pull_request p set notify_at = $3 where p.account_id = $1 and p.queue_id = $2 and p.status in ('queued', 'tagged')
         and ($4 or p.top_announced or exists (
           select from batch_member m join batch b on b.account_id = m.account_id and b.id = m.batch_id
           where m.account_id = p.account_id and m.pull_request_id = p.id and b.state in ('making', 'building', 'landing')))`,
      [ctx.accountId, queue.id, now.toISOString(), isOfAll],
    );
  }
  const { blocked_queue_sources, labels } = configurationOf(repository).merge_rules;
  const ways = [labels.trigger, ...openQueueMethods(blocked_queue_sources)].join(' ');
  if ((queue.notifiedWays ?? null) === ways) return;
  const isFirst = (queue.notifiedWays ?? null) === null;
  queue.notifiedWays = ways;
  if (isFirst) return;
  await tx.send(
    `update pull_request set notify_at = $3 where account_id = $1 and queue_id = $2 and status = 'open'
       and (has_status_comment or status_check is not null)`,
    [ctx.accountId, queue.id, now.toISOString()],
  );
}

/** The kinds of notifications that the configuration enables. */
interface WantedNotifications {
  readonly comment: boolean;
  readonly check: boolean;
}

/**
 * Plans the comment and the check, if a notification is due or the host is called anyway. A comment that exists is
 * updated even if comments have been disabled since, so that it shows nothing outdated. If the configuration wants
 * neither, all scheduled notifications are dropped, because a later turn would plan nothing either. Returns the number
 * of pull requests.
 */
async function planIntents({ ctx, tx, queue, now }: QueueWork, wanted: WantedNotifications): Promise<number> {
  const wantsNone = !wanted.comment && !wanted.check;
  const [planned] = await tx.query<{ n: number }>(
    `with due as (
       select id from pull_request where account_id = $1 and queue_id = $2 and notify_at is not null
         and ($4::int is null
           or exists (select from pull_request where account_id = $1 and queue_id = $2 and notify_at <= $3)
           or exists (select from intent where account_id = $1 and queue_id = $2 and kind <> 'land' and state in ('planned', 'started')
                        and (next_try_at is null or next_try_at <= $3)))
       order by notify_at, id limit $4),
     counted as (
       update pull_request p set notify_at = null, notification_version = p.notification_version + 1 from due
       where p.account_id = $1 and p.id = due.id returning p.id, p.notification_version, p.has_status_comment),
     planned as (
       insert into intent (account_id, queue_id, pull_request_id, kind, key, payload, planned_at)
       select $1, $2, counted.id, kind, counted.id::text, jsonb_build_object('version', counted.notification_version), $3
       from counted cross join unnest(array['comment', 'status_check']) as kind
       where case kind when 'comment' then $5 or counted.has_status_comment else $6 end
       on conflict (account_id, queue_id, kind, key) do update
         set state = 'planned', payload = excluded.payload, outcome = null, planned_at = excluded.planned_at,
           attempt = 0, next_try_at = null, concluded_at = null)
     select count(*)::int as n from counted`,
    [ctx.accountId, queue.id, now.toISOString(), wantsNone ? null : maxNotifications, wanted.comment, wanted.check],
  );
  return planned?.n ?? 0;
}

/** When the next notification is due, in milliseconds since the epoch. Null: there is none. */
async function readNext({ ctx, tx, queue }: QueueWork): Promise<number | null> {
  const [next] = await tx.query<{ at: number | null }>(
    `select ceil(extract(epoch from min(notify_at)) * 1000)::float8 as at
     from pull_request where account_id = $1 and queue_id = $2 and notify_at is not null`,
    [ctx.accountId, queue.id],
  );
  return next?.at ?? null;
}

function wantedOf(repository: RepositoryRow): WantedNotifications {
  const { merge_rules } = configurationOf(repository);
  return { comment: wantsComment(merge_rules), check: publicationOf(merge_rules.publish_status_check) !== 'never' };
}

/**
 * Comments on the first pull request in line why the queue waits, once for each pause (interface 2.3) and each freeze.
 */
async function planHoldMessages(work: QueueWork, { repository, holds }: Held): Promise<void> {
  const { ctx, tx, queue, now } = work;
  if (queue.waiting + queue.tagged === 0 || !configurationOf(repository).merge_rules.enable_comments) return;
  const frozen = findFreezeInForce(holds.freezes, now.getTime());
  if (frozen !== null) {
    const key = `frozen:${frozen.freeze.id}`;
    await commentOnFirst(work, {
      once: `${key}:${frozen.until ?? ''}`,
      key,
      body: frozenComment(queue.baseBranch, frozen),
    });
  }
  const { pause } = holds;
  if (pause === null || pause.message === null || pause.pattern === null) return;
  const [rule] = await tx.query<{ id: string }>(
    'select id from branch_pause where account_id = $1 and repository_id = $2 and pattern = $3',
    [ctx.accountId, repository.id, pause.pattern],
  );
  if (rule === undefined) return;
  await commentOnFirst(work, { once: `paused:${rule.id}`, key: `paused:${pause.pattern}`, body: pause.message });
}

/**
 * Plans a comment on the first pull request in line. The comment is planned once for each value of `once`, even if
 * another pull request is first later. `key` identifies the comment.
 */
async function commentOnFirst(
  { ctx, tx, queue, now }: QueueWork,
  { once, ...reply }: { readonly once: string; readonly key: string; readonly body: string },
): Promise<void> {
  await tx.send(
    `insert into intent (account_id, queue_id, pull_request_id, kind, key, payload, planned_at)
     select $1, $2, p.id, 'reply', $3, $4, $5
     from (select id from pull_request where account_id = $1 and queue_id = $2 and status in ('queued', 'tagged')
           order by skip_line desc, rank limit 1) p
     on conflict (account_id, queue_id, kind, key) do nothing`,
    [ctx.accountId, queue.id, once, JSON.stringify(reply), now.toISOString()],
  );
}
