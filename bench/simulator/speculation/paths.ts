// The speculating policies share this file. For each pending change (head), it keeps the changes that the head waits
// for, and the builds of the head under assumptions about these changes. Such a build is a path. A path is dropped when
// one of its assumptions proves false.
import type { Build, Change, QueueActions, QueueView } from '../../../src/domain/simulation/policy.ts';
import { hash } from '../../../src/domain/simulation/randomness.ts';

export interface Path {
  readonly build: Build;
  /** The undecided changes that the build assumes to land. */
  readonly open: Set<number>;
  /** The key of `open`. When all assumptions have come true, it is the key of the empty set. */
  key: number;
  verdict: Build['verdict'];
}

export interface Head {
  readonly change: Change;
  /** The pending changes that this change waits for, in order. */
  readonly undecided: Set<number>;
  /** The key of `undecided`. */
  key: number;
  paths: Path[];
  /** Grows whenever a change that this change waits for is settled, or gets another probability. */
  version: number;
}

/** The changes that a new change waits for. */
export type WaitsFor = (
  change: Change,
  of: { readonly queue: QueueView; readonly heads: ReadonlyMap<number, Head> },
) => Iterable<number>;

export const oneLane: WaitsFor = (_, { heads }) => heads.keys();

export const conflictGraph: WaitsFor = (change, { queue }) =>
  queue.earlierOverlapping(change).map((earlier) => earlier.number);

export class Paths {
  /** The heads by the number of their change, in the order of their arrival. */
  readonly heads = new Map<number, Head>();
  readonly #backlog: Change[] = [];
  readonly #waitsFor: WaitsFor;
  readonly #dependents = new Map<number, Head[]>();
  readonly #byBuild = new Map<number, Path>();

  constructor(waitsFor: WaitsFor) {
    this.#waitsFor = waitsFor;
  }

  /** Reads the arrivals and the ended builds since the last call. */
  sync(queue: QueueView): void {
    this.#backlog.push(...queue.news.arrived);
    for (const build of queue.news.finished) {
      const path = this.#byBuild.get(build.id);
      if (path !== undefined) path.verdict = build.verdict;
    }
  }

  /** Makes heads of waiting changes until there are `max` heads. Changes that are not heads yet cost nothing. */
  takeIn(queue: QueueView, max = Infinity): void {
    const taken = this.#backlog.splice(0, Math.max(0, max - this.heads.size));
    for (const change of taken) this.#admit(change, this.#waitsFor(change, { queue, heads: this.heads }));
  }

  /** The changes that wait for this change. */
  dependentsOf(change: number): readonly Head[] {
    return (this.#dependents.get(change) ?? []).filter((head) => this.heads.get(head.change.number) === head);
  }

  start(head: Head, assumes: readonly number[], actions: QueueActions): void {
    const build = actions.start({ assumes, members: [head.change.number] });
    const path: Path = { build, open: new Set(assumes), key: keyOf(assumes), verdict: 'pending' };
    head.paths.push(path);
    this.#byBuild.set(build.id, path);
  }

  /** Forgets a build whose result is of no use, and stops it if it runs. */
  drop(head: Head, path: Path, actions: QueueActions): void {
    head.paths = head.paths.filter((other) => other !== path);
    this.#byBuild.delete(path.build.id);
    if (path.verdict === 'pending') actions.cancel(path.build.id);
  }

  /** Lands the changes as one commit, in order. */
  land(group: readonly Head[], restsOn: Build, actions: QueueActions): void {
    actions.land(
      group.map((head) => head.change.number),
      [restsOn],
    );
    for (const head of group) this.#settle(head, true, actions);
  }

  eject(head: Head, actions: QueueActions): void {
    actions.eject(head.change.number);
    this.#settle(head, false, actions);
  }

  #admit(change: Change, behind: Iterable<number>): void {
    const undecided = new Set(behind);
    const head: Head = { change, undecided, key: keyOf(undecided), paths: [], version: 0 };
    this.heads.set(change.number, head);
    for (const number of undecided) {
      const known = this.#dependents.get(number);
      if (known === undefined) this.#dependents.set(number, [head]);
      else known.push(head);
    }
  }

  #settle(head: Head, hasLanded: boolean, actions: QueueActions): void {
    const { number } = head.change;
    for (const path of head.paths) this.drop(head, path, actions);
    this.heads.delete(number);
    for (const dependent of this.#dependents.get(number) ?? []) {
      dependent.undecided.delete(number);
      dependent.key = removeFromKey(dependent.key, number);
      dependent.version += 1;
      for (const path of dependent.paths) {
        if (path.open.has(number) !== hasLanded) this.drop(dependent, path, actions);
        else if (path.open.delete(number)) path.key = removeFromKey(path.key, number);
      }
    }
    this.#dependents.delete(number);
  }
}

// The key of a set of changes is a sum of 52-bit weights, so that adding a change takes one addition.

const modulus = 2 ** 52;
const weights: number[] = [];

export function weightOf(change: number): number {
  const known = weights[change];
  if (known !== undefined) return known;
  const weight = hash(change, 1) * 2 ** 20 + (hash(change, 2) >>> 12);
  weights[change] = weight;
  return weight;
}

export function keyOf(changes: Iterable<number>): number {
  let key = 0;
  for (const change of changes) key = addToKey(key, change);
  return key;
}

export function addToKey(key: number, change: number): number {
  return (key + weightOf(change)) % modulus;
}

export function removeFromKey(key: number, change: number): number {
  return (key - weightOf(change) + modulus) % modulus;
}
