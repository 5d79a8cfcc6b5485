// Intents are effects on the code host that are recorded before they are tried. This file reads and ends intents of
// every kind. A landing that passed its gate is a started intent. A queue has at most one started landing, and only a
// read of the host ends it. Until then nothing is decided about the members of its batch: their pinned heads land, even
// if new commits are pushed in the meantime (docs/adr/0003).
import type { QueueWork } from './status.writer.ts';
import type { Context } from '../../../context.ts';
import { type IntentRow, IntentEntity } from './queue.entities.ts';
import type { Transaction } from '../../../platform/database.ts';

/** Voids planned landings whose batch has ended. A started landing is never voided. */
export async function voidLandings(work: QueueWork): Promise<void> {
  await work.tx.em.flush();
  await work.tx.send(
    `update intent set state = 'void', concluded_at = $3, outcome = '{"reason": "superseded"}'
     where account_id = $1 and queue_id = $2 and kind = 'land' and state = 'planned'
       and not exists (select from batch b where b.account_id = $1 and b.id = intent.batch_id and b.state in ('building', 'landing'))`,
    [work.ctx.accountId, work.queue.id, work.now.toISOString()],
  );
}

/** Ends an intent, unless it was planned again with another payload in the meantime. */
export async function finishIntent(ctx: Context, intent: IntentRow): Promise<void> {
  await finishIntents(ctx, [intent]);
}

/**
 * Ends intents, except those that were planned again with another payload in the meantime. A row that another
 * transaction has locked is left out, because that transaction plans or ends the intent. Waiting for several locked
 * rows one after the other could be a deadlock.
 */
export async function finishIntents(ctx: Context, intents: readonly IntentRow[]): Promise<void> {
  if (intents.length === 0) return;
  const ended = JSON.stringify(intents.map(({ id, payload }) => ({ id, payload })));
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.send(
      `update intent set state = 'done', concluded_at = $2
       from (select i.id from intent i join jsonb_to_recordset($3::jsonb) as ended (id bigint, payload jsonb) on ended.id = i.id
             where i.account_id = $1 and i.state in ('planned', 'started') and i.payload = ended.payload
             for update of i ${intents.length > 1 ? 'skip locked' : ''}) free
       where intent.account_id = $1 and intent.id = free.id`,
      [ctx.accountId, ctx.clock().toISOString(), ended],
    );
  });
}

export async function isLandingStarted(ctx: Context, tx: Transaction, pullRequestId: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 from intent i join batch_member m on m.account_id = i.account_id and m.batch_id = i.batch_id
     where i.account_id = $1 and i.kind = 'land' and i.state = 'started' and m.pull_request_id = $2`,
    [ctx.accountId, pullRequestId],
  );
  return rows.length > 0;
}

/**
 * Records at the started landing of a pull request that a person has withdrawn it. If the landing is given up, the pull
 * request leaves the line. `actor`: as in events. Returns false if no landing is started.
 */
export async function keepWithdrawal(work: QueueWork, pullRequestId: string, actor: string | null): Promise<boolean> {
  const rows = await work.tx.query(
    `update intent i set payload = jsonb_set(i.payload, '{withdrawn}',
       coalesce(i.payload->'withdrawn', '{}') || jsonb_build_object($2::text, $3::text))
     where ${isLandingOf} returning 1`,
    [work.ctx.accountId, pullRequestId, actor],
  );
  return rows.length > 0;
}

/** Forgets a recorded withdrawal, because a person has requested the pull request again. */
export async function takeBackWithdrawal(work: QueueWork, pullRequestId: string): Promise<void> {
  await work.tx.send(`update intent i set payload = i.payload #- array['withdrawn', $2::text] where ${isLandingOf}`, [
    work.ctx.accountId,
    pullRequestId,
  ]);
}

/** What a person did at the host with a pull request whose landing is started. */
export type ChangeAtHost =
  /** The pull request was merged. `commit`: the merge commit; `at`: in ms since 1970. Null: the host does not say. */
  | { readonly kind: 'merged'; readonly commit: string | null; readonly at: number | null }
  /** The pull request belongs to the queue of another base branch. */
  | { readonly kind: 'retargeted'; readonly to: string };

/**
 * Records a change at the host at the started landing of a pull request. It counts if the landing is given up. A later
 * change replaces an earlier one. Returns false if no landing is started.
 */
export async function keepChangeAtHost(work: QueueWork, pullRequestId: string, change: ChangeAtHost): Promise<boolean> {
  const rows = await work.tx.query(
    `update intent i set payload = jsonb_set(i.payload, '{atHost}',
       coalesce(i.payload->'atHost', '{}') || jsonb_build_object($2::text, $3::jsonb))
     where ${isLandingOf} returning 1`,
    [work.ctx.accountId, pullRequestId, JSON.stringify(change)],
  );
  return rows.length > 0;
}

/** Forgets a recorded change of the base branch, because the pull request has its old base branch again. */
export async function forgetBaseChange(work: QueueWork, pullRequestId: string): Promise<void> {
  await work.tx.send(
    `update intent i set payload = i.payload #- array['atHost', $2::text]
     where ${isLandingOf} and i.payload #>> array['atHost', $2::text, 'kind'] = 'retargeted'`,
    [work.ctx.accountId, pullRequestId],
  );
}

/** The recorded changes at the host by the ids of their pull requests. */
export function changesAtHostOf({ payload }: IntentRow): ReadonlyMap<string, ChangeAtHost> {
  return new Map(Object.entries((payload['atHost'] ?? {}) as Record<string, ChangeAtHost>));
}

const isLandingOf = `i.account_id = $1 and i.kind = 'land' and i.state = 'started' and exists (
  select from batch_member m where m.account_id = i.account_id and m.batch_id = i.batch_id and m.pull_request_id = $2::bigint)`;

/** The actors of recorded withdrawals by the ids of their pull requests. Null: the service is the actor. */
export function withdrawalsOf({ payload }: IntentRow): ReadonlyMap<string, string | null> {
  return new Map(Object.entries((payload['withdrawn'] ?? {}) as Record<string, string | null>));
}

/** Whether a landing of the queue is under way. Such a landing moves the base branch, and then writes the tip. */
export async function isQueueLanding(ctx: Context, queueId: string): Promise<boolean> {
  const started = await ctx.db.read(ctx.accountId, {
    name: 'started_landing_of_queue',
    text: "select 1 as is from intent where account_id = $1 and queue_id = $2 and kind = 'land' and state = 'started' limit 1",
    values: [ctx.accountId, queueId],
  });
  return started.length > 0;
}

/** The ids of the pull requests that are landing in a queue. Empty if no landing is started. */
export async function readLandingMembers(ctx: Context, tx: Transaction, queueId: string): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(
    `select m.pull_request_id as id from intent i join batch_member m on m.account_id = i.account_id and m.batch_id = i.batch_id
     where i.account_id = $1 and i.queue_id = $2 and i.kind = 'land' and i.state = 'started'`,
    [ctx.accountId, queueId],
  );
  return new Set(rows.map((row) => row.id));
}

export async function lockIntent(tx: Transaction, intentId: string): Promise<IntentRow> {
  const intent = await tx.lock(IntentEntity, intentId, 'update');
  if (intent === null) throw new Error(`There is no intent ${intentId}.`);
  return intent;
}
