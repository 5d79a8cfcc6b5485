// Decides which pull requests are always built together, and which always alone.
import { isSuspended, type LineView } from './line.ts';
import type { PullRequestState } from '../model/snapshot.ts';

/** The unit that begins at `index`. Neighbours of one stack are built together, unless they are being bisected. */
export function unitAt(view: LineView, index: number): readonly PullRequestState[] {
  const first = view.inOrder[index];
  if (first === undefined) return [];
  if (first.stack === null || first.bisection !== null || hasOwnBatch(view, first)) return [first];
  const rest = view.inOrder.slice(index + 1);
  const end = rest.findIndex(
    (next) => next.stack !== first.stack || next.bisection !== null || hasOwnBatch(view, next),
  );
  return [first, ...(end === -1 ? rest : rest.slice(0, end))];
}

export function hasOwnBatch(view: LineView, pullRequest: PullRequestState): boolean {
  return view.snapshot.rules.mode !== 'parallel' || isBuiltAlone(view, pullRequest);
}

export function isBuiltAlone(view: LineView, pullRequest: PullRequestState): boolean {
  const { skipLine, skipValidation, isBarrier } = pullRequest;
  return skipLine || skipValidation || isBarrier || isSuspended(view, pullRequest);
}
