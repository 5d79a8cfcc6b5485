// Shows how far long work is. Programs pass their standard error, so that the standard output has only the result.
interface Ticker {
  /** Shows a state of the work. A state that follows the last one too soon is left out. */
  readonly show: (state: string) => void;
  /** Removes the line from a terminal. */
  readonly end: () => void;
}

interface TickerStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * On a terminal, each state replaces the last one. Anywhere else, each state is a line of its own, and lines are rare.
 */
const everyMs = { terminal: 100, lines: 10_000 } as const;

export function createTicker(stream: TickerStream, now: () => number = () => performance.now()): Ticker {
  const isTerminal = stream.isTTY === true;
  const pauseMs = isTerminal ? everyMs.terminal : everyMs.lines;
  // Outside of a terminal, work that ends before the first pause is over shows nothing.
  let shownAt = isTerminal ? Number.NEGATIVE_INFINITY : now();
  let isOpen = false;
  return {
    show(state) {
      if (now() - shownAt < pauseMs) return;
      shownAt = now();
      isOpen = isTerminal;
      stream.write(isTerminal ? `\r\u001B[K${state}` : `${state}\n`);
    },
    end() {
      if (isOpen) stream.write('\r\u001B[K');
      isOpen = false;
    },
  };
}
