// Drives a row until it has ended: a turn decides what is needed, the run carries it out, and takes the next turn. The
// run keeps no state of its own. It may be started twice, be lost, or continue as new, and always continues from the
// rows.
import { waitMs } from '../../src/domain/turns.ts';
import { condition, continueAsNew, setHandler, workflowInfo, type SignalDefinition } from '@temporalio/workflow';

export interface Turn {
  readonly need: 'call' | 'supervise' | 'wait' | 'ended';
  /** What is done or waited for next, as a sentence. */
  readonly step: string;
  /** When the next turn is taken. Milliseconds since the epoch. Null: only after a wake. */
  readonly nextLookAt: number | null;
}

export interface Wake {
  isPending: boolean;
  /** The instant for which the last wait was not cut short by a wake. Null: it was cut short, or there was none. */
  elapsed: number | null;
}

/** Listens to a signal. `isPending` says whether the signal has arrived since `isPending` was last set to false. */
export function listenTo(signal: SignalDefinition): Wake {
  const wake: Wake = { isPending: false, elapsed: null };
  setHandler(signal, () => {
    wake.isPending = true;
  });
  return wake;
}

export interface Drive<T extends Turn> {
  /** Takes a turn, and shows the state of the run. */
  readonly takeTurn: () => Promise<T>;
  /** `step` says what is being done, for people who read the history. */
  readonly call: (step: string) => Promise<unknown>;
  readonly supervise: (step: string) => Promise<unknown>;
}

const maxHistoryEvents = 4_000;

export async function driveToEnd<T extends Turn>(
  wake: Wake,
  { takeTurn, call, supervise }: Drive<T>,
  input: unknown,
): Promise<T> {
  for (;;) {
    wake.isPending = false;
    const turn = await takeTurn();
    switch (turn.need) {
      case 'ended':
        if (!wake.isPending) return turn;
        break;
      case 'call':
        await call(turn.step);
        break;
      case 'supervise':
        await showUntilEnd(wake, { work: supervise(turn.step), takeTurn });
        break;
      case 'wait':
        await waitUntil(wake, turn);
        break;
    }
    await continueWhenLong(input);
  }
}

/** Continues as a new run if the history of this run is long. A new run needs only the input. */
async function continueWhenLong(input: unknown): Promise<void> {
  if (isHistoryLong()) await continueAsNew(input);
}

export function isHistoryLong(maxEvents = maxHistoryEvents): boolean {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  return continueAsNewSuggested || historyLength > maxEvents;
}

/** Waits until a wake, or until `nextLookAt` if it is not null. Temporal's UI shows `step` next to the timer. */
export async function waitUntil(
  wake: Wake,
  { step, nextLookAt }: Pick<Turn, 'nextLookAt'> & Partial<Pick<Turn, 'step'>>,
): Promise<void> {
  if (nextLookAt === null) return await condition(() => wake.isPending);
  const shown = step === undefined ? {} : { summary: toSentence(step) };
  const isWoken = await condition(
    () => wake.isPending,
    waitMs(nextLookAt, { now: Date.now(), elapsed: wake.elapsed }),
    shown,
  );
  wake.elapsed = isWoken ? null : nextLookAt;
}

/**
 * Waits for the end of the work. A wake during the work, such as a request to cancel, is shown by taking a turn. The
 * work itself reads the request from the rows.
 */
export async function showUntilEnd(
  wake: Wake,
  { work, takeTurn }: { readonly work: Promise<unknown>; readonly takeTurn: () => Promise<unknown> },
): Promise<void> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  // This prevents an unhandled rejection. The error is thrown below, where `ended` is awaited.
  ended.catch(() => {});
  for (;;) {
    await condition(() => isDone || wake.isPending);
    if (isDone) break;
    wake.isPending = false;
    await takeTurn();
  }
  await ended;
}

export function toSentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.slice(0, 200);
}
