// Writes the audit log of what users did (interface 2.10): GraphQL mutations with a session or with a user token.
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/database.ts';
import { userActions, type UserActionName } from './user-actions.table.ts';

export type RequestSource = 'rest_api' | 'graphql_api';

/** A request over one of the two interfaces. */
export interface RequestContext extends Context {
  readonly source: RequestSource;
}

export interface UserAction {
  /** A new action must be added to user-actions.table.ts, with its entity. */
  readonly action: UserActionName;
  /**
   * What the action changed, such as a user's email address. Null for an entity that exists only once, such as the
   * account.
   */
  readonly target: string | null;
}

/**
 * Writes the action in the transaction of its change. Writes nothing for requests with an account token, for REST and
 * for changes by Interlock itself.
 */
export async function recordUserAction(
  ctx: Context & Partial<RequestContext>,
  tx: Transaction,
  { action, target }: UserAction,
): Promise<void> {
  const { kind, sessionId, email } = ctx.actor;
  const isOwn = sessionId !== null || kind === 'user_token';
  if (!isOwn || ctx.source !== 'graphql_api' || email === null) return;
  await tx.send(
    'insert into user_action (account_id, action, actor, entity, target, at) values ($1, $2, $3, $4, $5, $6)',
    [ctx.accountId, action, email, userActions[action].entity, target, ctx.clock().toISOString()],
  );
}
