// Decides which pull requests are ejected because of red builds, and which builds end.
//
// A build whose assumptions failed ejects no pull request. A pull request is ejected when no pull request that overlaps
// it is before it in line, and two of its builds were red with no other possible culprit. One red build is enough if
// second builds have hardly ever passed. Pull requests that were built together are bisected first.
import { isInIsolatedRetry } from './isolated-retry.ts';
import { isSecondTryWorthwhile } from '../model/success-probability.ts';
import { isRedAlone, type SpeculativeBuild, type SpeculationGraph } from './graph.ts';
import { bisect, causeOf, fail, failRemaining, isFailure, mayBisect, type Failure } from '../planning/failure.ts';
import {
  conflictingMember,
  isHeld,
  membersOf,
  verdictOf,
  withoutBatches,
  type LineView,
  type Step,
} from '../planning/line.ts';
import { memberFault, ruleFault, supersede, type Cause } from '../planning/resets.ts';
import { isOnTip } from '../landing/gate.ts';
import { isCulpritSearched } from './culprit-search.ts';
import type { BatchState } from '../model/snapshot.ts';
import type { Decision } from '../model/decision.ts';

/**
 * `justified`: indices of pull requests that a green build justifies. They are not ejected, even if they are in a red
 * build.
 */
export function ejectFailedPullRequests(graph: SpeculationGraph, justified: ReadonlySet<number>): Step {
  let step: Step = { view: graph.view, decisions: [] };
  const ejected = new Set<number>();
  const endedBuilds = new Set<SpeculativeBuild>();
  for (const build of graph.builds) {
    if (build.members.some((index) => ejected.has(index) || justified.has(index) || graph.landing.has(index))) continue;
    const failure = findFailure(graph, build);
    if (failure === null) continue;
    for (const index of build.members) ejected.add(index);
    const ended = endFailed(graph, step.view, { build, failure });
    const related = [
      ...new Set([...graph.builds, ...graph.invalidated, ...graph.inconclusive, ...graph.isolated]),
    ].filter(
      (other) =>
        other !== build && !endedBuilds.has(other) && other.members.some((index) => build.members.includes(index)),
    );
    for (const other of [build, ...related]) endedBuilds.add(other);
    const batches = related.map(({ batch }) => batch);
    const causedBy = graph.line[build.members[0] ?? -1]?.id ?? null;
    step = {
      view: withoutBatches(ended.view, batches),
      decisions: [
        ...step.decisions,
        ...supersede(batches, { ...causeOf(build.batch, failure), causedBy }),
        ...ended.decisions,
      ],
    };
  }
  return step;
}

function endFailed(
  { line }: SpeculationGraph,
  view: LineView,
  { build, failure }: { readonly build: SpeculativeBuild; readonly failure: Failure },
): Step {
  const { batch, members } = build;
  const remaining = members.flatMap((index) => line[index] ?? []);
  const hasOriginalMember = remaining.some(({ id }) => batch.members.some(({ pullRequest }) => pullRequest === id));
  if (hasOriginalMember) return end(view, batch, failure);
  const ended = failRemaining(view, batch, { failure, remaining });
  return { view: ended.view, decisions: [...ended.decisions, ...ended.departures] };
}

function end(view: LineView, batch: BatchState, failure: Failure): Step {
  const ended = mayBisect(view, batch) ? bisect(view, batch, failure) : fail(view, batch, failure);
  return { view: ended.view, decisions: [...ended.decisions, ...ended.departures] };
}

/**
 * The failure of the build if the failure ejects the members. Null: the build did not fail, another pull request may be
 * at fault, or a further build must decide.
 */
function findFailure(graph: SpeculationGraph, build: SpeculativeBuild): Failure | null {
  const { batch, verdict, members } = build;
  if (!isFailure(verdict) || !isSoleSuspect(graph, build)) return null;
  // A red batch is searched first, and the last remaining member of a batch is built alone first.
  if (isCulpritSearched(graph, build) || (members.length === 1 && batch.members.length > 1)) return null;
  if (verdict.kind !== 'red' || members.length > 1) return verdict;
  const [index = -1] = members;
  const reds = [
    ...(graph.buildsOf.get(index) ?? []),
    ...graph.invalidated.filter((invalidated) => invalidated.members[0] === index),
  ];
  const needed = isSecondTryWorthwhile(graph.view.snapshot.secondTries) ? 2 : 1;
  return reds.filter(isRedAlone).length < needed ? null : verdict;
}

/**
 * Whether only the members can be at fault: everything that the build assumed has landed, and no other pull request
 * that overlaps them is before them in line. For an isolated retry, the pull requests before it do not count, because
 * they have passed it.
 */
export function isSoleSuspect(graph: SpeculationGraph, { members, pending }: SpeculativeBuild): boolean {
  if (pending.length > members.length) return false;
  if (members.length === 1 && members.every((member) => isInIsolatedRetry(graph, member))) return true;
  return members.every((member) => graph.before(member).every((before) => members.includes(before)));
}

/** Ends speculative builds whose result no longer matters. */
export function endObsoleteBuilds(graph: SpeculationGraph): Step {
  const decisions = graph.obsolete.flatMap(({ batch, cause, isReported }): Decision[] =>
    isReported ? supersede([batch], cause) : [{ kind: 'ReturnBatch', batch: batch.id, code: cause.code }],
  );
  if (decisions.length === 0) return { view: graph.view, decisions };
  return {
    view: withoutBatches(
      graph.view,
      graph.obsolete.map(({ batch }) => batch),
    ),
    decisions,
  };
}

/** Ends the landing in line if it is no longer possible, or if its tree was built in the meantime and is red. */
export function judgeLanding(graph: SpeculationGraph): Step {
  const { view } = graph;
  const [landing, ...others] = view.batches;
  const leftover = supersede(others, { code: 307, causedBy: null });
  const alone = others.length === 0 ? view : withoutBatches(view, others);
  if (landing === undefined) return { view, decisions: [] };
  const cause = landingFault(graph, landing);
  if (cause !== null)
    return { view: withoutBatches(alone, [landing]), decisions: [...leftover, ...supersede([landing], cause)] };
  const verdict = verdictOf(view, landing);
  if (!isFailure(verdict)) return { view: alone, decisions: leftover };
  const ended = end(alone, landing, verdict);
  return { view: ended.view, decisions: [...leftover, ...ended.decisions] };
}

function landingFault(graph: SpeculationGraph, landing: BatchState): Cause | null {
  const { view } = graph;
  const own = memberFault(view, landing) ?? ruleFault(view, landing);
  if (own !== null) return own;
  if (!isOnTip(landing, view.snapshot.queue.tip)) return { code: 305, causedBy: null };
  const conflicting = landing.members[conflictingMember(view, landing)];
  if (conflicting !== undefined) return { code: 301, causedBy: conflicting.pullRequest };
  const verdict = verdictOf(view, landing);
  if (verdict.kind === 'worthless') return { code: verdict.code, causedBy: null };
  return orderFault(graph, landing) ?? (verdict.kind === 'green' ? heldFault(view, landing) : null);
}

/**
 * Ends a green landing if a member must wait for its own checks, so that the other members can land without it. A
 * landing that is planned, or whose final gates have started, waits for the member.
 */
function heldFault(view: LineView, landing: BatchState): Cause | null {
  const { landingPlanned, gates = [] } = landing;
  if (landingPlanned || gates.some(({ run }) => run !== null)) return null;
  const held = membersOf(view, landing).find((member) => isHeld(view, member));
  return held === undefined ? null : { code: 309, causedBy: held.id };
}

/** A landing must end if a pull request that it overlaps is before it in line now. */
function orderFault(graph: SpeculationGraph, landing: BatchState): Cause | null {
  const members = new Set(landing.members.flatMap(({ pullRequest }) => graph.indexOf.get(pullRequest) ?? []));
  for (const member of members)
    for (const index of graph.before(member)) {
      const before = graph.line[index];
      if (before !== undefined && !members.has(index))
        return { code: before.skipLine ? 302 : 309, causedBy: before.id };
    }
  return null;
}
