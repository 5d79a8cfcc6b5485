// The life of what its rows drive: a turn says what is left to do, that is carried out, and the next turn says what is
// left then. It holds nothing: it can be started twice, be lost, or continue as new, and goes on from the rows.
import { condition, continueAsNew, setHandler, workflowInfo, type SignalDefinition } from '@temporalio/workflow';

export interface Turn {
  readonly need: 'call' | 'supervise' | 'wait' | 'ended';
  /** What is done next, or waited for, as a sentence. */
  readonly step: string;
  /** Milliseconds since the epoch; null: not before it is woken. */
  readonly nextLookAt: number | null;
}

export interface Wake {
  isPending: boolean;
}

/** From here on, says whether the signal came since it was last set back. */
export function listenTo(signal: SignalDefinition): Wake {
  const wake: Wake = { isPending: false };
  setHandler(signal, () => {
    wake.isPending = true;
  });
  return wake;
}

export interface Drive<T extends Turn> {
  /** Takes a turn, and shows where the run stands. */
  readonly look: () => Promise<T>;
  /** `step` is what is being done, for people who read the history. */
  readonly call: (step: string) => Promise<unknown>;
  readonly supervise: (step: string) => Promise<unknown>;
}

const mostHistoryEvents = 4_000;

export async function driveToEnd<T extends Turn>(
  wake: Wake,
  { look, call, supervise }: Drive<T>,
  input: unknown,
): Promise<T> {
  for (;;) {
    wake.isPending = false;
    const turn = await look();
    switch (turn.need) {
      case 'ended':
        if (!wake.isPending) return turn;
        break;
      case 'call':
        await call(turn.step);
        break;
      case 'supervise':
        await whileShowing(wake, { work: supervise(turn.step), look });
        break;
      case 'wait':
        await waitUntil(wake, turn);
        break;
    }
    await continueWhenLong(input);
  }
}

/** Goes on as a new run once this one has a long history. Its input is all that a run holds. */
export async function continueWhenLong(input: unknown, mostEvents = mostHistoryEvents): Promise<void> {
  const { historyLength, continueAsNewSuggested } = workflowInfo();
  if (continueAsNewSuggested || historyLength > mostEvents) await continueAsNew(input);
}

/** Until it is woken, or until an instant if there is one. `step` is shown beside the timer. */
export async function waitUntil(
  wake: Wake,
  { step, nextLookAt }: Pick<Turn, 'nextLookAt'> & Partial<Pick<Turn, 'step'>>,
): Promise<void> {
  if (nextLookAt === null) return await condition(() => wake.isPending);
  const shown = step === undefined ? {} : { summary: sentence(step) };
  await condition(() => wake.isPending, Math.max(1, nextLookAt - Date.now()), shown);
}

/** A wake during the work, such as a request to cancel, is shown. The work itself reads the request from the rows. */
export async function whileShowing(
  wake: Wake,
  { work, look }: { readonly work: Promise<unknown>; readonly look: () => Promise<unknown> },
): Promise<void> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  // `ended` throws its error once it is awaited.
  ended.catch(() => {});
  for (;;) {
    await condition(() => isDone || wake.isPending);
    if (isDone) break;
    wake.isPending = false;
    await look();
  }
  await ended;
}

export function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`.slice(0, 200);
}
