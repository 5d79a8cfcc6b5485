import type { Context } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
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
  /** Null: whatever was done. One that is unknown was never done. */
  readonly action: string | null;
  /** One more than this is read, to tell whether there is a next page. */
  readonly size: number;
  readonly offset: number;
  readonly before: string | null;
}

/** Newest first. Needs `audit:read` and the Enterprise plan (interface 4.7). */
export async function readUserActions<Entity extends AuditEntity>(
  ctx: Context,
  page: UserActionPage<Entity>,
): Promise<UserActionRead<Entity>[]> {
  requireScope(ctx, 'audit:read');
  await requireEnterprise(ctx);
  return await ctx.db.read<UserActionRead<Entity>>(ctx.accountId, {
    name: 'user_actions',
    text: `select a.id, a.action, a.actor, a.entity, a.target, a.at as "timestamp" from user_action a
           where a.account_id = $1 and a.entity = any ($2::text[]) and ($3::text is null or a.action = $3)
             and ($4::bigint is null or a.id < $4)
           order by a.id desc limit $5::bigint + 1 offset $6::bigint`,
    values: [ctx.accountId, page.entities, page.action, page.before, page.size, page.offset],
  });
}

async function requireEnterprise(ctx: Context): Promise<void> {
  const { plan } = await readAccount(ctx);
  if (plan !== 'enterprise')
    throw new DomainError('FORBIDDEN', `This needs the Enterprise plan; the account is on the plan ${plan}.`);
}
