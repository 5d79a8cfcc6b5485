// Finds out why the changes that wait longest wait so long. The recorder notes what the planner does during a day.
// Afterwards each minute of each wait beyond the P95 of the day gets one cause.
import type { Decision } from '../../src/domain/queue/model/decision.ts';
import { overlap } from '../../src/domain/queue/model/overlap.ts';
import type { Outcome } from '../../src/domain/simulation/engine.ts';
import { numberOf } from '../../src/domain/simulation/planner-rows.ts';
import type { Build, Change, Policy } from '../../src/domain/simulation/policy.ts';
import { quantile, sortAscending } from '../../src/domain/simulation/quantile.ts';

/** Why a change waits, in a minute. The first cause that applies counts. */
export const tailCauses = {
  landingBuild: 'the build that lands it runs',
  noWorker: 'it has no build, and all workers are busy',
  moved: 'it was moved behind others',
  ownBuilds: 'it waits for no other change, but must be built again',
  behindMoved: 'it waits for a moved change',
  behindSecondBuild: 'it waits for a change that is built again',
  chain: 'it waits for the first build of a change',
  other: 'other',
} as const;

export type TailCause = keyof typeof tailCauses;

/** The landed changes of a day that waited longer than the P95 of the day. */
export interface Tail {
  readonly changes: number;
  /** How many of them were moved behind others while they waited. */
  readonly moved: number;
  /** How many minutes they waited, all together, for each cause. */
  readonly minutes: Readonly<Record<TailCause, number>>;
}

interface RecordedBuild {
  readonly build: Build;
  readonly content: readonly number[];
  canceledAt: number | null;
}

/** Notes the builds, landings and reorders of a planner. `onPlan` is the planner's listener. */
export class TailRecorder {
  readonly #builds: RecordedBuild[] = [];
  readonly #byId = new Map<number, RecordedBuild>();
  /** For each change: the builds on whose evidence it landed. */
  readonly #landedBy = new Map<number, readonly number[]>();
  /** For each change: its ranks in line, each with the instant from which it has this rank. */
  readonly #ranks = new Map<number, { readonly from: number; readonly rank: number }[]>();
  #lastRank = 0;
  #now = 0;

  /** Called for every plan. Changes are ranked as in the rows of the planner. */
  readonly onPlan = (_: unknown, decisions: readonly Decision[]): void => {
    for (const decision of decisions)
      if (decision.kind === 'Reorder') this.#rank(numberOf(decision.pullRequest), this.#now);
  };

  watch(policy: Policy): Policy {
    return {
      decide: (queue, actions) => {
        this.#now = queue.now;
        for (const { number } of queue.news.arrived) this.#rank(number, queue.now);
        policy.decide(queue, {
          start: (content) => this.#started(actions.start(content)),
          cancel: (id) => {
            const recorded = this.#byId.get(id);
            if (recorded !== undefined) recorded.canceledAt ??= queue.now;
            actions.cancel(id);
          },
          land: (changes, restsOn) => {
            for (const change of changes)
              this.#landedBy.set(
                change,
                restsOn.map(({ id }) => id),
              );
            actions.land(changes, restsOn);
          },
          eject: (change) => actions.eject(change),
          wakeAt: (at) => actions.wakeAt(at),
        });
      },
    };
  }

  #rank(change: number, from: number): void {
    this.#lastRank += 1;
    this.#ranks.set(change, [...(this.#ranks.get(change) ?? []), { from, rank: this.#lastRank }]);
  }

  #started(build: Build): Build {
    const recorded = { build, content: [...build.assumes, ...build.members], canceledAt: null };
    this.#builds.push(recorded);
    this.#byId.set(build.id, recorded);
    return build;
  }

  /** `outcomes`: how all changes of the day left the queue. */
  tailOf(outcomes: readonly Outcome[], workers: number): Tail {
    const landed = outcomes.filter(({ kind }) => kind === 'landed');
    const waitOf = ({ at, change }: Outcome): number => at - change.arrivedAt;
    const limit = quantile(sortAscending(landed.map(waitOf)), 0.95) ?? 0;
    const late = landed.filter((outcome) => waitOf(outcome) > limit);
    const past = new PastLine({
      outcomes,
      workers,
      builds: this.#builds,
      landedBy: this.#landedBy,
      ranks: this.#ranks,
    });
    const minutes = Object.fromEntries(Object.keys(tailCauses).map((cause) => [cause, 0])) as Record<TailCause, number>;
    for (const { change, at } of late)
      for (let instant = change.arrivedAt + minute / 2; instant < at; instant += minute)
        minutes[past.causeAt(change, instant)] += 1;
    const moved = late.filter(({ change }) => (this.#ranks.get(change.number)?.length ?? 1) > 1).length;
    return { changes: late.length, moved, minutes };
  }
}

const minute = 60_000;

interface Records {
  readonly outcomes: readonly Outcome[];
  readonly workers: number;
  readonly builds: readonly RecordedBuild[];
  readonly landedBy: ReadonlyMap<number, readonly number[]>;
  readonly ranks: ReadonlyMap<number, readonly { readonly from: number; readonly rank: number }[]>;
}

/** The line as it was at any instant of the day. */
class PastLine {
  readonly #records: Records;
  readonly #leftAt: ReadonlyMap<number, number>;
  readonly #buildsOf = new Map<number, RecordedBuild[]>();
  readonly #overlapping = new Map<number, readonly Change[]>();
  readonly #inOrder: readonly Change[];
  /** The number of running builds, from each instant at which it changes. */
  readonly #load: readonly { readonly from: number; readonly running: number }[];

  constructor(records: Records) {
    this.#records = records;
    this.#inOrder = records.outcomes.map(({ change }) => change).sort((a, b) => a.number - b.number);
    this.#leftAt = new Map(records.outcomes.map(({ change, at }) => [change.number, at]));
    for (const recorded of records.builds)
      for (const number of recorded.content) {
        const known = this.#buildsOf.get(number);
        if (known === undefined) this.#buildsOf.set(number, [recorded]);
        else known.push(recorded);
      }
    this.#load = loadOf(records.builds);
  }

  causeAt(change: Change, now: number): TailCause {
    const { landedBy, workers } = this.#records;
    const builds = this.#buildsOf.get(change.number) ?? [];
    const restsOn = landedBy.get(change.number) ?? [];
    if (builds.some((recorded) => restsOn.includes(recorded.build.id) && isRunning(recorded, now)))
      return 'landingBuild';
    const hasBuild = builds.some(
      (recorded) =>
        recorded.build.members.includes(change.number) &&
        (isRunning(recorded, now) || (hasEnded(recorded, now) && recorded.build.verdict === 'green')),
    );
    if (!hasBuild && this.#runningAt(now) >= workers) return 'noWorker';
    if (this.#wasMoved(change, now)) return 'moved';
    const root = this.#rootOf(change, now);
    if (root === null) return hasBuild || builds.some((recorded) => hasEnded(recorded, now)) ? 'ownBuilds' : 'other';
    return this.#causeBehind(root, now);
  }

  #causeBehind(root: Change, now: number): TailCause {
    if (this.#wasMoved(root, now)) return 'behindMoved';
    const builds = (this.#buildsOf.get(root.number) ?? []).filter(({ build }) => build.members.includes(root.number));
    if (builds.some((recorded) => hasEnded(recorded, now) && recorded.build.verdict === 'red'))
      return 'behindSecondBuild';
    return builds.some((recorded) => isRunning(recorded, now)) ? 'chain' : 'other';
  }

  /**
   * The first change of the chain for which the change waits. The chain goes back step by step. Each step leads to the
   * change that leaves last among the overlapping changes before the present one. Null: no overlapping change is before
   * the change.
   */
  #rootOf(change: Change, now: number): Change | null {
    if (change.targets === null) return this.#firstBefore(change, now);
    let root: Change | null = null;
    for (let next = this.#lastBefore(change, now); next !== null; next = this.#lastBefore(next, now)) root = next;
    return root;
  }

  #lastBefore(change: Change, now: number): Change | null {
    const leavesAt = ({ number }: Change): number => this.#leftAt.get(number) ?? 0;
    return this.#before(change, now).reduce<Change | null>(
      (last, other) => (last === null || leavesAt(other) > leavesAt(last) ? other : last),
      null,
    );
  }

  /** If targets are unknown, the chain ends at the first change in line, because everything overlaps. */
  #firstBefore(change: Change, now: number): Change | null {
    return this.#before(change, now).reduce<Change | null>(
      (first, other) => (first === null || this.#rankAt(other, now) < this.#rankAt(first, now) ? other : first),
      null,
    );
  }

  #before(change: Change, now: number): readonly Change[] {
    const rank = this.#rankAt(change, now);
    return this.#overlappingOf(change).filter(
      (other) =>
        other.arrivedAt <= now && (this.#leftAt.get(other.number) ?? 0) > now && this.#rankAt(other, now) < rank,
    );
  }

  /** The changes that overlap this one and were in line at the same time. */
  #overlappingOf(change: Change): readonly Change[] {
    const known = this.#overlapping.get(change.number);
    if (known !== undefined) return known;
    const leftAt = this.#leftAt.get(change.number) ?? 0;
    const found = this.#inOrder.filter(
      (other) =>
        other.number !== change.number &&
        other.arrivedAt <= leftAt &&
        (this.#leftAt.get(other.number) ?? 0) > change.arrivedAt &&
        overlap(other.targets, change.targets),
    );
    this.#overlapping.set(change.number, found);
    return found;
  }

  #rankAt(change: Change, now: number): number {
    return this.#records.ranks.get(change.number)?.findLast(({ from }) => from <= now)?.rank ?? Infinity;
  }

  #wasMoved(change: Change, now: number): boolean {
    return (this.#records.ranks.get(change.number) ?? []).filter(({ from }) => from <= now).length > 1;
  }

  #runningAt(now: number): number {
    let [low, high] = [0, this.#load.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#load[middle]?.from ?? Infinity) <= now) low = middle + 1;
      else high = middle;
    }
    return this.#load[low - 1]?.running ?? 0;
  }
}

function hasEnded({ build }: RecordedBuild, now: number): boolean {
  return build.finishedAt !== null && build.finishedAt <= now;
}

function isRunning({ build, canceledAt }: RecordedBuild, now: number): boolean {
  return build.startedAt !== null && build.startedAt <= now && (build.finishedAt ?? canceledAt ?? Infinity) > now;
}

function loadOf(builds: readonly RecordedBuild[]): { readonly from: number; readonly running: number }[] {
  const steps = builds.flatMap(({ build, canceledAt }) =>
    build.startedAt === null
      ? []
      : [
          { at: build.startedAt, by: 1 },
          { at: build.finishedAt ?? canceledAt ?? Infinity, by: -1 },
        ],
  );
  let running = 0;
  return steps
    .sort((a, b) => a.at - b.at)
    .map(({ at, by }) => {
      running += by;
      return { from: at, running };
    });
}
