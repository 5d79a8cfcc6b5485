// The simulated world in which a policy decides: changes arrive, builds run on a limited number of workers, and the
// base branch moves. The engine has no clock and no randomness of its own. All random results come from the
// `GroundTruth` in its setup.
import { EventHeap } from './event-heap.ts';
import { justifies } from './justification.ts';
import { PendingLine } from './pending-line.ts';
import type {
  Build,
  BuildContent,
  Change,
  QueueActions,
  Landing,
  MakePolicy,
  News,
  Policy,
  PolicySetup,
  QueueView,
} from './policy.ts';
import { hash, streams } from './randomness.ts';

export interface Outcome {
  readonly change: Change;
  readonly at: number;
  readonly kind: 'landed' | 'ejected';
}

export interface Run {
  /** The outcomes of changes, in the order in which they left the queue. */
  readonly outcomes: readonly Outcome[];
  /** Builds that got a worker, canceled ones included. */
  readonly builds: number;
  readonly canceled: number;
  /** How long all workers together were busy, in milliseconds. */
  readonly work: number;
  /** Commits on the base branch whose tree is red in the ground truth. */
  readonly red: number;
  /** Ejected changes that were green alone on the tip when they were ejected. */
  readonly ejectedUnjustly: number;
  /** Landings whose tree was combined from separately tested parts. */
  readonly composed: number;
  readonly landings: readonly Landing[];
  /** The instant of the last event. */
  readonly until: number;
}

type Event =
  | { readonly kind: 'arrival'; readonly change: Change }
  | { readonly kind: 'end'; readonly build: RunningBuild }
  | { readonly kind: 'wake' };

interface RunningBuild extends Writable<Build> {
  durationMs: number;
  willPass: boolean;
  isCanceled: boolean;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Simulates until no event is left or `isOver` returns true. Throws if no event is left but changes are in the queue,
 * unless `mayStay` is true.
 */
export function simulate(setup: PolicySetup, makePolicy: MakePolicy): Run {
  return new Simulation(setup, makePolicy(setup)).run();
}

class Simulation implements QueueView, QueueActions {
  now = 0;
  readonly workers: number;
  readonly builds = new Map<number, RunningBuild>();
  readonly landings: Landing[] = [];
  news: News = { arrived: [], finished: [] };
  readonly #setup: PolicySetup;
  readonly #policy: Policy;
  readonly #events = new EventHeap<Event>();
  readonly #line = new PendingLine();
  readonly #landed = new Set<number>();
  /** Builds that wait for a worker, oldest first. Canceled builds stay until their turn. */
  readonly #waiting: RunningBuild[] = [];
  #running = 0;
  #buildsMade = 0;
  #tip: TreeName = [0, 0];
  readonly #attempts = new Map<number, number>();
  readonly #buildsOf = new Map<number, Set<number>>();
  readonly #outcomes: Outcome[] = [];
  readonly #tally = { builds: 0, canceled: 0, work: 0, red: 0, ejectedUnjustly: 0, composed: 0 };

  constructor(setup: PolicySetup, policy: Policy) {
    this.#setup = setup;
    this.#policy = policy;
    this.workers = setup.workers;
    for (const change of setup.changes) this.#events.push(change.arrivedAt, { kind: 'arrival', change });
  }

  run(): Run {
    for (let at = this.#events.nextAt; at !== null; at = this.#events.nextAt) {
      if (this.#setup.isOver?.()) return this.#runSoFar();
      this.now = at;
      const arrived: Change[] = [];
      const finished: Build[] = [];
      let isWoken = false;
      while (this.#events.nextAt === at) {
        const event = this.#events.pop();
        if (event?.kind === 'wake') isWoken = true;
        if (event?.kind === 'arrival') arrived.push(this.#admit(event.change));
        if (event?.kind === 'end' && !event.build.isCanceled) finished.push(this.#finish(event.build));
      }
      this.news = { arrived, finished };
      if (isWoken || arrived.length > 0 || finished.length > 0) this.#policy.decide(this, this);
    }
    const left = this.#line.inOrder.length;
    if (left > 0 && this.#setup.mayStay !== true)
      throw new Error(`No event is left, and ${left} changes are still in the queue.`);
    return this.#runSoFar();
  }

  #runSoFar(): Run {
    return { ...this.#tally, outcomes: this.#outcomes, landings: this.landings, until: this.now };
  }

  // The methods of `QueueView`.

  get pending(): readonly Change[] {
    return this.#line.inOrder;
  }

  get idleWorkers(): number {
    return this.workers - this.#running;
  }

  isPending(change: number): boolean {
    return this.#line.has(change);
  }

  change(number: number): Change {
    const change = this.#setup.changes[number];
    if (change === undefined) throw new Error(`There is no change ${number}.`);
    return change;
  }

  earlierOverlapping(change: Change): readonly Change[] {
    return this.#line.earlierOverlapping(change);
  }

  treeOf(added: readonly number[]): number {
    return numberOf(added.reduce(withChange, this.#tip));
  }

  // The methods of `QueueActions`.

  start({ assumes, members, resumed }: BuildContent): Build {
    const added = [...assumes, ...members];
    const tree = this.treeOf(added);
    const attempt = this.#attempts.get(tree) ?? 0;
    this.#attempts.set(tree, attempt + 1);
    const { truth } = this.#setup;
    this.#buildsMade += 1;
    const build: RunningBuild = {
      id: this.#buildsMade,
      base: this.landings.length,
      assumes,
      members,
      tree,
      requestedAt: this.now,
      startedAt: null,
      finishedAt: null,
      verdict: 'pending',
      durationMs: resumed?.remainingMs ?? truth.durationOf({ members, tree, attempt }),
      willPass: resumed?.passes ?? (truth.isGreen(this.#landed, added) && !truth.isFlake({ tree, attempt })),
      isCanceled: false,
    };
    this.builds.set(build.id, build);
    for (const member of members) {
      const known = this.#buildsOf.get(member);
      if (known === undefined) this.#buildsOf.set(member, new Set([build.id]));
      else known.add(build.id);
    }
    this.#waiting.push(build);
    this.#assignWorkers();
    return build;
  }

  cancel(id: number): void {
    const build = this.builds.get(id);
    if (build === undefined || build.finishedAt !== null) return;
    build.isCanceled = true;
    this.#forget(build);
    if (build.startedAt === null) return;
    this.#tally.canceled += 1;
    this.#release(build);
  }

  land(numbers: readonly number[], restsOn: readonly Build[]): void {
    const changes = numbers.map((number) => this.#pendingChange(number));
    const grade = justifies({ changes, restsOn, landings: this.landings });
    const { knowsOutcomes = false, landsByItsOwnRule = false } = this.#policy;
    if (grade === null && !knowsOutcomes && !landsByItsOwnRule)
      throw new Error(`No green build justifies landing ${numbers.join(', ')} at ${this.now}.`);
    if (grade === 'composed') this.#tally.composed += 1;
    if (!this.#setup.truth.isGreen(this.#landed, numbers)) this.#tally.red += 1;
    this.landings.push({ at: this.now, changes });
    for (const change of changes) {
      this.#landed.add(change.number);
      this.#tip = withChange(this.#tip, change.number);
      this.#leave(change, 'landed');
    }
  }

  eject(number: number): void {
    const change = this.#pendingChange(number);
    if (this.#setup.truth.isGreen(this.#landed, [number])) this.#tally.ejectedUnjustly += 1;
    this.#leave(change, 'ejected');
  }

  wakeAt(at: number): void {
    this.#events.push(Math.max(at, this.now), { kind: 'wake' });
  }

  #pendingChange(number: number): Change {
    if (!this.isPending(number)) throw new Error(`Change ${number} is not in the queue.`);
    return this.change(number);
  }

  #admit(change: Change): Change {
    this.#line.add(change);
    return change;
  }

  #leave(change: Change, kind: Outcome['kind']): void {
    this.#line.remove(change);
    this.#outcomes.push({ change, at: this.now, kind });
    for (const id of this.#buildsOf.get(change.number) ?? []) {
      const build = this.builds.get(id);
      if (build !== undefined && build.finishedAt !== null) this.#dropIfOver(build);
    }
    this.#buildsOf.delete(change.number);
  }

  #finish(build: RunningBuild): Build {
    build.finishedAt = this.now;
    build.verdict = build.willPass ? 'green' : 'red';
    this.#release(build);
    this.#dropIfOver(build);
    return build;
  }

  #dropIfOver(build: RunningBuild): void {
    if (!build.members.some((member) => this.isPending(member))) this.#forget(build);
  }

  #forget(build: RunningBuild): void {
    this.builds.delete(build.id);
    for (const member of build.members) this.#buildsOf.get(member)?.delete(build.id);
  }

  #release(build: RunningBuild): void {
    this.#running -= 1;
    this.#tally.work += this.now - (build.startedAt ?? this.now);
    this.#assignWorkers();
  }

  #assignWorkers(): void {
    while (this.#running < this.workers) {
      const build = this.#waiting.shift();
      if (build === undefined) return;
      if (build.isCanceled) continue;
      this.#running += 1;
      this.#tally.builds += 1;
      build.startedAt = this.now;
      this.#events.push(this.now + build.durationMs, { kind: 'end', build });
    }
  }
}

// A name of the set of changes in a tree: the exclusive or of their hashes, in any order. With 53 bits, two sets hardly
// ever get the same name.
type TreeName = readonly [number, number];

function withChange([high, low]: TreeName, change: number): TreeName {
  return [high ^ (hash(streams.tree, change, 1) & 0x1f_ffff), (low ^ hash(streams.tree, change, 2)) >>> 0];
}

function numberOf([high, low]: TreeName): number {
  return high * 0x1_0000_0000 + low;
}
