// What was asked of branches and is carried out later: refresh, sync, backport. Each is an intent on its pull request,
// one of a kind at a time, so that a restart loses none. Asked again while it is open, it is done again.
import type { Context } from '../../../context.ts';
import { HostRefused } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { hosted, type HostedRepository } from '../store/hosted-repository.ts';
import { PullRequestEntity, type IntentKind, type IntentRow, type PullRequestRow } from '../store/queue.entities.ts';

export const branchWork = ['refresh', 'sync', 'backport'] as const satisfies readonly IntentKind[];
export type BranchWork = (typeof branchWork)[number];

export function isBranchWork(kind: IntentKind): kind is BranchWork {
  return (branchWork as readonly IntentKind[]).includes(kind);
}

export interface PlannedWork {
  readonly kind: BranchWork;
  readonly pullRequest: Pick<PullRequestRow, 'id' | 'queueId'>;
  /** What tells it from others of its kind on the same pull request. */
  readonly key?: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** False: one that is open already is enough. */
  readonly again: boolean;
}

/** The caller wakes the queue. */
export async function planBranchWork(ctx: Context, tx: Transaction, work: PlannedWork): Promise<void> {
  const { pullRequest, kind } = work;
  const key = work.key === undefined ? pullRequest.id : `${pullRequest.id}:${work.key}`;
  const at = ctx.clock().toISOString();
  await tx.query(
    `insert into intent (account_id, queue_id, pull_request_id, kind, key, payload, planned_at) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (account_id, queue_id, kind, key) do update
       set state = 'planned', payload = excluded.payload, planned_at = excluded.planned_at, attempt = 0, outcome = null, begun_at = null
       where $8 or intent.state not in ('planned', 'begun')`,
    [
      ctx.accountId,
      pullRequest.queueId,
      pullRequest.id,
      kind,
      key,
      // The instant makes a later asking another one: what was under way then does not end it.
      JSON.stringify({ ...work.payload, askedAt: at }),
      at,
      work.again,
    ],
  );
}

export interface LoadedWork {
  readonly intent: IntentRow;
  readonly row: PullRequestRow;
  readonly repository: RepositoryRow;
  readonly host: HostedRepository;
}

/** Counts a try and answers what it is about. Null: it is over. */
export async function beginBranchWork(ctx: Context, intent: IntentRow): Promise<LoadedWork | null> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const begun = await tx.query(
      `update intent set state = 'begun', attempt = attempt + 1, begun_at = $3
       where account_id = $1 and id = $2 and state in ('planned', 'begun') and payload = $4::jsonb returning 1`,
      [ctx.accountId, intent.id, ctx.clock().toISOString(), JSON.stringify(intent.payload)],
    );
    if (begun.length === 0) return null;
    const row = await tx.em.findOneOrFail(PullRequestEntity, { id: intent.pullRequestId ?? '' });
    const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: row.repositoryId });
    return { intent, row, repository, host: hosted(repository) };
  });
}

/** Ends it, unless it was asked again meanwhile. The queue is woken: others may have waited behind it. */
export async function endBranchWork(
  ctx: Context,
  tx: Transaction,
  intent: IntentRow,
  end: { readonly state: 'done' | 'failed'; readonly outcome: Readonly<Record<string, unknown>> },
): Promise<void> {
  await tx.query(
    `update intent set state = $3, outcome = $4, concluded_at = $5
     where account_id = $1 and id = $2 and state in ('planned', 'begun') and payload = $6::jsonb`,
    [
      ctx.accountId,
      intent.id,
      end.state,
      JSON.stringify(end.outcome),
      ctx.clock().toISOString(),
      JSON.stringify(intent.payload),
    ],
  );
  tx.afterCommit(() => ctx.wake({ accountId: ctx.accountId, queueId: intent.queueId }));
}

/** A conversation that takes no comments stops no work: events tell the same. */
export async function comment(
  ctx: Context,
  { host, row }: Pick<LoadedWork, 'host' | 'row'>,
  words: { readonly key: string; readonly body: string },
): Promise<void> {
  try {
    await ctx.hosts(host.host).upsertComment(host, row.number, words);
  } catch (error) {
    if (!(error instanceof HostRefused)) throw error;
    ctx.log.warn({ number: row.number, refusal: error.message }, 'The host refused a comment.');
  }
}
