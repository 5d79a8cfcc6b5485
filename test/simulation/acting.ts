// In whose name people act, and what the answer of the service means.
import type { Actor, Context } from '../../src/context.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { HostRefused, HostUnavailable } from '../../src/hosts/port.ts';
import { isOutage } from '../../src/platform/outage.ts';

/** True: the service has answered. False: it has refused, or the outcome is unknown. */
export async function isAnswered(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof DomainError || error instanceof HostRefused || isAway(error)) return false;
    throw error;
  }
}

/** Whether the database or the host did not answer, or one of their disks is full. */
export function isAway(error: unknown): boolean {
  if (error instanceof HostUnavailable || isOutage(error)) return true;
  return error instanceof Error && (error as { readonly code?: unknown }).code === 'ENOSPC';
}

export function admin(ctx: Context): Context {
  const actor: Actor = { ...ctx.actor, kind: 'user_token', email: 'ada@example.test', handle: 'ada' };
  return { ...ctx, actor };
}

export function member(ctx: Context): Context {
  const actor: Actor = { ...ctx.actor, kind: 'user_token', role: 'member', email: 'member@example.test' };
  return { ...ctx, actor };
}
