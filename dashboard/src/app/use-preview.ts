// What an action would do, as the server says, while its dialog is open.
import { useEffect, useRef, useState } from 'react';
import { backOffMs, isPassing, problemOfThrown, type Problem } from './errors.ts';
import { useConnection } from './live.ts';
import { createReader, type Reader } from './reader.ts';

/** What an action would do. */
export interface Effect {
  readonly sentence: string;
  readonly lines?: readonly string[];
  readonly note?: string | undefined;
  /** What `run` needs from the preview in order to do what was shown, such as a commit. */
  readonly pinned?: string | null;
}

export type Values = Readonly<Record<string, string>>;

type ReadPreview = (values: Values) => Promise<Effect>;

/** How long after a change of a field the preview is read, and how long a changed preview is shown before it can be confirmed. */
const disarmedMs = 300;

export interface Preview {
  readonly effect: Effect | null;
  /** Why the action is not possible. Null: it is possible, or this is not known yet. */
  readonly problem: Problem | null;
  /** Whether the action can be confirmed. */
  readonly isArmed: boolean;
}

const nothing: Preview = { effect: null, problem: null, isArmed: false };

/**
 * Reads what the action would do when the dialog opens, and again when a field or something on the server changes.
 * Until the preview of the present fields has been read, the action cannot be confirmed. Changes on the server do not
 * prevent the confirmation, because under constant changes no action could be confirmed. If the preview differs after
 * such a change, it is shown for a moment before it can be confirmed. A read that failed for a reason that may pass is
 * repeated.
 */
export function usePreview(preview: ReadPreview | null, values: Values): Preview {
  const { changes } = useConnection();
  const subject = JSON.stringify(values);
  const [state, setState] = useState<Preview>({ ...nothing, isArmed: preview === null });
  const reader = useRef<Reader>(null);
  useEffect(() => {
    if (preview === null) return undefined;
    let isReading = false;
    let shown: string | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    const show = (next: Preview): void => {
      const isChanged = shown !== null && shown !== JSON.stringify(next);
      shown = JSON.stringify(next);
      clearTimeout(timer);
      setState({ ...next, isArmed: next.isArmed && !isChanged });
      if (next.isArmed && isChanged) timer = setTimeout(() => setState(next), disarmedMs);
    };
    const read = async (): Promise<void> => {
      isReading = true;
      const next = await readPreview(preview, JSON.parse(subject) as Values);
      isReading = false;
      if (reader.current !== newReader) return;
      show(next);
      newReader.onRead();
      failures = next.problem !== null && isPassing(next.problem) ? failures + 1 : 0;
      clearTimeout(again);
      if (failures > 0) again = setTimeout(newReader.request, backOffMs(failures));
    };
    const newReader = createReader({ read: () => void read(), isBusy: () => isReading });
    setState((before) => ({ ...before, isArmed: false }));
    timer = setTimeout(newReader.request, reader.current === null ? 0 : disarmedMs);
    reader.current = newReader;
    return () => {
      clearTimeout(timer);
      clearTimeout(again);
      newReader.stop();
    };
  }, [preview, subject]);
  const seen = useRef(changes);
  useEffect(() => {
    if (seen.current !== changes) reader.current?.request();
    seen.current = changes;
  }, [changes]);
  return state;
}

async function readPreview(preview: ReadPreview, values: Values): Promise<Preview> {
  try {
    return { effect: await preview(values), problem: null, isArmed: true };
  } catch (error) {
    return { ...nothing, problem: problemOfThrown(error) };
  }
}
