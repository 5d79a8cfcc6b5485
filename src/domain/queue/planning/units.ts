// Which pull requests are only built together, and which only alone.
import { isSuspended, type LineView } from './line.ts';
import type { PullRequestState } from '../model/snapshot.ts';

/** Neighbours of one stack are built together, unless they are being bisected. */
export function unitAt(view: LineView, index: number): readonly PullRequestState[] {
  const first = view.inOrder[index];
  if (first === undefined) return [];
  if (first.stack === null || first.bisection !== null || isTakenAlone(view, first)) return [first];
  const rest = view.inOrder.slice(index + 1);
  const end = rest.findIndex(
    (next) => next.stack !== first.stack || next.bisection !== null || isTakenAlone(view, next),
  );
  return [first, ...(end === -1 ? rest : rest.slice(0, end))];
}

export function isTakenAlone(view: LineView, pullRequest: PullRequestState): boolean {
  return view.snapshot.rules.mode !== 'parallel' || standsAlone(view, pullRequest);
}

export function standsAlone(view: LineView, pullRequest: PullRequestState): boolean {
  const { skipLine, skipValidation, isBarrier } = pullRequest;
  return skipLine || skipValidation || isBarrier || isSuspended(view, pullRequest);
}
