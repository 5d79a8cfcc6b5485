// What lands next, when, and who holds what up.
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useClient, useQuery } from 'urql';
import { useAct } from '../app/act.tsx';
import { useCommands, type Command } from '../app/commands.ts';
import { refusalOf } from '../app/permitted.ts';
import { prefer } from '../app/preferences.ts';
import { LiveSign } from '../app/shell.tsx';
import { useLiveQuery } from '../app/use-live-query.ts';
import { codeOf } from '../app/errors.ts';
import { useNow } from '../design/clock.ts';
import { cx } from '../design/cx.ts';
import { Answer, Banner, Bar, Button, Empty, Failure, Waiting } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { useIsNarrow } from '../design/narrow.ts';
import { At, describeInstant } from '../design/time.tsx';
import { words } from '../design/words.ts';
import {
  LandingsDocument,
  NotInLineDocument,
  QueueChangedDocument,
  QueueDocument,
  type QueueQuery,
} from '../generated/queue.ts';
import {
  dequeueAction,
  freezeAction,
  haltAction,
  pauseAction,
  resumeAction,
  skipLineAction,
  unfreezeAction,
  type QueueRef,
} from './actions.ts';
import { Inspector } from './inspector.tsx';
import {
  BatchHead,
  EntryItem,
  Graph,
  heightOf,
  LandingRow,
  rowsOf,
  TipRow,
  type Axis,
  type LineRow,
} from './line-rows.tsx';
import { QueueDialog } from './queue-dialog.tsx';
import { entriesOf, forecastsOf, summarise, type Landing, type QueueData, type ShownEntry } from './summary.ts';
import styles from './queue.module.css';

/** The most that a page of the API has. */
const entriesShown = 100;
const shortestAxisMs = 10 * 60 * 1000;
const marks = [0, 1 / 3, 2 / 3, 1];

export function QueuePage(): ReactNode {
  const { owner = '', name = '', _splat: branch = 'main' } = useParams({ strict: false });
  const queue = useMemo((): QueueRef => ({ owner, name, branch }), [owner, name, branch]);
  const { data, problem, isWaiting, refresh } = useLiveQuery({
    document: QueueDocument,
    variables: useMemo(() => ({ ...queue, first: entriesShown }), [queue]),
    follows: {
      document: QueueChangedDocument,
      variables: queue,
      cursorOf: ({ queueChanged }) => queueChanged.cursor,
    },
  });
  useEffect(() => {
    document.title = `${branch} of ${owner}/${name} · Interlock`;
    prefer({ lastQueue: `/${owner}/${name}/queue/${branch}` });
  }, [owner, name, branch]);

  if (problem)
    return (
      <Failure title="The queue could not be read." code={codeOf(problem)} retry={refresh}>
        {problem.sentence}
      </Failure>
    );
  if (isWaiting || !data)
    return (
      <>
        <Bar title={branch} />
        <Waiting />
      </>
    );
  if (!data.repository)
    return (
      <Empty title={`There is no repository ${owner}/${name} here.`}>
        It may have been deleted, or your role does not let you see it.
      </Empty>
    );
  if (!data.repository.queue)
    return (
      <>
        <Bar title={branch} crumbs={<span className={parts['crumb']}>{`${owner}/${name} /`}</span>} />
        <Empty title={`Nobody has queued a pull request into ${branch} yet.`}>
          Push a branch, open its pull request, then queue it here or with the label.
        </Empty>
      </>
    );
  return <QueueView queue={queue} data={data.repository.queue} repository={data.repository} />;
}

interface ViewProps {
  readonly queue: QueueRef;
  readonly data: QueueData;
  readonly repository: NonNullable<QueueQuery['repository']>;
}

function QueueView({ queue, data, repository }: ViewProps): ReactNode {
  const { select } = useSearch({ strict: false });
  const navigate = useNavigate();
  const pick = useMemo(
    () =>
      (number: number | null): void =>
        void navigate({
          to: '.',
          search: (before: Record<string, unknown>) => ({ ...before, select: number ?? undefined }),
          replace: true,
        } as never),
    [navigate],
  );
  const [isQueueing, setQueueing] = useState(false);
  const { outside, past } = useBeside(queue, data);
  const picked = [...entriesOf(data), ...outside].find(({ number }) => number === select);
  useQueueCommands({ queue, data, repository, picked, outside, pick, openQueueing: () => setQueueing(true) });
  return (
    <div className={cx(styles['page'], picked && styles['inspecting'])}>
      <div className={styles['left']}>
        <QueueBar queue={queue} data={data} repository={repository} onQueue={() => setQueueing(true)} />
        <QueueBanners queue={queue} data={data} />
        <LineView
          queue={queue}
          data={data}
          outside={outside}
          past={past}
          picked={picked?.number ?? null}
          pick={pick}
          onQueue={() => setQueueing(true)}
        />
      </div>
      {picked && (
        <Inspector key={picked.number} queue={queue} number={picked.number} version={data} onClose={() => pick(null)} />
      )}
      {isQueueing && <QueueDialog queue={queue} onClose={() => setQueueing(false)} />}
    </div>
  );
}

const none: readonly never[] = [];

/** What stands beside the line. It is read again when the line itself has changed, because it costs as much. */
function useBeside(
  queue: QueueRef,
  data: QueueData,
): { readonly outside: readonly ShownEntry[]; readonly past: readonly Landing[] } {
  const [outside, readOutside] = useQuery({ query: NotInLineDocument, variables: queue });
  const [landings, readLandings] = useQuery({ query: LandingsDocument, variables: queue });
  const line = data.line.nodes.map(({ pullRequest }) => pullRequest.number).join();
  useEffect(() => readOutside({ requestPolicy: 'network-only' }), [line, readOutside]);
  useEffect(() => readLandings({ requestPolicy: 'network-only' }), [data.baseTip, readLandings]);
  return {
    outside: outside.data?.repository?.notInLine.nodes ?? none,
    past: landings.data?.repository?.queue?.past.nodes ?? none,
  };
}

function useQueueCommands({
  queue,
  data,
  repository,
  picked,
  outside,
  pick,
  openQueueing,
}: {
  readonly queue: QueueRef;
  readonly data: QueueData;
  readonly repository: ViewProps['repository'];
  readonly picked: ShownEntry | undefined;
  readonly outside: readonly ShownEntry[];
  readonly pick: (number: number | null) => void;
  readonly openQueueing: () => void;
}): void {
  const client = useClient();
  const act = useAct();
  const navigate = useNavigate();
  const all = [...entriesOf(data), ...outside];
  const move = (by: number): void => {
    const at = all.findIndex(({ number }) => number === picked?.number);
    const next = all[at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
    if (next) pick(next.number);
  };
  const cannot = (action: string): string | undefined => refusalOf(repository.viewerCan, action);
  const pause = pauseAction(client, queue, data.paused);
  const dequeue = picked && dequeueAction(client, queue, picked);
  const onRow: readonly Command[] = picked
    ? [
        {
          key: 'Enter',
          label: `Open #${picked.number}`,
          group: 'This row',
          run: () =>
            void navigate({
              to: '/$owner/$name/pull/$number',
              params: { owner: queue.owner, name: queue.name, number: String(picked.number) },
            }),
        },
        {
          key: 'x',
          label: `Dequeue #${picked.number}…`,
          group: 'This row',
          run: () => dequeue && act(dequeue),
          disabled: cannot('DEQUEUE'),
          tell: async () => (await dequeue?.preview?.({}))?.sentence ?? '',
        },
        {
          key: 's',
          label: `Let #${picked.number} skip the line…`,
          group: 'This row',
          run: () => act(skipLineAction(client, queue, picked)),
          disabled: cannot('SKIP_LINE'),
        },
        { key: 'Escape', label: 'Close the inspector', group: 'View', run: () => pick(null), isMove: true },
      ]
    : [];
  useCommands([
    { key: 'j', label: 'Next row', group: 'View', run: () => move(1), isMove: true },
    { key: 'k', label: 'Previous row', group: 'View', run: () => move(-1), isMove: true },
    { key: 'ArrowDown', label: 'Next row', group: 'View', run: () => move(1), isMove: true },
    { key: 'ArrowUp', label: 'Previous row', group: 'View', run: () => move(-1), isMove: true },
    ...onRow,
    { key: 'q', label: 'Queue a pull request…', group: 'This page', run: openQueueing, disabled: cannot('QUEUE') },
    {
      key: 'p',
      label: `${pause.verb} ${queue.branch}…`,
      group: 'This page',
      run: () => act(pause),
      disabled: cannot('PAUSE'),
      tell: async () => (await pause.preview?.({}))?.sentence ?? '',
    },
    {
      key: 'f',
      label: data.frozen ? `Lift the freeze of ${queue.branch}…` : `Freeze ${queue.branch}…`,
      group: 'This page',
      run: () => act(data.frozen ? unfreezeAction(client, queue) : freezeAction(client, queue)),
      disabled: cannot('FREEZE'),
    },
    {
      key: null,
      label: data.haltedAt ? `Resume ${queue.branch} after the halt…` : `Halt ${queue.branch}…`,
      group: 'This page',
      run: () => act(data.haltedAt ? resumeAction(client, queue) : haltAction(client, queue)),
      disabled: cannot('HALT'),
    },
  ]);
}

function QueueBar({ queue, data, repository, onQueue }: ViewProps & { readonly onQueue: () => void }): ReactNode {
  const client = useClient();
  const act = useAct();
  const navigate = useNavigate();
  const { owner, name } = queue;
  const cannotPause = refusalOf(repository.viewerCan, 'PAUSE');
  const cannotFreeze = refusalOf(repository.viewerCan, 'FREEZE');
  const cannotQueue = refusalOf(repository.viewerCan, 'QUEUE');
  const branches = [...new Set([queue.branch, ...repository.queues.map(({ baseBranch }) => baseBranch)])];
  return (
    <Bar
      crumbs={<span className={cx(parts['crumb'], 'wide')}>{`${owner}/${name} /`}</span>}
      title={
        branches.length === 1 ? (
          queue.branch
        ) : (
          <select
            className={styles['branch']}
            aria-label="Base branch"
            value={queue.branch}
            onChange={(event) =>
              void navigate({ to: '/$owner/$name/queue/$', params: { owner, name, _splat: event.currentTarget.value } })
            }
          >
            {branches.map((branch) => (
              <option key={branch}>{branch}</option>
            ))}
          </select>
        )
      }
    >
      <LiveSign />
      <span className="grow" />
      <Button
        wide
        icon={data.paused ? 'play' : 'pause'}
        shortcut="P"
        disabled={cannotPause !== undefined}
        title={cannotPause}
        onClick={() => act(pauseAction(client, queue, data.paused))}
      >
        {data.paused ? 'Resume' : 'Pause'}
      </Button>
      <Button
        wide
        icon="freeze"
        shortcut="F"
        disabled={cannotFreeze !== undefined}
        title={cannotFreeze}
        onClick={() => act(data.frozen ? unfreezeAction(client, queue) : freezeAction(client, queue))}
      >
        {data.frozen ? 'Lift freeze' : 'Freeze'}
      </Button>
      <Button kind="go" shortcut="Q" onClick={onQueue} disabled={cannotQueue !== undefined} title={cannotQueue}>
        Queue
      </Button>
    </Bar>
  );
}

function QueueBanners({ queue, data }: { readonly queue: QueueRef; readonly data: QueueData }): ReactNode {
  const client = useClient();
  const act = useAct();
  return (
    <>
      {data.haltedAt && (
        <Banner tone="red" action={<Button onClick={() => act(resumeAction(client, queue))}>Resume…</Button>}>
          Halted since <At at={data.haltedAt} />: {data.haltedReason} Only an admin can resume it.
        </Banner>
      )}
      {data.paused && (
        <Banner action={<Button onClick={() => act(pauseAction(client, queue, true))}>Resume…</Button>}>
          Paused{data.pause?.message ? `: “${data.pause.message}”` : ''}. Nothing is validated or merged.
        </Banner>
      )}
      {data.frozen && (
        <Banner tone="blue" action={<Button onClick={() => act(unfreezeAction(client, queue))}>Lift…</Button>}>
          {data.frozen.sentence} Builds go on.
        </Banner>
      )}
    </>
  );
}

interface LineViewProps {
  readonly queue: QueueRef;
  readonly data: QueueData;
  readonly outside: readonly ShownEntry[];
  readonly past: readonly Landing[];
  readonly picked: number | null;
  readonly pick: (number: number) => void;
  readonly onQueue: () => void;
}

type Shown =
  | LineRow
  | { readonly key: string; readonly kind: 'out'; readonly entry: ShownEntry }
  | { readonly key: string; readonly kind: 'outHeading' };

const noGutter = { above: 'none', below: 'none', dot: 'none', side: null } as const;

function LineView({ queue, data, outside, past, picked, pick, onQueue }: LineViewProps): ReactNode {
  const now = useNow();
  const isNarrow = useIsNarrow();
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const rows = useMemo(
    (): readonly Shown[] => [
      ...rowsOf(data, past),
      ...(outside.length > 0 ? [{ key: 'out', kind: 'outHeading' as const }] : []),
      ...outside.map((entry) => ({ key: `entry ${entry.number}`, kind: 'out' as const, entry })),
    ],
    [data, outside, past],
  );
  const [margin, setMargin] = useState(0);
  useEffect(() => setMargin(list.current?.offsetTop ?? 0), [data.depth.queued === 0, isNarrow]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const row = rows[index];
      if (!row || row.kind === 'outHeading') return 34;
      return row.kind === 'out' ? (isNarrow ? 68 : 48) : heightOf(row, isNarrow);
    },
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
    scrollMargin: margin,
  });
  useEffect(() => virtualizer.measure(), [rows, isNarrow, virtualizer]);

  const forecasts = useMemo(() => forecastsOf(data), [data]);
  const minute = Math.floor(now / 60_000) * 60_000;
  const axis = useMemo((): Axis => {
    const last = Math.max(minute + shortestAxisMs, ...[...forecasts.values()].map(({ p90 }) => p90));
    return { from: minute, to: last };
  }, [forecasts, minute]);
  const standings = rows.filter((row) => row.kind === 'batch').map((row) => row.standing);
  const line = standings.filter((standing) => standing === 'line').length;
  const [lead, rest] = summarise(data, (at) => describeInstant(at, now), { line, beside: standings.length - line });
  const unknown = data.haltedAt
    ? 'halted'
    : data.paused
      ? 'paused'
      : words(data.line.nodes.find(({ eta }) => eta?.unknown)?.eta?.unknown ?? 'not known yet');
  const repository = { owner: queue.owner, name: queue.name };

  return (
    <div className={parts['scroll']} ref={scroller} tabIndex={0}>
      <Answer
        facts={
          <>
            <span>
              <b>{data.depth.queued}</b> in line
            </span>
            <span>
              <b>{data.depth.processing}</b> processing
            </span>
            <span>
              <b>{data.depth.waiting}</b> waiting
            </span>
          </>
        }
      >
        {lead} <em>{rest}</em>
      </Answer>
      {data.line.nodes.length > 0 && (
        <div className={styles['columns']} aria-hidden="true">
          <span />
          <span>Why it is not merged yet</span>
          <span>Acts next</span>
          <span className={styles['axis']}>
            {marks.map((mark) => (
              <span key={mark} style={{ left: `${mark * 100}%` }}>
                {mark === 0 ? 'now' : describeInstant(axis.from + mark * (axis.to - axis.from), now)}
              </span>
            ))}
          </span>
          <span />
        </div>
      )}
      <ol
        ref={list}
        className={styles['line']}
        style={{ height: virtualizer.getTotalSize() }}
        aria-label={`The line of ${queue.branch}`}
      >
        {virtualizer.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (!row) return null;
          return (
            <li
              key={item.key}
              className={styles['row']}
              aria-posinset={item.index + 1}
              aria-setsize={rows.length}
              style={{ height: item.size, transform: `translateY(${item.start - margin}px)` }}
            >
              <Graph gutter={'gutter' in row ? row.gutter : noGutter} />
              <RowBody
                row={row}
                {...{ repository, forecasts, axis, unknown, picked, pick, data, past }}
                branch={queue.branch}
              />
            </li>
          );
        })}
      </ol>
      {data.line.totalCount > data.line.nodes.length && (
        <p className={cx(styles['more'], 'dim')}>
          {data.line.totalCount - data.line.nodes.length} more wait behind them. Search finds each of them.
        </p>
      )}
      {data.line.nodes.length === 0 && (
        <Empty
          title="Nobody is in line."
          actions={
            <Button kind="go" shortcut="Q" onClick={onQueue}>
              Queue a pull request
            </Button>
          }
        >
          Whatever is queued next is built on the tip at once.
        </Empty>
      )}
    </div>
  );
}

function RowBody({
  row,
  data,
  past,
  branch,
  repository,
  forecasts,
  axis,
  unknown,
  picked,
  pick,
}: {
  readonly row: Shown;
  readonly data: QueueData;
  readonly past: readonly Landing[];
  readonly branch: string;
  readonly repository: { readonly owner: string; readonly name: string };
  readonly forecasts: ReturnType<typeof forecastsOf>;
  readonly axis: Axis;
  readonly unknown: string;
  readonly picked: number | null;
  readonly pick: (number: number) => void;
}): ReactNode {
  const entryProps = { branch, repository, axis, unknown, onPick: pick };
  switch (row.kind) {
    case 'landing':
      return <LandingRow landing={row.landing} repository={repository} branch={branch} />;
    case 'tip':
      return <TipRow branch={branch} tip={data.baseTip ?? null} last={past[0]} />;
    case 'batch':
      return <BatchHead row={row} members={row.batch.members} />;
    case 'heading':
      return <div className={styles['group']}>{row.waiting === 1 ? '1 waits' : `${row.waiting} wait`} for a build</div>;
    case 'outHeading':
      return <div className={styles['group']}>Not in line: somebody must act</div>;
    case 'entry':
      return (
        <EntryItem
          {...entryProps}
          entry={row.entry}
          standing={row.standing}
          isLastOfCard={row.isLastOfCard}
          isPicked={picked === row.entry.number}
          forecast={forecasts.get(row.entry.number)}
        />
      );
    case 'out':
      return (
        <EntryItem
          {...entryProps}
          entry={row.entry}
          standing="out"
          isLastOfCard={false}
          isPicked={picked === row.entry.number}
          forecast={undefined}
        />
      );
    default:
      return row satisfies never;
  }
}
