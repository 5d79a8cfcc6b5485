// Shows a log that still grows, such as the output of an agent or of a deployment. The end of the log is read first.
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { useClient, type TypedDocumentNode } from 'urql';
import { Button } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { useSay } from './act.tsx';
import { follow, type Following } from './live.ts';
import { emptyLog, withEarlier, withLater, type EarlierPage, type LogWindow, type Piece } from './log-window.ts';

/** Pieces that arrive within this time are shown together. */
const gatherMs = 100;
/** If the reader is this close to the end, the log keeps scrolling to its end. */
const nearEndPx = 40;

interface LiveLogProps<Data, Page, Variables extends object> {
  readonly document: Following<Data, Variables>['document'];
  readonly variables: Variables;
  readonly pieceOf: (data: Data) => Piece;
  /** Reads the newest pieces, or the pieces before a cursor. */
  readonly pages: {
    readonly document: TypedDocumentNode<Page, Variables & { before?: string | null | undefined }>;
    readonly pageOf: (data: Page) => EarlierPage | null | undefined;
  };
  readonly heading: string;
  /** The name of the log, for screen readers. */
  readonly label: string;
  /**
   * A value that changes when more of the log may follow. A log ends with its work, and continues with the next work.
   */
  readonly progress: string;
  /** What is shown while the log is empty. Default: nothing. */
  readonly otherwise?: ReactNode;
}

interface Log extends LogWindow {
  readonly showEarlier: () => void;
  readonly showEnd: () => void;
  readonly isReading: boolean;
}

function useLog<Data, Page, Variables extends object>({
  document,
  variables,
  pieceOf,
  pages,
  progress,
}: LiveLogProps<Data, Page, Variables>): Log {
  const client = useClient();
  const say = useSay();
  const [log, setLog] = useState(emptyLog);
  const [isReading, setReading] = useState(false);
  const [returns, setReturns] = useState(0);
  const isEndRead = useRef(false);
  const cursor = useRef<string | null>(null);
  const subject = JSON.stringify(variables);

  const read = async (before: string | null): Promise<EarlierPage | null> => {
    const request = client.query(pages.document, { ...variables, before }, { requestPolicy: 'network-only' });
    const { data } = await request.toPromise();
    return (data && pages.pageOf(data)) ?? null;
  };
  useEffect(() => {
    let buffered: Piece[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stop = (): void => undefined;
    let isCurrent = true;
    const flush = (): void => {
      timer = undefined;
      const more = buffered;
      buffered = [];
      if (more.length > 0) setLog((before) => withLater(before, more));
    };
    const start = (): void => {
      stop = follow<Data, Variables>({
        document,
        variables,
        after: cursor.current,
        cursorOf: (data) => pieceOf(data).cursor,
        onChange: (data) => {
          const piece = pieceOf(data);
          cursor.current = piece.cursor;
          buffered.push(piece);
          timer ??= setTimeout(flush, gatherMs);
        },
        isLog: true,
      });
    };
    const begin = async (): Promise<void> => {
      // If the end cannot be read, the log is read from its beginning.
      const page = isEndRead.current ? null : await read(null);
      if (!isCurrent) return;
      isEndRead.current = true;
      if (page) {
        setLog(withEarlier(emptyLog, page));
        cursor.current = page.nodes.at(-1)?.cursor ?? null;
      }
      start();
    };
    void begin();
    return () => {
      isCurrent = false;
      stop();
      clearTimeout(timer);
      flush();
    };
  }, [subject, progress, returns]);

  const showEarlier = (): void => {
    setReading(true);
    void read(log.pieces[0]?.cursor ?? null).then((page) => {
      setReading(false);
      if (page) setLog((before) => withEarlier(before, page));
      else say('What was written earlier could not be read. Try again.');
    });
  };
  const showEnd = (): void => {
    isEndRead.current = false;
    cursor.current = null;
    setReturns(returns + 1);
  };
  return { ...log, showEarlier, showEnd, isReading };
}

/** Shows a log. The `key` of the element must be different for each log. */
export function LiveLog<Data, Page, Variables extends object>(props: LiveLogProps<Data, Page, Variables>): ReactNode {
  const { pieces, hasEarlier, hasLater, showEarlier, showEnd, isReading } = useLog(props);
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  /** A piece, and how far below the upper edge it is. The piece stays at this place when earlier pieces are added. */
  const anchor = useRef<{ readonly piece: HTMLElement; readonly belowPx: number } | null>(null);
  const firstCursor = pieces[0]?.cursor;
  useLayoutEffect(() => {
    const { current } = box;
    if (!current) return;
    if (anchor.current !== null && !isReading) {
      current.scrollTop = anchor.current.piece.offsetTop - anchor.current.belowPx;
      anchor.current = null;
      // The button that had the focus does not exist any more.
      if (!hasEarlier) current.focus({ preventScroll: true });
    } else if (isAtEnd.current) current.scrollTop = current.scrollHeight;
  }, [pieces, firstCursor, isReading, hasEarlier]);
  const onEarlier = (): void => {
    const piece = box.current?.firstElementChild;
    if (piece instanceof HTMLElement)
      anchor.current = { piece, belowPx: piece.offsetTop - (box.current?.scrollTop ?? 0) };
    isAtEnd.current = false;
    showEarlier();
  };
  const onEnd = (): void => {
    isAtEnd.current = true;
    showEnd();
    box.current?.focus({ preventScroll: true });
  };
  if (pieces.length === 0) return props.otherwise ?? null;
  return (
    <>
      <h3 className={parts['h']}>{props.heading}</h3>
      {(hasEarlier || hasLater) && (
        <div className={parts['acts']}>
          {hasEarlier && (
            <Button disabled={isReading} onClick={onEarlier}>
              Show earlier
            </Button>
          )}
          {hasLater && <Button onClick={onEnd}>Back to the end</Button>}
        </div>
      )}
      {/* It scrolls, so a keyboard must reach it. */}
      <pre
        ref={box}
        className={parts['term']}
        tabIndex={0}
        role="region"
        aria-label={props.label}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEndPx;
        }}
      >
        {pieces.map(({ cursor, text }) => (
          <span key={cursor}>{text}</span>
        ))}
      </pre>
    </>
  );
}
