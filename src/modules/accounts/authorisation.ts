// Who may do what. Every service asks here; resolvers and the REST facade never do.
import type { Context, Scope } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';

/** The token's scopes, whatever the role of its user. */
export function requireScope(ctx: Context, scope: Scope): void {
  if (!ctx.actor.scopes.has(scope)) throw new DomainError('FORBIDDEN', `This needs a token with the scope ${scope}.`);
}

/** Admins may jump the line of any repository. */
export function canSkipLine(ctx: Context, _repositoryId: string): boolean {
  return ctx.actor.role === 'admin';
}

/** Admins may merge without validation in any repository. */
export function canSkipValidation(ctx: Context, _repositoryId: string): boolean {
  return ctx.actor.role === 'admin';
}
