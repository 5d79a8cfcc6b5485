// A queue of future events, earliest first. Events of the same instant are in the order in which they were added.
import TinyQueue from 'tinyqueue';

interface Entry<T> {
  readonly at: number;
  readonly sequence: number;
  readonly event: T;
}

export class EventHeap<T> {
  readonly #entries = new TinyQueue<Entry<T>>([], (a, b) => a.at - b.at || a.sequence - b.sequence);
  #sequence = 0;

  /** Null: there is no event. */
  get nextAt(): number | null {
    return this.#entries.peek()?.at ?? null;
  }

  push(at: number, event: T): void {
    this.#entries.push({ at, sequence: this.#sequence, event });
    this.#sequence += 1;
  }

  pop(): T | undefined {
    return this.#entries.pop()?.event;
  }
}
