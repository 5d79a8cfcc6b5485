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
  /** Null: whatever was done. One that is unknown was never done. */
  readonly action: string | null;
  /** One more than this is read, to tell whether there is a next page. */
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
  return await ctx.db.read<UserActionRead<Entity>>(
    ctx.accountId,
    page.action === null ? ofEntities(ctx, page) : ofAction(ctx, page, page.action),
  );
}

const columns = 'a.id, a.action, a.actor, a.entity, a.target, a.at as "timestamp"';

// Each has its index, so that rare ones are not looked for among all there are. An action is of one entity.
function ofAction(ctx: Context, page: UserActionPage<AuditEntity>, action: string): Statement {
  return {
    name: 'user_actions_of_action',
    text: `select ${columns} from user_action a
           where a.account_id = $1 and a.action = $2 and a.entity = any ($3::text[]) and a.id < $4
           order by a.id desc limit $5::bigint + 1 offset $6::bigint`,
    values: [ctx.accountId, action, page.entities, page.before, page.size, page.offset],
  };
}

function ofEntities(ctx: Context, page: UserActionPage<AuditEntity>): Statement {
  return {
    name: 'user_actions_of_entities',
    text: `select ${columns} from unnest($2::text[]) as asked (entity), lateral (
             select o.* from user_action o
             where o.account_id = $1 and o.entity = asked.entity and o.id < $3
             order by o.id desc limit $4::bigint + $5::bigint + 1) a
           order by a.id desc limit $4::bigint + 1 offset $5::bigint`,
    values: [ctx.accountId, page.entities, page.before, page.size, page.offset],
  };
}

async function requireEnterprise(ctx: Context): Promise<void> {
  const { plan } = await readAccount(ctx);
  if (plan !== 'enterprise')
    throw new DomainError('FORBIDDEN', `This needs the Enterprise plan; the account is on the plan ${plan}.`);
}
