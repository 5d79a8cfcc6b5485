// What is to happen, earliest first; of one instant, in the order it was put in.

interface Entry<T> {
  readonly at: number;
  readonly sequence: number;
  readonly event: T;
}

export class EventHeap<T> {
  readonly #entries: Entry<T>[] = [];
  #sequence = 0;

  /** Null: nothing is to happen. */
  get nextAt(): number | null {
    return this.#entries[0]?.at ?? null;
  }

  push(at: number, event: T): void {
    const entry = { at, sequence: this.#sequence, event };
    this.#sequence += 1;
    const entries = this.#entries;
    let place = entries.length;
    entries.push(entry);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = entries[above];
      if (parent === undefined || isBefore(parent, entry)) break;
      entries[place] = parent;
      place = above;
    }
    entries[place] = entry;
  }

  pop(): T | undefined {
    const entries = this.#entries;
    const first = entries[0];
    const last = entries.pop();
    if (first === undefined || last === undefined) return undefined;
    if (entries.length > 0) this.#sink(last);
    return first.event;
  }

  #sink(entry: Entry<T>): void {
    const entries = this.#entries;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const a = entries[left];
      const b = entries[left + 1];
      const [child, below] = b !== undefined && a !== undefined && isBefore(b, a) ? [b, left + 1] : [a, left];
      if (child === undefined || isBefore(entry, child)) break;
      entries[place] = child;
      place = below;
    }
    entries[place] = entry;
  }
}

function isBefore<T>(a: Entry<T>, b: Entry<T>): boolean {
  return a.at < b.at || (a.at === b.at && a.sequence < b.sequence);
}
