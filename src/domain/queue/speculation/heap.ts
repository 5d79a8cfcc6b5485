// A binary heap: the least comes out first.

export class Heap<T> {
  readonly #entries: T[] = [];
  readonly #compare: (a: T, b: T) => number;

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  push(entry: T): void {
    const entries = this.#entries;
    let at = entries.length;
    for (let up = (at - 1) >> 1; at > 0; up = (at - 1) >> 1) {
      const parent = entries[up] as T;
      if (this.#compare(entry, parent) >= 0) break;
      entries[at] = parent;
      at = up;
    }
    entries[at] = entry;
  }

  pop(): T | undefined {
    const entries = this.#entries;
    const least = entries[0];
    const last = entries.pop();
    if (entries.length > 0 && last !== undefined) this.#sink(last);
    return least;
  }

  #sink(entry: T): void {
    const entries = this.#entries;
    let at = 0;
    for (let down = 1; down < entries.length; down = 2 * at + 1) {
      const right = entries[down + 1];
      const isRight = right !== undefined && this.#compare(right, entries[down] as T) < 0;
      const child = (isRight ? right : entries[down]) as T;
      if (this.#compare(entry, child) <= 0) break;
      entries[at] = child;
      at = isRight ? down + 1 : down;
    }
    entries[at] = entry;
  }
}
