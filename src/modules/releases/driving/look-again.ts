// When the relay looks at a deployment or a build, should its workflow be lost: later than the workflow does by itself.
import type { RunStep } from '../../../domain/releases/drive.ts';

const graceMs = 15_000;
const carryOutMs = 60_000;
const longestMs = 5 * 60_000;

/** Null: never, it has ended. */
export function relayAt(step: RunStep | { readonly kind: 'ended' }, now: Date): Date | null {
  if (step.kind === 'ended') return null;
  if (step.kind !== 'wait') return new Date(now.getTime() + carryOutMs);
  const own = (step.until ?? Number.POSITIVE_INFINITY) + graceMs;
  return new Date(Math.min(own, now.getTime() + longestMs));
}
