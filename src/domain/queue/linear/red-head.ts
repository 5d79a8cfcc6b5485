// A red build at the head of the line: is it passed by a later green one, waited for, halved, tried again, or blamed?
import { startAtEnd } from './formation.ts';
import { membersOf, verdictOf, withStarted, withoutBatches, type LineView, type Step } from '../planning/line.ts';
import { supersede } from '../planning/resets.ts';
import {
  type Failure,
  isFailure,
  isOfGate,
  failedBuildOf,
  causeOf,
  mayBisect,
  bisect,
  fail,
} from '../planning/failure.ts';
import type { Decision } from '../model/decision.ts';

/** `start`: the batch that passes the red head. */
export interface Judgement extends Step {
  readonly start: Extract<Decision, { kind: 'StartBatch' }> | null;
}

/**
 * Only the head of a line that stands is judged, and with nothing undecided before it: its parent is the tip, while
 * elsewhere an assumption may be at fault.
 */
export function judgeHead(view: LineView): Judgement {
  const unchanged: Judgement = { view, decisions: [], start: null };
  const head = view.batches[0];
  if (head === undefined || view.inOrder[0]?.id !== head.members[0]?.pullRequest) return unchanged;
  const verdict = verdictOf(view, head);
  if (!isFailure(verdict)) return unchanged;
  // A later build says nothing of a gate, which it has not been through.
  const outlook = verdict.kind === 'gate_closed' ? 'none' : findPass(view, 0);
  if (outlook === 'wait') return unchanged;
  if (outlook !== 'none') return view.snapshot.queue.paused ? unchanged : passOver(view, { green: outlook, verdict });
  const above = supersede(view.batches.slice(1), causeOf(head, verdict));
  const judged = mayBisect(view, head) ? bisect(view, head, verdict) : fail(view, head, verdict);
  return { view: judged.view, decisions: [...judged.decisions, ...above, ...judged.departures], start: null };
}

/** Index of the green batch that passes the red one, `wait` while one within the failure depth is pending. */
export function findPass(view: LineView, red: number): number | 'wait' | 'none' {
  const { mode, useOptimisticValidation, optimisticValidationFailureDepth: depth } = view.snapshot.rules;
  if (mode !== 'parallel' || !useOptimisticValidation) return 'none';
  let isPending = false;
  const first = view.batches[red]?.members[0]?.pullRequest;
  let index =
    view.inOrder.findIndex((pullRequest) => pullRequest.id === first) + (view.batches[red]?.members.length ?? 0);
  for (const [offset, batch] of view.batches.slice(red + 1, red + depth + 1).entries()) {
    // A suspended pull request stands between: it must not be passed over.
    if (view.inOrder[index]?.id !== batch.members[0]?.pullRequest) break;
    index += batch.members.length;
    const verdict = verdictOf(view, batch);
    // Skipped validation is no evidence, and what failed together is not put together again.
    const isEvidence = verdict.kind === 'green' && verdict.evidence !== '';
    if (isEvidence && !haveFailedTogether(view, { red, green: red + offset + 1 })) return red + offset + 1;
    if (verdict.kind === 'pending') isPending = true;
  }
  return isPending ? 'wait' : 'none';
}

/**
 * As one bisected group; or some of them at a final gate, which the green build that would pass them has not been
 * through: put together they would be kept back there, halved, and passed again without end.
 */
function haveFailedTogether(view: LineView, of: { readonly red: number; readonly green: number }): boolean {
  const groups = new Set(
    view.batches
      .slice(of.red, of.green + 1)
      .flatMap((batch) => membersOf(view, batch).map((member) => member.bisection?.group ?? null)),
  );
  return [...groups].some(isOfGate) || (groups.size === 1 && !groups.has(null));
}

/** One new batch on the tip of all up to the green one: its tree is the green one's, so that the look-up finds it. */
function passOver(view: LineView, pass: { readonly green: number; readonly verdict: Failure }): Judgement {
  const members = view.batches.slice(0, pass.green + 1).flatMap((batch) => membersOf(view, batch));
  const failedBuild = failedBuildOf(view.batches[0], pass.verdict);
  const decisions = supersede(view.batches, { code: 301, causedBy: members[0]?.id ?? null, failedBuild });
  const empty = withoutBatches(view, view.batches);
  const start = startAtEnd(empty, members, 'optimistic');
  return { view: withStarted(empty, start), decisions, start };
}
