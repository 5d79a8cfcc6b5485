// The planner for queues whose builds are bets (snapshot.ts): with adaptive speculation, or with affected targets.
//
// The steps, each on what the one before it left: block what failed by itself → hold what stands on it → judge the
// landing in line → gather what green bets justify → blame → let pass → dequeue what is stuck → end what says nothing any more →
// choose builds → announce → ask the host → land.
import { announceTop, lookAgain, readUnstarted } from '../planning/announcements.ts';
import { blockFailed } from '../planning/departures.ts';
import { chooseBets, pin, type Choice } from './select-builds.ts';
import type { Step } from '../planning/failure.ts';
import { blame, endFallen, judgeLine } from './ejection.ts';
import { viewField, type Bet, type Field } from './graph.ts';
import { countRunning, freeBuilds } from '../linear/formation.ts';
import { findExact, findUnvalidated, gather, restsOn, type Gathered } from './mergeable-set.ts';
import { gateDeadline, greenSince, judgeHeld, landGreen, type Patience } from '../planning/landing.ts';
import {
  isHeldByOwnChecks,
  mayLand,
  verdictOf,
  waitsForOwnChecks,
  withStarted,
  type LineView,
} from '../planning/line.ts';
import { weighOdds, type Odds } from './landing-probability.ts';
import { letPass } from './reorder.ts';
import { holdAbove } from '../requests/stacks.ts';
import type { BatchState, Decision } from '../model/snapshot.ts';

type StartBatch = Extract<Decision, { kind: 'StartBatch' }>;

export function planAdaptively(view: LineView): Decision[] {
  const landing = landingOf(view);
  if (landing?.landingBegun) return planBehind(view);
  const settled = settle(view);
  const { field, decisions, until } = settled;
  const landed = planLanding(field);
  const chosen = landed.places.length === 0 ? chooseBuilds(field, settled.odds()) : chooseBeside(field, landed);
  const isWaiting = landed.isDue && field.view.snapshot.queue.landingsFrom !== null;
  return [
    ...decisions,
    ...chosen.dropped.map(drop),
    ...landed.starts,
    ...chosen.starts,
    ...announceTop(field.view),
    ...readUnstarted(field.view),
    ...landed.decisions,
    ...lookAgain(field.view, [
      until,
      chosen.until,
      isWaiting ? field.view.snapshot.queue.landingsFrom : null,
      gateDeadline(field.view),
    ]),
  ];
}

/** What is built besides takes the landing for granted. */
function chooseBeside(field: Field, { starts, places }: Landed): Choice {
  const view = starts.reduce(withStarted, field.view);
  const besides = { ...field, view, landing: new Set([...field.landing, ...places]) };
  return chooseBuilds(besides, weighOdds(besides));
}

/** The landing that is planned or being made. */
function landingOf(view: LineView): BatchState | undefined {
  return view.batches[0] ?? view.beside.find((batch) => batch.landingPlanned || batch.landingBegun);
}

/** While a landing is begun nothing is reset or blamed: its outcome decides. What is built assumes it as it assumes others. */
function planBehind(view: LineView): Decision[] {
  const field = viewField(view);
  const { starts, dropped, until } = chooseBuilds(field, weighOdds(field));
  // What would be ended now is ended when the outcome is known, and asked anew then.
  const unsettled = new Set(field.fallen.flatMap(({ batch }) => batch.members.map((member) => member.pullRequest)));
  const settled = starts.filter(({ members }) => !members.some((member) => unsettled.has(member.pullRequest)));
  return [...dropped.map(drop), ...settled, ...announceTop(view), ...lookAgain(view, [until])];
}

interface Settled {
  readonly field: Field;
  readonly odds: () => Odds;
  readonly decisions: readonly Decision[];
  readonly until: number | null;
}

/** Whoever leaves may settle the fate of others: until nobody does. */
function settle(start: LineView): Settled {
  const decisions: Decision[] = [];
  let view = start;
  const take = (step: Step): boolean => {
    view = step.view;
    decisions.push(...step.decisions);
    return step.decisions.length > 0;
  };
  for (;;) {
    take(blockFailed(view));
    take(holdAbove(view));
    const field = viewField(view);
    if (take(judgeLine(field))) continue;
    const justified = gather(field, () => true);
    const places = new Set(justified.places);
    if (take(blame(field, places))) continue;
    const odds = onceWeighed(field);
    if (take(letPass(field, places, odds))) continue;
    const patience = judgePatience(field, justified);
    const isOver = patience.view === field.view;
    // Who is asked of the host is asked once, of the line that is left.
    take(
      isOver ? patience : { ...patience, decisions: patience.decisions.filter(({ kind }) => kind !== 'ReadChecks') },
    );
    if (!isOver) continue;
    const settled = { decisions, until: patience.until };
    if (!take(endFallen(field))) return { ...settled, field, odds };
    const left = viewField(view);
    return { ...settled, field: left, odds: onceWeighed(left) };
  }
}

/** Of all that a plan does this costs most. */
function onceWeighed(field: Field): () => Odds {
  let odds: Odds | undefined;
  return () => (odds ??= weighOdds(field));
}

/** Each is waited for from the instant when all that holds it was green. */
function judgePatience(field: Field, justified: Gathered): Patience {
  const { stuckTimeoutMins } = field.view.snapshot.rules;
  let patience: Patience = { view: field.view, decisions: [], until: null };
  if (stuckTimeoutMins === null) return patience;
  for (const place of justified.places) {
    const row = field.line[place];
    if (row === undefined || !waitsForOwnChecks(field.view, row)) continue;
    const since = justified.bets.flatMap(({ holds, verdict }) =>
      holds.has(place) && verdict.kind === 'green' ? [greenSince(field.view, verdict)] : [],
    );
    const next = judgeHeld(patience.view, [row], Math.max(...since) + stuckTimeoutMins * 60_000);
    const until = Math.min(patience.until ?? Infinity, next.until ?? Infinity);
    patience = {
      view: next.view,
      decisions: [...patience.decisions, ...next.decisions],
      until: Number.isFinite(until) ? until : null,
    };
  }
  return patience;
}

function chooseBuilds(field: Field, odds: Odds): Choice {
  const { view } = field;
  const { queue, rules } = view.snapshot;
  if (queue.paused && (rules.maxParallelPausedBuilds ?? 0) === 0) return { starts: [], dropped: [], until: null };
  // A landing that is being made rests on builds that there are; what is left of a chain is built, or waits when it is.
  const building = view.batches.filter(
    (batch) => batch.restsOn.length === 0 || (batch.commit !== null && verdictOf(view, batch).kind === 'pending'),
  );
  const running = countRunning(view, [...building, ...view.beside]);
  return chooseBets(field, odds, freeBuilds(view, running));
}

function drop({ batch }: Bet): Decision {
  return { kind: 'ReturnBatch', batch: batch.id, code: 309 };
}

interface Landed {
  readonly starts: readonly StartBatch[];
  readonly decisions: readonly Decision[];
  /** Of those that are to land by these. */
  readonly places: readonly number[];
  /** Something would land, or might, were it allowed. */
  readonly isDue: boolean;
}

function planLanding(field: Field): Landed {
  const { view } = field;
  const nothing: Landed = { starts: [], decisions: [], places: [], isDue: false };
  const isAllowed = mayLand(view);
  const landing = landingOf(view);
  if (landing !== undefined) {
    const decisions = isAllowed && !landing.landingPlanned ? landOne(view, landing) : [];
    return { ...nothing, decisions, isDue: true };
  }
  const ready = gather(field, (row) => !isHeldByOwnChecks(view, row));
  const unvalidated = ready.places.length === 0 ? findUnvalidated(field) : null;
  const places = unvalidated === null ? ready.places : [unvalidated];
  // Some of these may pass others then.
  if (places.length === 0) return { ...nothing, isDue: field.bets.some(({ verdict }) => verdict.kind === 'green') };
  if (!isAllowed) return { ...nothing, isDue: true };
  const exact = findExact(field, ready);
  if (exact !== null) return { ...nothing, places, decisions: landOne(view, exact.batch), isDue: true };
  return { ...nothing, places, starts: [startLanding(field, places, restsOn(ready))], isDue: true };
}

function landOne(view: LineView, batch: BatchState): Decision[] {
  const verdict = verdictOf(view, batch);
  if (verdict.kind !== 'green' || batch.commit === null || batch.givenUp) return [];
  const decision = landGreen(view, { batch, verdict });
  return decision === null ? [] : [decision];
}

function startLanding(field: Field, places: readonly number[], parts: readonly string[]): StartBatch {
  const { tip, nextPosition } = field.view.snapshot.queue;
  return {
    kind: 'StartBatch',
    position: nextPosition,
    members: pin(field, places),
    parentBatch: null,
    parentCommit: tip,
    base: tip,
    beside: null,
    assumes: [],
    restsOn: parts,
    cause: 'optimistic',
  };
}
