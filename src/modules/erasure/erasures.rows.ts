import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/database.ts';

export interface Erasure {
  readonly id: string;
  /** `owner/name`. Null: the whole account. */
  readonly repository: string | null;
  readonly requestedBy: string | null;
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
}

const columns = `id, repository, requested_by as "requestedBy", requested_at as "requestedAt", finished_at as "finishedAt"`;

export async function insertErasure(
  ctx: Context,
  tx: Transaction,
  repository: { readonly id: string; readonly name: string } | null,
): Promise<Erasure> {
  await tx.em.flush();
  const [row] = await tx.query<Erasure>(
    `insert into erasure (account_id, account_name, repository_id, repository, requested_by, requested_at)
     select id, name, $2, $3, $4, $5 from account where id = $1 returning ${columns}`,
    [ctx.accountId, repository?.id ?? null, repository?.name ?? null, ctx.actor.email, ctx.clock().toISOString()],
  );
  if (row === undefined) throw new Error('The record of an erasure was not written.');
  return fromDriver(row);
}

/** The driver of a transaction returns instants as text. */
function fromDriver({ requestedAt, finishedAt, ...row }: Erasure): Erasure {
  return { ...row, requestedAt: new Date(requestedAt), finishedAt: finishedAt && new Date(finishedAt) };
}

/** The newest erasure of a repository with this name. */
export async function findErasure(ctx: Context, repository: string): Promise<Erasure | null> {
  const [row] = await ctx.db.read<Erasure>(ctx.accountId, {
    name: 'erasure_of_repository',
    text: `select ${columns} from erasure where account_id = $1 and repository = $2 order by id desc limit 1`,
    values: [ctx.accountId, repository],
  });
  return row ?? null;
}

/** The erasure of a repository whose row the caller has locked. Null: nobody has begun one. */
export async function findErasureInTransaction(
  ctx: Context,
  tx: Transaction,
  repositoryId: string,
): Promise<Erasure | null> {
  const [row] = await tx.query<Erasure>(
    `select ${columns} from erasure where account_id = $1 and repository_id = $2 order by id limit 1`,
    [ctx.accountId, repositoryId],
  );
  return row === undefined ? null : fromDriver(row);
}

export async function readErasures(ctx: Context): Promise<readonly Erasure[]> {
  return await ctx.db.read<Erasure>(ctx.accountId, {
    name: 'erasures',
    text: `select ${columns} from erasure where account_id = $1 order by id desc limit 100`,
    values: [ctx.accountId],
  });
}
