// What the agent of a runbook says and what its commands write, as it is written.
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { follow } from '../app/live.ts';
import parts from '../design/parts.module.css';
import { RunbookLogDocument } from '../generated/runbooks.ts';

/** The end of a long log is shown. The API has all of it. */
const mostCharacters = 100_000;
/** Pieces that come together are shown together. */
const gatherMs = 100;
/** Somebody who reads that close to the end reads on there. */
const nearEndPx = 40;

interface RunbookLogProps {
  readonly number: number;
  /** Another value whenever its steps have changed: a log ends with the work, and goes on with a follow-up. */
  readonly progress: string;
}

function useLog({ number, progress }: RunbookLogProps): string {
  const [text, setText] = useState('');
  const cursor = useRef<string | null>(null);
  useEffect(() => {
    let untold = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tell = (): void => {
      timer = undefined;
      const more = untold;
      untold = '';
      setText((before) => (before + more).slice(-mostCharacters));
    };
    const stop = follow({
      document: RunbookLogDocument,
      variables: { number },
      after: cursor.current,
      cursorOf: ({ runbookLog }) => runbookLog.cursor,
      onChange: ({ runbookLog }) => {
        cursor.current = runbookLog.cursor;
        untold += runbookLog.text;
        timer ??= setTimeout(tell, gatherMs);
      },
      onExpired: () => undefined,
      isLog: true,
    });
    return () => {
      stop();
      clearTimeout(timer);
      tell();
    };
  }, [number, progress]);
  return text;
}

export function RunbookLog(props: RunbookLogProps): ReactNode {
  const text = useLog(props);
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  if (text === '') return null;
  return (
    <>
      <h3 className={parts['h']}>What it said</h3>
      {/* It scrolls, so a keyboard must reach it. */}
      <pre
        ref={box}
        className={parts['term']}
        tabIndex={0}
        role="region"
        aria-label="Log of the runbook"
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEndPx;
        }}
      >
        {text}
      </pre>
    </>
  );
}
