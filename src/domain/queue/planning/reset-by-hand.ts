// Decides which builds a reset by hand ends: all builds of a queue, or those of one pull request and the builds made on
// them. The next turn makes these builds again, unless the line has changed.
import type { Decision } from '../model/decision.ts';
import type { BatchState } from '../model/snapshot.ts';
import { supersede } from './resets.ts';

export type ResetByHand =
  | { readonly kind: 'reset'; readonly decisions: readonly Decision[] }
  /** While a landing is under way nothing is reset, because the outcome of the landing decides what is built next. */
  | { readonly kind: 'landing' }
  | { readonly kind: 'no build' };

/** `pullRequest`: resets its builds, and the builds made on them. Null: resets every build of the queue. */
export function decideResetByHand(batches: readonly BatchState[], pullRequest: string | null): ResetByHand {
  if (batches.some(({ landingStarted }) => landingStarted)) return { kind: 'landing' };
  const holds = ({ members }: BatchState): boolean =>
    pullRequest === null || members.some((member) => member.pullRequest === pullRequest);
  const chosen = new Set(batches.filter(holds).flatMap(({ id }) => findBuiltOn(batches, id)));
  if (chosen.size === 0) return { kind: 'no build' };
  const reset = batches.filter(({ id }) => chosen.has(id));
  return { kind: 'reset', decisions: supersede(reset, { code: 300, causedBy: null }) };
}

/** Ids of the batch and of all batches in line that are built on it. Nothing is built on a build beside the line. */
export function findBuiltOn(batches: readonly BatchState[], id: string): readonly string[] {
  const inLine = batches
    .filter(({ sideBuild }) => sideBuild === null)
    .toSorted((a, b) => a.position - b.position)
    .map((batch) => batch.id);
  const at = inLine.indexOf(id);
  return at === -1 ? batches.flatMap((batch) => (batch.id === id ? [id] : [])) : inLine.slice(at);
}
