// Who may change an environment next. The slot is the mutex, not the status: one deployment of an environment has it,
// the rest waits in line.
import type { DeploymentKind, DeploymentStatus } from './release.ts';

export interface InLine {
  readonly id: string;
  readonly kind: DeploymentKind;
  readonly status: DeploymentStatus;
  /** Driven from outside: it waits for no slot of ours. */
  readonly reported: boolean;
  /** Goes on although the environment is frozen. */
  readonly forced: boolean;
}

export interface Slot {
  /** Who has it. */
  readonly currentId: string | null;
  readonly isFrozen: boolean;
}

/**
 * Those that wait for the slot, the next first: rollbacks before all others, else in the order they were asked for. In a
 * freeze whoever goes on by force comes before those that wait for its end, or it would wait with them.
 */
export function lineOf<D extends InLine>(deployments: readonly D[], { currentId, isFrozen }: Slot): D[] {
  const holdOf = ({ forced }: InLine): number => (isFrozen && !forced ? 1 : 0);
  return deployments
    .filter(({ id, status, reported }) => status === 'pending' && !reported && id !== currentId)
    .sort((a, b) => holdOf(a) - holdOf(b) || rankOf(a) - rankOf(b) || byId(a.id, b.id));
}

function rankOf({ kind }: InLine): number {
  return kind === 'rollback' ? 0 : 1;
}

function byId(a: string, b: string): number {
  return BigInt(a) < BigInt(b) ? -1 : 1;
}
