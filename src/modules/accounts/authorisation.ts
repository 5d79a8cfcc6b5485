// Checks of scopes and roles. Services call them; resolvers and the REST facade never do. Scopes limit a token and
// roles limit its user, and both must allow an action.
import type { Context, Role, Scope } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';

/** The lowest role that may use a scope. */
const leastRoles = {
  'queue:read': 'member',
  'queue:write': 'member',
  'queue:pause': 'maintainer',
  'config:read': 'member',
  'config:write': 'maintainer',
  'analytics:read': 'member',
  'audit:read': 'admin',
  'release:read': 'member',
  'release:write': 'maintainer',
  'deploy:write': 'maintainer',
  'runbook:write': 'member',
  'preview:register': 'member',
  admin: 'admin',
} as const satisfies Record<Scope, Role>;

const ranks = { member: 1, maintainer: 2, admin: 3 } as const satisfies Record<Role, number>;

export function mayUse(role: Role, scope: Scope): boolean {
  return ranks[role] >= ranks[leastRoles[scope]];
}

// A write scope includes the read scope, because the result of a change is shown.
const writersOf: Partial<Record<Scope, readonly Scope[]>> = {
  'queue:read': ['queue:write', 'admin'],
  'config:read': ['config:write'],
  'release:read': ['release:write', 'deploy:write'],
};

function holds({ actor }: Context, scope: Scope): boolean {
  return actor.scopes.has(scope) || (writersOf[scope] ?? []).some((writer) => actor.scopes.has(writer));
}

export function hasScope(ctx: Context, scope: Scope): boolean {
  return holds(ctx, scope) && mayUse(ctx.actor.role, scope);
}

type Rights = Pick<Context['actor'], 'role' | 'scopes' | 'personAtGitHub'>;

/** Whether two actors may do the same. */
export function haveSameRights(one: Rights, other: Rights): boolean {
  return (
    one.role === other.role &&
    one.personAtGitHub?.id === other.personAtGitHub?.id &&
    one.scopes.size === other.scopes.size &&
    [...one.scopes].every((scope) => other.scopes.has(scope))
  );
}

/**
 * Throws FORBIDDEN unless the token has the scope and the role of its user allows the scope. The message names what is
 * missing.
 */
export function requireScope(ctx: Context, scope: Scope): void {
  const refusal = refusalOf(ctx, scope);
  if (refusal !== null) throw new DomainError('FORBIDDEN', refusal);
}

/** Why the caller may not use a scope. Null: the caller may use it. */
function refusalOf(ctx: Context, scope: Scope): string | null {
  const { actor } = ctx;
  if (!holds(ctx, scope)) return `This needs a token with the scope ${scope}.`;
  if (mayUse(actor.role, scope)) return null;
  return `This needs the role ${leastRoles[scope]}; the user of this token is a ${actor.role}.`;
}

/** The scope that each action needs. Clients read the names of the actions in `viewerCan`. */
const actionScopes = {
  queue: 'queue:write',
  dequeue: 'queue:write',
  skip_line: 'queue:write',
  skip_validation: 'queue:write',
  sync: 'queue:write',
  refresh: 'queue:write',
  backport: 'queue:write',
  verify: 'queue:write',
  pause: 'queue:pause',
  freeze: 'release:write',
  reset_queue: 'queue:pause',
  retry_build: 'queue:write',
  halt: 'admin',
  configure: 'config:write',
  start_runbook: 'runbook:write',
  deploy: 'deploy:write',
  roll_back: 'deploy:write',
  update_environment: 'release:write',
  administer: 'admin',
} as const satisfies Record<string, Scope>;
export type Action = keyof typeof actionScopes;

export function scopeOfAction(action: Action): Scope {
  return actionScopes[action];
}

export function requireAction(ctx: Context, action: Action): void {
  requireScope(ctx, actionScopes[action]);
}

/** Why the caller may not do an action. Null: the caller may do it. */
export function refusalOfAction(ctx: Context, action: Action): string | null {
  return refusalOf(ctx, actionScopes[action]);
}

/**
 * Each of these scopes allows a caller to read a repository, because a caller who may use something inside of a
 * repository may read the repository too.
 */
const repositoryScopes = [
  'queue:read',
  'queue:pause',
  'config:read',
  'analytics:read',
  'release:read',
  'runbook:write',
] as const satisfies Scope[];

/**
 * Throws FORBIDDEN unless the caller may read a repository and its own fields. The contents of the repository need
 * other scopes.
 */
export function requireRepositoryScope(ctx: Context): void {
  if (repositoryScopes.some((scope) => hasScope(ctx, scope))) return;
  throw new DomainError('FORBIDDEN', `This needs a token with one of the scopes ${repositoryScopes.join(', ')}.`);
}
