// Explores every history of a small queue. CI may end each build at any time, green or red, so every combination of
// failures, fixes, semantic conflicts and flakes is among the histories. For git, each pair may conflict or not, which
// is decided when the two first meet in one tree. States that differ only in names are visited once.
import assert from 'node:assert/strict';
import { plan } from '../../../src/domain/queue/plan.ts';
import { overlap } from '../../../src/domain/queue/model/overlap.ts';
import type { QueueRules } from '../../../src/domain/queue/model/rules.ts';
import type { Snapshot } from '../../../src/domain/queue/model/snapshot.ts';
import { justifies } from '../../../src/domain/simulation/justification.ts';
import { plannerPolicy, type PlannerPolicy } from '../../../src/domain/simulation/planner-policy.ts';
import type { Build, Change, QueueActions, Landing, News, QueueView } from '../../../src/domain/simulation/policy.ts';
import type { Decision } from '../../../src/domain/queue/model/decision.ts';
import type { ReorderReason } from '../../../src/domain/queue/model/decision.ts';

export interface SmallWorld {
  readonly rules: QueueRules;
  /** The affected targets of each pull request. Null: unknown. */
  readonly targets: readonly (readonly string[] | null)[];
  /** Whether all pull requests are in line from the start, or each arrives at any time. */
  readonly arrive: 'at once' | 'any time';
  /** The number of red builds of a pull request alone that block it. */
  readonly redsToBlame: number;
  readonly mayConflict: boolean;
  /** The success probability that the planner gets for each pull request. Left out: 0.9. */
  readonly successProbability?: number;
  /**
   * `lost`: parts of a bisected batch are built beside the line, on the tip of that time. Left out: parts keep their
   * places.
   */
  readonly places?: 'lost';
}

export interface Visited {
  readonly states: number;
  readonly landed: number;
  readonly ejected: number;
}

/** Visits every state once. If an invariant does not hold, throws an error with the steps to that state. */
export function exploreAll(of: SmallWorld): Visited {
  const seen = new Set<string>();
  const onWay = new Set<string>();
  const way: string[] = [];
  let [landed, ejected] = [0, 0];
  const visit = (state: State): void => {
    const key = state.key();
    assert.ok(!onWay.has(key), 'a history does not come back to where it was');
    if (seen.has(key)) return;
    seen.add(key);
    // The plan follows from the parts of the key, so one state stands for all states with the same key.
    state.checkPlanned();
    const steps = state.steps();
    if (steps.length === 0) state.checkEnd();
    landed += state.landings.length;
    ejected += state.ejected;
    onWay.add(key);
    for (const step of steps) {
      way.push(step.name);
      for (const next of outcomesOf(state, step)) visit(next);
      way.pop();
    }
    onWay.delete(key);
  };
  try {
    for (const state of outcomesOf(new State(of), { name: 'begin', take: (started) => started.begin() })) visit(state);
  } catch (error) {
    throw new Error(`After ${way.join(', ')}: ${(error as Error).message}`, { cause: error });
  }
  return { states: seen.size, landed, ejected };
}

interface Step {
  readonly name: string;
  readonly take: (state: State) => void;
}

class Undecided {
  readonly pair: string;
  constructor(pair: string) {
    this.pair = pair;
  }
}

/** The states after a step. There are several if two changes meet for the first time. */
function outcomesOf(state: State, step: Step): State[] {
  const next = state.copy();
  try {
    step.take(next);
    return [next];
  } catch (error) {
    if (!(error instanceof Undecided)) throw error;
    return [true, false].flatMap((conflicts) => {
      const decided = state.copy();
      decided.pairs.set(error.pair, conflicts);
      return outcomesOf(decided, step);
    });
  }
}

/** All copies share the options of the policy, so git answers for the copy that acts. */
let acting: State | null = null;
function act(state: State): void {
  acting = state;
}

function landedBy({ batches }: Snapshot, decisions: readonly Decision[]): readonly number[] {
  const members = decisions.flatMap((decision) => {
    if (decision.kind === 'LandBatch') return batches.find(({ id }) => id === decision.batch)?.members ?? [];
    return decision.kind === 'StartBatch' && decision.sideBuild === null ? decision.members : [];
  });
  return members.map(({ pullRequest }) => Number(pullRequest.slice(1)));
}

class State implements QueueView, QueueActions {
  readonly now = 1_000_000;
  readonly workers = Infinity;
  readonly idleWorkers = Infinity;
  news: News = { arrived: [], finished: [] };
  readonly of: SmallWorld;
  #policy: PlannerPolicy;
  /** In the order of the line. */
  pending: Change[] = [];
  failed = new Set<number>();
  timesPassed = new Map<number, number>();
  builds = new Map<number, Build>();
  landings: Landing[] = [];
  ejected = 0;
  pairs = new Map<string, boolean>();
  #arrived = 0;
  #made = 0;

  constructor(of: SmallWorld) {
    this.of = of;
    this.#policy = plannerPolicy({
      rules: of.rules,
      rowOf: () => ({ successProbability: of.successProbability ?? 0.9 }),
      conflictAt: (changes) => acting?.conflictAt(changes) ?? -1,
      onPlan: (snapshot, decisions) => {
        for (const decision of decisions)
          if (decision.kind === 'Reorder')
            acting?.reorder(Number(decision.pullRequest.slice(1)), decision.reason, landedBy(snapshot, decisions));
      },
    });
  }

  copy(): State {
    const copy = new State(this.of);
    copy.#policy = this.#policy.copy();
    copy.pending = [...this.pending];
    copy.failed = new Set(this.failed);
    copy.timesPassed = new Map(this.timesPassed);
    copy.builds = new Map(this.builds);
    copy.landings = [...this.landings];
    copy.ejected = this.ejected;
    copy.pairs = new Map(this.pairs);
    copy.#arrived = this.#arrived;
    copy.#made = this.#made;
    return copy;
  }

  begin(): void {
    const count = this.of.arrive === 'at once' ? this.of.targets.length : 1;
    this.#hear({ arrived: Array.from({ length: count }, () => this.#nextArrival()), finished: [] });
  }

  steps(): Step[] {
    const running = [...this.builds.values()].filter((build) => build.finishedAt === null);
    const ends = running.flatMap(({ id, assumes, members }) =>
      (['green', 'red'] as const).map((verdict) => ({
        name: `${[...assumes, '|', ...members].join(' ')} ${verdict}`,
        take: (state: State) => state.#end(id, verdict),
      })),
    );
    const arrival = {
      name: 'arrival',
      take: (state: State) => state.#hear({ arrived: [state.#nextArrival()], finished: [] }),
    };
    return this.#arrived < this.of.targets.length ? [arrival, ...ends] : ends;
  }

  #nextArrival(): Change {
    const number = this.#arrived;
    const change = { number, arrivedAt: this.now, author: 0, targets: this.of.targets[number] ?? null };
    this.#arrived += 1;
    this.pending.push(change);
    return change;
  }

  #end(id: number, verdict: 'green' | 'red'): void {
    const build = { ...this.#build(id), finishedAt: this.now, verdict };
    this.builds.set(id, build);
    this.#hear({ arrived: [], finished: [build] });
  }

  #hear(news: News): void {
    this.news = news;
    act(this);
    this.#policy.decide(this, this);
    const running = [...this.builds.values()].filter((build) => build.finishedAt === null);
    assert.ok(running.length <= (this.of.rules.maxParallelBuilds ?? Infinity), 'no more builds than allowed');
  }

  checkPlanned(): void {
    const again = plan(this.#policy.snapshot(this.now), this.now).filter(({ kind }) => kind !== 'PlanAgainAt');
    assert.deepEqual(again, [], 'what was decided is not decided again');
  }

  checkEnd(): void {
    assert.deepEqual(this.pending, [], 'nobody is left when nothing happens any more');
    assert.deepEqual(this.#policy.snapshot(this.now).batches, [], 'and no batch');
  }

  // The queue as the policy sees it.

  isPending(change: number): boolean {
    return this.pending.some(({ number }) => number === change);
  }

  change(number: number): Change {
    return { number, arrivedAt: this.now, author: 0, targets: this.of.targets[number] ?? null };
  }

  earlierOverlapping({ number, targets }: Change): readonly Change[] {
    const place = this.pending.findIndex((other) => other.number === number);
    return this.pending.slice(0, place).filter((other) => overlap(other.targets, targets));
  }

  treeOf(added: readonly number[]): number {
    return [...this.#landed(), ...added].reduce((tree, change) => tree | (1 << change), 0);
  }

  #landed(): number[] {
    return this.landings.flatMap((landing) => landing.changes.map(({ number }) => number));
  }

  // The actions of the policy.

  start(content: { readonly assumes: readonly number[]; readonly members: readonly number[] }): Build {
    this.#made += 1;
    const build: Build = {
      ...content,
      id: this.#made,
      base: this.landings.length,
      tree: this.treeOf([...content.assumes, ...content.members]),
      requestedAt: this.now,
      startedAt: this.now,
      finishedAt: null,
      verdict: 'pending',
    };
    this.builds.set(build.id, build);
    return build;
  }

  cancel(id: number): void {
    if (this.#build(id).finishedAt === null) this.builds.delete(id);
  }

  land(numbers: readonly number[], restsOn: readonly Build[]): void {
    const changes = numbers.map((number) => this.change(number));
    const builds = restsOn.map(({ id }) => this.#build(id));
    assert.ok(
      numbers.every((number) => this.isPending(number)),
      'what lands is in the queue',
    );
    assert.notEqual(
      justifies({ changes, restsOn: builds, landings: this.landings }),
      null,
      'a green build justifies it',
    );
    for (const change of this.of.places === 'lost' ? [] : changes)
      for (const before of this.earlierOverlapping(change))
        assert.ok(numbers.includes(before.number), 'no change passes an overlapping change before it');
    assert.equal(this.conflictAt(numbers), -1, 'what lands merges');
    this.pending = this.pending.filter(({ number }) => !numbers.includes(number));
    this.landings.push({ at: this.now, changes });
  }

  reorder(number: number, { kind }: ReorderReason, landing: readonly number[]): void {
    const builds = [...this.builds.values()];
    const isRed = builds.some((build) => build.verdict === 'red' && this.#blames(build, number, landing));
    if (kind === 'failed')
      assert.ok(isRed && !this.failed.has(number), `${number} was red by itself, and lets others pass once`);
    if (kind === 'failed') this.failed.add(number);
    if (kind === 'isolated_retry')
      assert.ok(this.failed.has(number), `${number} is in an isolated retry, as it was reordered for its failure`);
    const times = (this.timesPassed.get(number) ?? 0) + (kind === 'failed' ? 0 : 1);
    assert.ok(times <= 3, `${number} is passed by what is ready three times at most`);
    this.timesPassed.set(number, times);
    const isReady = builds.some(
      ({ verdict, assumes, members }) => verdict === 'green' && ![...assumes, ...members].includes(number),
    );
    assert.ok(kind === 'failed' || isReady, `${number} is passed by what is green without it`);
    this.pending = [...this.pending.filter((change) => change.number !== number), this.change(number)];
  }

  eject(number: number): void {
    const reds = [...this.builds.values()].filter((build) => build.verdict === 'red' && this.#blames(build, number));
    const isBlamed = reds.length >= this.of.redsToBlame && reds.some((build) => this.#standsOnAll(build, number));
    assert.ok(this.conflictAt([number]) !== -1 || isBlamed, `${number} was red by itself`);
    this.pending = this.pending.filter((change) => change.number !== number);
    this.ejected += 1;
  }

  /** Whether no other pull request of the build can be at fault. */
  #blames({ members, assumes }: Build, number: number, landing: readonly number[] = []): boolean {
    const landed = new Set([...this.#landed(), ...landing]);
    const content = [...assumes, ...members];
    return content.includes(number) && content.every((change) => change === number || landed.has(change));
  }

  /** Whether the build shows the result of the change, if it landed now alone. */
  #standsOnAll({ assumes, members, base }: Build, number: number): boolean {
    if (this.of.places === 'lost') return true;
    const since = this.landings.slice(base).flatMap(({ changes }) => changes);
    const { targets } = this.change(number);
    return since.every(
      (change) => [...assumes, ...members].includes(change.number) || !overlap(change.targets, targets),
    );
  }

  wakeAt(): void {}

  /** The index of the first change that conflicts if the changes are merged on the tip in order. -1: none conflicts. */
  conflictAt(changes: readonly number[]): number {
    const present = this.#landed();
    for (const [place, change] of changes.entries()) {
      if (present.some((other) => this.#conflict(other, change))) return place;
      present.push(change);
    }
    return -1;
  }

  #conflict(a: number, b: number): boolean {
    if (!this.of.mayConflict || !overlap(this.change(a).targets, this.change(b).targets)) return false;
    const pair = `${Math.min(a, b)}${Math.max(a, b)}`;
    const known = this.pairs.get(pair);
    if (known === undefined) throw new Undecided(pair);
    return known;
  }

  #build(id: number): Build {
    const build = this.builds.get(id);
    if (build === undefined) throw new Error(`There is no build ${id}.`);
    return build;
  }

  /** Everything that may matter from now on, with batches and commits named in the order of their appearance. */
  key(): string {
    const snapshot = this.#policy.snapshot(this.now);
    const names = new Map<string, string>();
    const met = (name: string): string => {
      const known = names.get(name) ?? `#${names.size}`;
      names.set(name, known);
      return known;
    };
    const evidence = [...this.builds.values()].filter((build) => build.finishedAt !== null);
    return JSON.stringify([
      essenceOf(snapshot),
      evidence
        .map(({ tree, verdict, base, members, assumes }) => [tree, verdict, base, members, assumes].join())
        .sort(),
      this.landings.map(({ changes }) => changes.map(({ number }) => number)),
      [...this.pairs].sort().join(),
      this.#arrived,
    ]).replaceAll(/\bc?b\d+\b/g, met);
  }
}

function essenceOf({ queue, pullRequests, batches, builds, landings, departures }: Snapshot): unknown {
  const inOrder = [...batches].sort((a, b) => a.position - b.position);
  return [
    queue.tip,
    pullRequests
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ id, status, bisection, requeueAttempts, topAnnounced, conflict, reorderedForFailure, timesPassed }) => [
        ...[id, status, bisection, requeueAttempts, topAnnounced, conflict, reorderedForFailure, timesPassed],
      ]),
    inOrder.map(({ position: _position, ...batch }) => batch),
    [...builds].map(({ tree, base, complete, checks }) => [tree, base, complete, checks[0]?.conclusion]).sort(),
    landings.length,
    departures,
  ];
}
