// The life of what its rows drive: a turn says what is left to do, that is carried out, and the next turn says what is
// left then. It holds nothing: it can be started twice, be lost, or continue as new, and goes on from the rows.
import { condition, continueAsNew, setHandler, workflowInfo, type SignalDefinition } from '@temporalio/workflow';

export interface Turn {
  readonly need: 'call' | 'attend' | 'wait' | 'ended';
  /** What is done next, or waited for, in words. */
  readonly step: string;
  /** Milliseconds since the epoch; null: not before it is told. */
  readonly nextLookAt: number | null;
}

export interface Told {
  isTold: boolean;
}

/** From here on, says whether the signal came since it was last set back. */
export function listenTo(signal: SignalDefinition): Told {
  const told: Told = { isTold: false };
  setHandler(signal, () => {
    told.isTold = true;
  });
  return told;
}

export interface Drive<T extends Turn> {
  /** Takes a turn, and shows where the run stands. */
  readonly look: () => Promise<T>;
  /** `step` is what is being done, for people who read the history. */
  readonly call: (step: string) => Promise<unknown>;
  readonly attend: (step: string) => Promise<unknown>;
}

const mostHistoryEvents = 4_000;

export async function driveToEnd<T extends Turn>(
  told: Told,
  { look, call, attend }: Drive<T>,
  input: unknown,
): Promise<T> {
  for (;;) {
    told.isTold = false;
    const turn = await look();
    switch (turn.need) {
      case 'ended':
        if (!told.isTold) return turn;
        break;
      case 'call':
        await call(turn.step);
        break;
      case 'attend':
        await whileShowing(told, { work: attend(turn.step), look });
        break;
      case 'wait':
        await waitUntil(told, turn);
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

/** Until it is told, or until an instant if there is one. `step` is shown beside the timer. */
export async function waitUntil(
  told: Told,
  { step, nextLookAt }: Pick<Turn, 'nextLookAt'> & Partial<Pick<Turn, 'step'>>,
): Promise<void> {
  if (nextLookAt === null) return await condition(() => told.isTold);
  const shown = step === undefined ? {} : { summary: sentence(step) };
  await condition(() => told.isTold, Math.max(1, nextLookAt - Date.now()), shown);
}

/** What is told meanwhile, such as that it is to be canceled, is shown; whoever does the work reads it from the rows. */
export async function whileShowing(
  told: Told,
  { work, look }: { readonly work: Promise<unknown>; readonly look: () => Promise<unknown> },
): Promise<void> {
  let isDone = false;
  const ended = work.finally(() => {
    isDone = true;
  });
  // It is told by `ended`, once it is waited for.
  ended.catch(() => {});
  for (;;) {
    await condition(() => isDone || told.isTold);
    if (isDone) break;
    told.isTold = false;
    await look();
  }
  await ended;
}

export function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.slice(0, 200);
}
