// Decides about a red batch at the head of the line. A later green build passes the batch, or the batch waits for such
// a build, or the batch is bisected, or its pull requests are requeued or blocked.
import { startAtEnd } from './next-batch.ts';
import { membersOf, verdictOf, withStartedBatch, withoutBatches, type LineView, type Step } from '../planning/line.ts';
import { supersede } from '../planning/resets.ts';
import {
  type Failure,
  isFailure,
  isGateGroup,
  failedBuildOf,
  causeOf,
  mayBisect,
  bisect,
  fail,
} from '../planning/failure.ts';
import type { Decision } from '../model/decision.ts';

/** `start`: the batch that passes the red head. Null: no batch does. */
export interface Judgement extends Step {
  readonly start: Extract<Decision, { kind: 'StartBatch' }> | null;
}

/**
 * Judges the batch at the head of the line, whose parent is the tip. No other batch is judged, because the batch below
 * it may be at fault. The head is not judged if a pull request is before it in line.
 */
export function judgeHead(view: LineView): Judgement {
  const unchanged: Judgement = { view, decisions: [], start: null };
  const head = view.batches[0];
  if (head === undefined || view.inOrder[0]?.id !== head.members[0]?.pullRequest) return unchanged;
  const verdict = verdictOf(view, head);
  if (!isFailure(verdict)) return unchanged;
  // A later build proves nothing about a final gate that it has not passed.
  const outlook = verdict.kind === 'gate_closed' ? 'none' : findPass(view, 0);
  if (outlook === 'wait') return unchanged;
  if (outlook !== 'none') return view.snapshot.queue.paused ? unchanged : passOver(view, { green: outlook, verdict });
  const above = supersede(view.batches.slice(1), causeOf(head, verdict));
  const judged = mayBisect(view, head) ? bisect(view, head, verdict) : fail(view, head, verdict);
  return { view: judged.view, decisions: [...judged.decisions, ...above, ...judged.departures], start: null };
}

/**
 * Index of the green batch that passes the red one. `wait`: a batch within the failure depth is still pending. `none`:
 * no batch can pass the red one.
 */
export function findPass(view: LineView, red: number): number | 'wait' | 'none' {
  const { mode, useOptimisticValidation, optimisticValidationFailureDepth: depth } = view.snapshot.rules;
  if (mode !== 'parallel' || !useOptimisticValidation) return 'none';
  let isPending = false;
  const first = view.batches[red]?.members[0]?.pullRequest;
  let index =
    view.inOrder.findIndex((pullRequest) => pullRequest.id === first) + (view.batches[red]?.members.length ?? 0);
  for (const [offset, batch] of view.batches.slice(red + 1, red + depth + 1).entries()) {
    // A suspended pull request is between the batches, and must not be passed.
    if (view.inOrder[index]?.id !== batch.members[0]?.pullRequest) break;
    index += batch.members.length;
    const verdict = verdictOf(view, batch);
    // Skipped validation is no evidence. Members that failed together are not batched together again.
    const isEvidence = verdict.kind === 'green' && verdict.evidence !== '';
    if (isEvidence && !haveFailedTogether(view, { red, green: red + offset + 1 })) return red + offset + 1;
    if (verdict.kind === 'pending') isPending = true;
  }
  return isPending ? 'wait' : 'none';
}

/**
 * Whether members of these batches failed together: as one bisected group, or at a final gate. The green build has not
 * passed the gate. A batch of all members would fail at the gate, be bisected, and be passed again, without end.
 */
function haveFailedTogether(view: LineView, of: { readonly red: number; readonly green: number }): boolean {
  const groups = new Set(
    view.batches
      .slice(of.red, of.green + 1)
      .flatMap((batch) => membersOf(view, batch).map((member) => member.bisection?.group ?? null)),
  );
  return [...groups].some(isGateGroup) || (groups.size === 1 && !groups.has(null));
}

/**
 * Replaces all batches by one batch on the tip, with all members up to the green batch. Its tree is that of the green
 * batch, whose build is its evidence.
 */
function passOver(view: LineView, pass: { readonly green: number; readonly verdict: Failure }): Judgement {
  const members = view.batches.slice(0, pass.green + 1).flatMap((batch) => membersOf(view, batch));
  const failedBuild = failedBuildOf(view.batches[0], pass.verdict);
  const decisions = supersede(view.batches, { code: 301, causedBy: members[0]?.id ?? null, failedBuild });
  const empty = withoutBatches(view, view.batches);
  const start = startAtEnd(empty, members, 'optimistic');
  return { view: withStartedBatch(empty, start), decisions, start };
}
