// The page of a queue: what lands next and when, and who must act so that a pull request can land.
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCommands } from '../app/commands.ts';
import { LiveSign } from '../app/connection.tsx';
import { problemReference } from '../app/errors.ts';
import { queueRefusalOf } from '../app/permitted.ts';
import { changePreferences } from '../app/preferences.ts';
import { useReadAfterChanges } from '../app/reader.ts';
import { useLiveQuery } from '../app/use-live-query.ts';
import { queuePath } from '../app/use-shell.ts';
import { MissingPart, NoRepository, useAnswer } from '../app/page.tsx';
import { cx } from '../design/cx.ts';
import { Banner, Bar, Button, Empty, Failure, Waiting } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { At } from '../design/time.tsx';
import {
  LandingsDocument,
  NotInLineDocument,
  QueueChangedDocument,
  QueueDocument,
  type QueueQuery,
} from '../generated/queue.ts';
import type { QueueRef } from './queue-actions.ts';
import { Inspector } from './inspector.tsx';
import { LineView } from './line-view.tsx';
import { InactiveBanner, QueueBanners, QueueBar, type ViewProps } from './queue-bar.tsx';
import { useQueueCommands } from './queue-commands.ts';
import { OpenButton } from './open-pull-request.tsx';
import { QueueDialog } from './queue-dialog.tsx';
import { entriesOf, type Landing, type Proofs, type QueueData, type ShownEntry } from './summary.ts';
import { TimeTravel } from './time-travel.tsx';
import { decideWindow, windowSize, type RowRange } from './window.ts';
import styles from './queue.module.css';

/** How many builds are read at first. Most queues make fewer builds at once. */
const fewBuilds = 12;
/** The most rows that the API returns in one page. */
const maxBuilds = 100;
/**
 * Pull requests that are not in line are read at most once in this time, because their explanations cost the server
 * most.
 */
const outsideEveryMs = 3_000;
/** Rows are read after scrolling has paused for this long. */
const scrollPauseMs = 80;

export function QueuePage(): ReactNode {
  const { owner = '', name = '', _splat: branch = 'main' } = useParams({ strict: false });
  const { at = null } = useSearch({ strict: false });
  const queue = useMemo((): QueueRef => ({ owner, name, branch }), [owner, name, branch]);
  const [from, show] = useWindow(queue);
  const [builds, setBuilds] = useState(fewBuilds);
  const { data, problem, partial, isWaiting, refresh } = useLiveQuery({
    document: QueueDocument,
    variables: useMemo(() => ({ ...queue, first: windowSize, from, builds, asOf: at }), [queue, from, builds, at]),
    // The past does not change.
    follows:
      at === null
        ? {
            document: QueueChangedDocument,
            variables: queue,
            cursorOf: ({ queueChanged }) => queueChanged.cursor,
          }
        : null,
  });
  const running = data?.repository?.queue?.builds ?? 0;
  useEffect(() => {
    if (running > builds) setBuilds(Math.min(maxBuilds, 2 * running));
  }, [running, builds]);
  useEffect(() => {
    document.title = `${branch} of ${owner}/${name} · Interlock`;
    changePreferences({ lastQueue: queuePath({ owner, name, branch }) });
  }, [owner, name, branch]);
  // An address with a wrong branch is not where the first page leads to the next time.
  const rightBranch = data?.repository?.queue ? branch : (data?.repository?.defaultBranch ?? branch);
  useEffect(() => {
    if (rightBranch !== branch) changePreferences({ lastQueue: queuePath({ owner, name, branch: rightBranch }) });
  }, [rightBranch, owner, name, branch]);

  const failure = problem ?? (data?.repository?.queue ? null : partial);
  if (failure)
    return (
      <Failure title="The queue could not be read." code={problemReference(failure)} retry={refresh}>
        {failure.sentence} {at !== null && <BackToNow queue={queue} />}
      </Failure>
    );
  if (isWaiting || !data)
    return (
      <>
        <Bar title={branch} />
        <Waiting />
      </>
    );
  const { repository } = data;
  if (!repository?.queue) return <NoQueue queue={queue} repository={repository} at={at} />;
  return (
    <>
      {partial && <MissingPart problem={partial} />}
      <QueueView {...{ queue, repository, at, from }} data={repository.queue} onShow={show} />
    </>
  );
}

function BackToNow({ queue: { owner, name, branch } }: { readonly queue: QueueRef }): ReactNode {
  return (
    <Link to="/$owner/$name/queue/$" params={{ owner, name, _splat: branch }} className="blue">
      Back to now
    </Link>
  );
}

interface NoQueueProps {
  readonly queue: QueueRef;
  readonly repository: QueueQuery['repository'];
  readonly at: string | null;
}

/** Says why there is no queue: there is no repository, nothing was queued, or the queue is newer than the moment. */
function NoQueue({ queue, repository, at }: NoQueueProps): ReactNode {
  const { owner, name, branch } = queue;
  const look = useLook();
  if (!repository) return <NoRepository owner={owner} name={name} />;
  if (at !== null)
    return (
      <>
        <Bar title={branch} />
        <div className={styles['unrecorded']}>
          <TimeTravel queue={queue} at={at} createdAt={repository.createdAt} onLook={look} />
        </div>
        <Empty title="There is no record of that moment.">
          <BackToNow queue={queue} />
        </Empty>
      </>
    );
  return <NewQueue queue={queue} repository={repository} />;
}

interface NewQueueProps {
  readonly queue: QueueRef;
  readonly repository: NonNullable<QueueQuery['repository']>;
}

/** The page of a base branch into which nothing was queued yet. */
function NewQueue({ queue, repository }: NewQueueProps): ReactNode {
  const { owner, name, branch } = queue;
  const [isQueueing, setQueueing] = useState(false);
  const refusal = queueRefusalOf(repository);
  const open = (): void => setQueueing(true);
  useCommands([{ key: 'q', label: 'Queue a pull request…', group: 'This page', run: open, disabled: refusal }]);
  return (
    <>
      <Bar title={branch} crumbs={<span className={parts['crumb']}>{`${owner}/${name} /`}</span>}>
        <LiveSign />
      </Bar>
      {!repository.active && <InactiveBanner queue={queue} repository={repository} />}
      <Empty
        title={`Nobody has queued a pull request into ${branch} yet.`}
        actions={
          <>
            <Button kind="go" shortcut="Q" disabled={refusal !== undefined} title={refusal} onClick={open}>
              Queue a pull request
            </Button>
            <OpenButton queue={queue} repository={repository} />
          </>
        }
      >
        Push a branch, open its pull request, then queue it here. The first landing starts the line.
      </Empty>
      {isQueueing && <QueueDialog queue={queue} onClose={() => setQueueing(false)} />}
    </>
  );
}

/** Returns a function that opens the page as of a moment in the past. Null: as of now. */
function useLook(): (instant: string | null) => void {
  const navigate = useNavigate();
  return (instant) =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => ({ ...before, at: instant ?? undefined }),
      replace: true,
    } as never);
}

/** Returns a function that chooses a pull request. Null: none. */
function usePick(): (number: number | null) => void {
  const navigate = useNavigate();
  return useMemo(
    () =>
      (number: number | null): void =>
        void navigate({
          to: '.',
          search: (before: Record<string, unknown>) => ({ ...before, select: number ?? undefined }),
          replace: true,
        } as never),
    [navigate],
  );
}

/**
 * Returns the first place of the part of the line that is read, and a function that moves this part to the rows on
 * screen.
 */
function useWindow(queue: QueueRef): readonly [number, (places: RowRange) => void] {
  const [window, setWindow] = useState({ queue, from: 1 });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const show = useCallback(
    (places: RowRange): void => {
      clearTimeout(timer.current);
      timer.current = setTimeout(
        () =>
          setWindow((before) => {
            const from = decideWindow(before.queue === queue ? before.from : 1, places);
            return before.queue === queue && before.from === from ? before : { queue, from };
          }),
        scrollPauseMs,
      );
    },
    [queue],
  );
  return [window.queue === queue ? window.from : 1, show];
}

interface QueueViewProps extends ViewProps {
  readonly from: number;
  readonly onShow: (places: RowRange) => void;
}

function QueueView({ queue, data, repository, at, from, onShow }: QueueViewProps): ReactNode {
  const { select } = useSearch({ strict: false });
  const pick = usePick();
  const look = useLook();
  const [isQueueing, setQueueing] = useState(false);
  const { outside, hasMoreOutside, past, proofs } = useRestOfPage(queue, data, at);
  // The chosen row may not be among the rows that are read now.
  const seen = useRef<ShownEntry>(undefined);
  const found = [...entriesOf(data), ...outside].find(({ number }) => number === select);
  if (found) seen.current = found;
  const picked = seen.current?.number === select ? seen.current : undefined;
  useQueueCommands({ queue, data, repository, at, picked, outside, pick, openQueueing: () => setQueueing(true) });
  return (
    <div className={cx(styles['page'], select !== undefined && styles['inspecting'])}>
      <div className={styles['left']}>
        {at !== null && <PastBanner asOf={data.asOf} look={look} />}
        <QueueBar queue={queue} data={data} at={at} repository={repository} onQueue={() => setQueueing(true)} />
        {at === null && !repository.active && <InactiveBanner queue={queue} repository={repository} />}
        {at === null && <QueueBanners queue={queue} data={data} repository={repository} />}
        <LineView
          {...{ queue, data, outside, hasMoreOutside, proofs, past, at, look, pick, from, onShow }}
          createdAt={repository.createdAt}
          picked={select ?? null}
          onQueue={() => setQueueing(true)}
        />
      </div>
      {select !== undefined && (
        <Inspector key={select} queue={queue} number={select} at={at} version={data} onClose={() => pick(null)} />
      )}
      {isQueueing && <QueueDialog queue={queue} onClose={() => setQueueing(false)} />}
    </div>
  );
}

interface PastBannerProps {
  readonly asOf: QueueData['asOf'];
  readonly look: (instant: string | null) => void;
}

function PastBanner({ asOf, look }: PastBannerProps): ReactNode {
  return (
    <Banner
      tone="violet"
      action={
        <Button onClick={() => look(null)} shortcut=".">
          Back to now
        </Button>
      }
    >
      {asOf ? (
        <>
          The line as it was at <At at={asOf} />. Nothing can be changed in the past.
        </>
      ) : (
        'Loading the line of that moment…'
      )}
    </Banner>
  );
}

const none: readonly never[] = [];

/**
 * Reads the parts of the page other than the line. Pull requests that are not in line change without a change of the
 * line, for example when one is closed.
 */
function useRestOfPage(
  queue: QueueRef,
  data: QueueData,
  at: string | null,
): {
  readonly outside: readonly ShownEntry[];
  /** Whether others are not in line either. */
  readonly hasMoreOutside: boolean;
  readonly past: readonly Landing[];
  readonly proofs: Proofs | null;
} {
  const outside = useAnswer(NotInLineDocument, queue, { pause: at !== null, isOnce: true });
  const { data: landings, refresh: readLandings } = useAnswer(
    LandingsDocument,
    useMemo(() => ({ ...queue, asOf: at }), [queue, at]),
    { isOnce: at !== null },
  );
  useReadAfterChanges({
    read: outside.refresh,
    fetching: outside.fetching,
    everyMs: outsideEveryMs,
    isOver: at !== null,
  });
  const tip = useRef(data.baseTip);
  useEffect(() => {
    if (tip.current !== data.baseTip) readLandings();
    tip.current = data.baseTip;
  }, [data.baseTip, readLandings]);
  return {
    outside: at === null ? (outside.data?.repository?.notInLine.nodes ?? none) : none,
    hasMoreOutside: at === null && outside.data?.repository?.notInLine.pageInfo.hasNextPage === true,
    past: landings?.repository?.queue?.past.nodes ?? none,
    proofs: at === null ? (landings?.repository?.proofs ?? null) : null,
  };
}
