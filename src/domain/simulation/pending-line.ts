// The pending changes in order of arrival. An index of targets finds which of them overlap without comparing all pairs.
import type { Change } from './policy.ts';

export class PendingLine {
  readonly inOrder: Change[] = [];
  readonly #byTarget = new Map<string, Change[]>();
  readonly #everywhere: Change[] = [];

  has(number: number): boolean {
    return this.inOrder[placeOf(this.inOrder, number)]?.number === number;
  }

  add(change: Change): void {
    this.inOrder.push(change);
    if (change.targets === null) this.#everywhere.push(change);
    for (const target of change.targets ?? []) {
      const known = this.#byTarget.get(target);
      if (known === undefined) this.#byTarget.set(target, [change]);
      else known.push(change);
    }
  }

  remove(change: Change): void {
    removeFrom(this.inOrder, change.number);
    if (change.targets === null) removeFrom(this.#everywhere, change.number);
    for (const target of change.targets ?? []) {
      const known = this.#byTarget.get(target) ?? [];
      removeFrom(known, change.number);
      if (known.length === 0) this.#byTarget.delete(target);
    }
  }

  earlierOverlapping(change: Change): readonly Change[] {
    const before = (line: readonly Change[]): readonly Change[] => line.slice(0, placeOf(line, change.number));
    if (change.targets === null) return before(this.inOrder);
    const lines = change.targets.flatMap((target) => this.#byTarget.get(target) ?? []);
    const found = new Map<number, Change>();
    for (const other of [...this.#everywhere, ...lines])
      if (other.number < change.number) found.set(other.number, other);
    return [...found.values()].sort((a, b) => a.number - b.number);
  }
}

/** Returns the index of the number in the line, or the index at which it would be inserted. */
function placeOf(line: readonly Change[], number: number): number {
  let low = 0;
  let high = line.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((line[middle]?.number ?? Infinity) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function removeFrom(line: Change[], number: number): void {
  const place = placeOf(line, number);
  if (line[place]?.number === number) line.splice(place, 1);
}
