// What lands next, when, and who holds what up.
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { codeOf } from '../app/errors.ts';
import { prefer } from '../app/preferences.ts';
import { useLiveQuery } from '../app/use-live-query.ts';
import { cx } from '../design/cx.ts';
import { Banner, Bar, Button, Empty, Failure, Waiting } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { At } from '../design/time.tsx';
import { LandingsDocument, NotInLineDocument, QueueChangedDocument, QueueDocument } from '../generated/queue.ts';
import type { QueueRef } from './actions.ts';
import { Inspector } from './inspector.tsx';
import { LineView } from './line-view.tsx';
import { QueueBanners, QueueBar, useQueueCommands, type ViewProps } from './queue-bar.tsx';
import { QueueDialog } from './queue-dialog.tsx';
import { entriesOf, type Landing, type QueueData, type ShownEntry } from './summary.ts';
import styles from './queue.module.css';

/** The most that a page of the API has. */
const entriesShown = 100;

export function QueuePage(): ReactNode {
  const { owner = '', name = '', _splat: branch = 'main' } = useParams({ strict: false });
  const { at = null } = useSearch({ strict: false });
  const queue = useMemo((): QueueRef => ({ owner, name, branch }), [owner, name, branch]);
  const { data, problem, partial, isWaiting, refresh } = useLiveQuery({
    document: QueueDocument,
    variables: useMemo(() => ({ ...queue, first: entriesShown, asOf: at }), [queue, at]),
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
  useEffect(() => {
    document.title = `${branch} of ${owner}/${name} · Interlock`;
    prefer({ lastQueue: `/${owner}/${name}/queue/${branch}` });
  }, [owner, name, branch]);

  const failure = problem ?? (data?.repository?.queue ? null : partial);
  if (failure)
    return (
      <Failure title="The queue could not be read." code={codeOf(failure)} retry={refresh}>
        {failure.sentence}
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
  if (!data.repository.queue && at !== null)
    return (
      <>
        <Bar title={branch} />
        <Empty title="Nothing is on record of that moment.">
          <Link to="/$owner/$name/queue/$" params={{ owner, name, _splat: branch }} className="blue">
            Back to now
          </Link>
        </Empty>
      </>
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
  return <QueueView queue={queue} data={data.repository.queue} repository={data.repository} at={at} />;
}

function QueueView({ queue, data, repository, at }: ViewProps): ReactNode {
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
  const look = (instant: string | null): void =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => ({ ...before, at: instant ?? undefined }),
      replace: true,
    } as never);
  const [isQueueing, setQueueing] = useState(false);
  const { outside, past } = useBeside(queue, data, at);
  const picked = [...entriesOf(data), ...outside].find(({ number }) => number === select);
  useQueueCommands({ queue, data, repository, at, picked, outside, pick, openQueueing: () => setQueueing(true) });
  return (
    <div className={cx(styles['page'], picked && styles['inspecting'])}>
      <div className={styles['left']}>
        {at !== null && (
          <Banner
            tone="violet"
            action={
              <Button onClick={() => look(null)} shortcut=".">
                Back to now
              </Button>
            }
          >
            The line as it was at <At at={at} />. Nothing can be changed in the past.
          </Banner>
        )}
        <QueueBar queue={queue} data={data} at={at} repository={repository} onQueue={() => setQueueing(true)} />
        {at === null && <QueueBanners queue={queue} data={data} />}
        <LineView
          queue={queue}
          data={data}
          outside={outside}
          past={past}
          at={at}
          look={look}
          picked={picked?.number ?? null}
          pick={pick}
          onQueue={() => setQueueing(true)}
        />
      </div>
      {picked && (
        <Inspector
          key={picked.number}
          queue={queue}
          number={picked.number}
          at={at}
          version={data}
          onClose={() => pick(null)}
        />
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
  at: string | null,
): { readonly outside: readonly ShownEntry[]; readonly past: readonly Landing[] } {
  const [outside, readOutside] = useQuery({ query: NotInLineDocument, variables: queue, pause: at !== null });
  const [landings, readLandings] = useQuery({
    query: LandingsDocument,
    variables: useMemo(() => ({ ...queue, asOf: at }), [queue, at]),
  });
  const line = data.line.nodes.map(({ pullRequest }) => pullRequest.number).join();
  useEffect(() => {
    if (at === null) readOutside({ requestPolicy: 'network-only' });
  }, [line, at, readOutside]);
  useEffect(() => readLandings({ requestPolicy: 'network-only' }), [data.baseTip, readLandings]);
  return {
    outside: at === null ? (outside.data?.repository?.notInLine.nodes ?? none) : none,
    past: landings.data?.repository?.queue?.past.nodes ?? none,
  };
}
