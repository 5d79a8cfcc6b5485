// Which deployment may change an environment next. The slot is the mutex, not the status: one deployment of an
// environment has the slot, and the others wait in line.
import type { DeploymentKind, DeploymentStatus } from './release.ts';

export interface LineEntry {
  readonly id: string;
  readonly kind: DeploymentKind;
  readonly status: DeploymentStatus;
  /** Whether a pipeline outside drives the deployment. Such a deployment needs no slot. */
  readonly reported: boolean;
  /** Whether the deployment starts although the environment is frozen. */
  readonly forced: boolean;
}

export interface Slot {
  /** The deployment that has the slot. */
  readonly currentId: string | null;
  readonly isFrozen: boolean;
}

/**
 * The deployments that wait for the slot, the next first: rollbacks, then the others in the order of their requests.
 * During a freeze, forced deployments come first, because otherwise they would wait behind deployments that wait for the
 * end of the freeze.
 */
export function lineOf<D extends LineEntry>(deployments: readonly D[], { currentId, isFrozen }: Slot): D[] {
  const holdOf = ({ forced }: LineEntry): number => (isFrozen && !forced ? 1 : 0);
  return deployments
    .filter(({ id, status, reported }) => status === 'pending' && !reported && id !== currentId)
    .sort((a, b) => holdOf(a) - holdOf(b) || rankOf(a) - rankOf(b) || byId(a.id, b.id));
}

function rankOf({ kind }: LineEntry): number {
  return kind === 'rollback' ? 0 : 1;
}

function byId(a: string, b: string): number {
  return BigInt(a) < BigInt(b) ? -1 : 1;
}
