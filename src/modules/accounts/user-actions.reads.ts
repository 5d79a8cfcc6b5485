import type { Context } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Statement } from '../../platform/database.ts';
import { readAccount } from './accounts.reads.ts';
import { requireScope } from './authorisation.ts';
import type { AuditEntity } from './user-actions.table.ts';

export interface UserActionRead<Entity extends AuditEntity> {
  readonly id: string;
  readonly action: string;
  readonly actor: string;
  readonly entity: Entity;
  readonly target: string | null;
  readonly timestamp: Date;
}

export interface UserActionPage<Entity extends AuditEntity> {
  readonly entities: readonly Entity[];
  /** Null: every action. An unknown action gives no rows. */
  readonly action: string | null;
  /** One row more is read, to know whether there is a next page. */
  readonly size: number;
  readonly offset: number;
  readonly before: string;
}

/** Newest first. Needs `audit:read` and the Enterprise plan (interface 4.7). */
export async function readUserActions<Entity extends AuditEntity>(
  ctx: Context,
  page: UserActionPage<Entity>,
): Promise<UserActionRead<Entity>[]> {
  requireScope(ctx, 'audit:read');
  await requireEnterprise(ctx);
  return await ctx.db.read<UserActionRead<Entity>>(ctx.accountId, pageOf(ctx, page));
}

// The statement finds the newest rows of each requested entity by an index, so that rare entities need no scan of the
// whole table.
function pageOf({ accountId }: Context, page: UserActionPage<AuditEntity>): Statement {
  const { action } = page;
  return {
    name: action === null ? 'user_actions' : 'user_actions_of_action',
    text: `select a.id, a.action, a.actor, a.entity, a.target, a.at as "timestamp" from (
             select newest.id from unnest($2::text[]) as asked (entity), lateral (
               select o.id from user_action o
               where o.account_id = $1 and o.entity = asked.entity${action === null ? '' : ' and o.action = $6'} and o.id < $3
               order by o.id desc limit $4::bigint + $5::bigint + 1) newest
             order by newest.id desc limit $4::bigint + 1 offset $5::bigint) found
           join user_action a on a.account_id = $1 and a.id = found.id
           order by a.id desc`,
    values: [accountId, page.entities, page.before, page.size, page.offset, ...(action === null ? [] : [action])],
  };
}

async function requireEnterprise(ctx: Context): Promise<void> {
  const { plan } = await readAccount(ctx);
  if (plan !== 'enterprise')
    throw new DomainError('FORBIDDEN', `This needs the Enterprise plan; the account is on the plan ${plan}.`);
}
