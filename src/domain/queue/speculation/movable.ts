// Who may go behind those that were behind it, and who has.
import type { Field } from './graph.ts';
import type { PullRequestState } from '../model/snapshot.ts';

/** It has its place by what it is, or by what it belongs to: what stands on one of a stack stays behind it. */
export function isBound({ skipLine, isBarrier, stack, bisection }: PullRequestState): boolean {
  return skipLine || isBarrier || stack !== null || bisection !== null;
}

/** Whether one may go behind all that are in line. */
export function mayMove(field: Field, place: number): boolean {
  const row = field.line[place];
  // Behind everybody it would hold up everybody else, and be built anew whenever one of them leaves.
  return row !== undefined && !isBound(row) && !overlapsAll(field, place);
}

/** For a red build: once while it is queued, so that overtaking is bounded. */
export function mayLetPass(field: Field, place: number): boolean {
  return field.line[place]?.letPass === false && mayMove(field, place);
}

/** And still might be. */
export function wasPassed(field: Field, place = -1): boolean {
  const row = field.line[place];
  return row !== undefined && (row.letPass || row.passedInDoubt > 0) && mayMove(field, place);
}

/** All in line before it is before it. */
export function overlapsAll({ line, view }: Field, place: number): boolean {
  const row = line[place];
  return row === undefined || row.isBarrier || row.targets === null || !view.snapshot.rules.useAffectedTargets;
}
