// Plans requested work on branches: refresh, sync, backport. The work is an intent of its pull request, so that it
// survives a restart. A pull request has one open intent of each kind and key. A request while the work is under way
// repeats the work.
import type { Context } from '../../../context.ts';
import type { QueueWork } from '../store/status.writer.ts';
import type { Transaction } from '../../../platform/database.ts';
import { type IntentKind, type PullRequestRow } from '../store/queue.entities.ts';

export const branchWork = ['refresh', 'sync', 'backport'] as const satisfies readonly IntentKind[];
export type BranchWork = (typeof branchWork)[number];

export function isBranchWork(kind: IntentKind): kind is BranchWork {
  return (branchWork as readonly IntentKind[]).includes(kind);
}

export interface PlannedWork {
  readonly kind: BranchWork;
  readonly pullRequest: Pick<PullRequestRow, 'id' | 'queueId'>;
  /** Distinguishes intents of one kind on the same pull request, such as backports to several branches. */
  readonly key?: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** False: nothing is planned if there is already an open intent. */
  readonly again: boolean;
}

// An open intent that is planned again keeps its duties: to hold the line (`holdsLine`), and to inform the person who
// asked.
const isOpen = "intent.state in ('planned', 'started')";
const plansAgain = `on conflict (account_id, queue_id, kind, key) do update
  set state = 'planned', payload = case when ${isOpen} then intent.payload || excluded.payload
        || case when intent.payload->>'cause' = 'asked' then '{"cause": "asked"}'::jsonb else '{}' end
      else excluded.payload end, planned_at = excluded.planned_at, attempt = 0, next_try_at = null, outcome = null, started_at = null,
      concluded_at = null`;

/** Plans the work. The caller must wake the queue. */
export async function planBranchWork(ctx: Context, tx: Transaction, work: PlannedWork): Promise<void> {
  const { pullRequest, kind } = work;
  const key = work.key === undefined ? pullRequest.id : `${pullRequest.id}:${work.key}`;
  const at = ctx.clock().toISOString();
  await tx.send(
    `insert into intent (account_id, queue_id, pull_request_id, kind, key, payload, planned_at) values ($1, $2, $3, $4, $5, $6, $7)
     ${plansAgain} where $8 or not ${isOpen}`,
    [
      ctx.accountId,
      pullRequest.queueId,
      pullRequest.id,
      kind,
      key,
      // The time makes the payload of a repeated request different, so that the end of the running work does not end
      // the intent.
      JSON.stringify({ ...work.payload, requestedAt: at }),
      at,
      work.again,
    ],
  );
}

/** Plans the backports that waited until their pull request was merged. */
export async function planWaitingBackports({ ctx, tx, queue, now }: QueueWork): Promise<void> {
  const at = now.toISOString();
  await tx.send(
    `with merged as (
       update backport b set state = 'planned', updated_at = $3
       from pull_request p
       where b.account_id = $1 and b.state = 'waiting' and p.account_id = $1 and p.id = b.pull_request_id
         and p.queue_id = $2 and p.status = 'merged'
       returning b.pull_request_id as id, b.target_branch as target)
     insert into intent (account_id, queue_id, pull_request_id, kind, key, payload, planned_at)
     select $1, $2, id, 'backport', id || ':' || target, jsonb_build_object('target', target, 'requestedAt', $4::text), $3 from merged
     ${plansAgain}`,
    [ctx.accountId, queue.id, at, at],
  );
}

export async function planBackport(
  ctx: Context,
  tx: QueueWork['tx'],
  of: { readonly pullRequest: Pick<PullRequestRow, 'id' | 'queueId'>; readonly target: string },
): Promise<void> {
  const { pullRequest, target } = of;
  await planBranchWork(ctx, tx, { kind: 'backport', pullRequest, key: target, payload: { target }, again: true });
}
