// Shows the details of the chosen pull request: why it is not merged, who acts next, its conditions, and its actions.
import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { useClient, useQuery } from 'urql';
import { useAct } from '../app/act.tsx';
import { refusalOf } from '../app/permitted.ts';
import { useNow } from '../design/clock.ts';
import { cx } from '../design/cx.ts';
import { Dialog } from '../design/dialog.tsx';
import { useHasOneColumn } from '../design/narrow.ts';
import { Button, Pill, Waiting } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { list, personOf, shortenCommit, labelOf } from '../design/labels.ts';
import { InspectorDocument, WhoMaySkipDocument } from '../generated/queue.ts';
import { dequeueAction, queueAction, retryBuildAction, skipLineAction, type QueueRef } from './actions.ts';
import { Conditions } from './conditions.tsx';
import { describeNextActor, describeForecast } from './next-actor.ts';
import styles from './queue.module.css';

const inPast = 'Nothing can be changed in the past.';

interface InspectorProps {
  readonly queue: QueueRef;
  readonly number: number;
  /** The moment in the past that is shown. Null: now. */
  readonly at: string | null;
  /** A value that changes with each read of the queue. */
  readonly version: unknown;
  readonly onClose: () => void;
}

const statusTones = { QUEUED: 'blue', TAGGED: 'blue', BLOCKED: 'red', PENDING: 'amber', MERGED: 'green' } as const;

export function toneOfStatus(status: string): 'blue' | 'red' | 'amber' | 'green' | 'plain' {
  return (statusTones as Partial<Record<string, 'blue' | 'red' | 'amber' | 'green'>>)[status] ?? 'plain';
}

export function Inspector({ queue, number, at, version, onClose }: InspectorProps): ReactNode {
  const client = useClient();
  const act = useAct();
  const now = useNow();
  const [{ data, fetching }, read] = useQuery({
    query: InspectorDocument,
    variables: { owner: queue.owner, name: queue.name, number, asOf: at },
    requestPolicy: 'cache-and-network',
  });
  // The queue is read again at most once a second. The details of the chosen pull request are read at the same time.
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) read({ requestPolicy: 'network-only' });
    isFirst.current = false;
  }, [version, read]);
  const pull = data?.repository?.pullRequest;
  if (!pull)
    return (
      <Frame number={number} onClose={onClose}>
        {fetching || !data ? (
          <Waiting />
        ) : (
          <div className={parts['acts']}>
            <p className="dim grow">There is no pull request #{number} here.</p>
            <Button kind="quiet" icon="cross" onClick={onClose} aria-label="Close" />
          </div>
        )}
      </Frame>
    );
  const { explain } = pull;
  const off = (action: string): { readonly disabled: boolean; readonly title: string | undefined } => {
    const refusal = at === null ? refusalOf(pull.viewerCan, action) : inPast;
    return { disabled: refusal !== undefined, title: refusal };
  };
  const isInLine = pull.status === 'QUEUED' || pull.status === 'TAGGED';
  // A pending pull request enters the line by itself as soon as its conditions hold.
  const isAsked = isInLine || pull.status === 'PENDING';
  const isMerged = pull.status === 'MERGED';
  const tone =
    pull.status === 'BLOCKED'
      ? parts['red']
      : explain.who === 'AUTHOR' || explain.who === 'REVIEWER'
        ? parts['amber']
        : isMerged
          ? parts['green']
          : null;
  const refusals = new Set(
    (isAsked ? ['DEQUEUE', 'SKIP_LINE'] : isMerged ? [] : ['QUEUE']).flatMap((action) => off(action).title ?? []),
  );
  return (
    <Frame number={number} onClose={onClose}>
      <div className={parts['acts']}>
        <Pill tone={toneOfStatus(pull.status)}>
          {at === null ? labelOf(pull.status) : `now ${labelOf(pull.status)}`}
        </Pill>
        <span className="faint sm">
          #{number}
          {pull.position !== null && pull.position !== undefined && `, place ${pull.position} in line`}
        </span>
        <span className="grow" />
        <Button kind="quiet" icon="cross" onClick={onClose} aria-label="Close" />
      </div>
      <h2>
        <Link to="/$owner/$name/pull/$number" params={{ owner: queue.owner, name: queue.name, number: String(number) }}>
          {pull.title}
        </Link>
      </h2>
      <div className={cx(parts['next'], tone)}>
        {explain.who && <b>{describeNextActor(explain.who, pull.author)}</b>}
        <span>{explain.reason}</span>
        {explain.eta && <span className="dim">{describeForecast(explain.eta, now)}</span>}
      </div>
      <Conditions conditions={explain.conditions} />
      <dl className={parts['kv']}>
        <dt>Author</dt>
        <dd>{personOf(pull.author)}</dd>
        {pull.requestedBy && (
          <>
            <dt>Requested by</dt>
            <dd>{pull.requestedBy}</dd>
          </>
        )}
        <dt>Branch</dt>
        <dd className="mono">{pull.headBranch}</dd>
        <dt>Head</dt>
        <dd className="mono">{shortenCommit(pull.headCommitSha)}</dd>
        {pull.skipLineReason && (
          <>
            <dt>Reason to skip the line</dt>
            <dd>{pull.skipLineReason}</dd>
          </>
        )}
      </dl>
      <div className={parts['acts']}>
        {isAsked && (
          <Button shortcut="X" {...off('DEQUEUE')} onClick={() => act(dequeueAction(client, queue, pull))}>
            Dequeue
          </Button>
        )}
        {isAsked && (
          <Button shortcut="S" {...off('SKIP_LINE')} onClick={() => act(skipLineAction(client, queue, pull))}>
            Skip line
          </Button>
        )}
        {pull.status === 'TAGGED' && (
          <Button shortcut="B" {...off('RETRY_BUILD')} onClick={() => act(retryBuildAction(client, queue, pull))}>
            Build again
          </Button>
        )}
        {!isAsked && !isMerged && (
          <Button kind="go" {...off('QUEUE')} onClick={() => act(queueAction(client, queue, pull))}>
            {pull.status === 'BLOCKED' ? 'Queue again' : 'Queue'}
          </Button>
        )}
      </div>
      {[...refusals].map((refusal) => (
        <p key={refusal} className="sm dim">
          {refusal}
        </p>
      ))}
      {isAsked && at === null && refusalOf(pull.viewerCan, 'SKIP_LINE') !== undefined && <WhoMaySkip queue={queue} />}
      <p className="sm faint">Before you confirm an action, you see what it would reset, stop and hold.</p>
    </Frame>
  );
}

/**
 * Names the people who may let a pull request skip the line. Nothing is shown if the viewer may not read this
 * permission.
 */
function WhoMaySkip({ queue: { owner, name } }: { readonly queue: QueueRef }): ReactNode {
  const [{ data }] = useQuery({ query: WhoMaySkipDocument, variables: { owner, name } });
  const holders = data?.repository?.permissionHolders;
  const people = [...new Set(holders?.nodes.map(({ user }) => user.handle ?? user.email) ?? [])];
  if (!holders || people.length === 0) return null;
  const more = holders.pageInfo.hasNextPage ? ['others'] : [];
  return <p className="sm dim">{list([...people, ...more])} may let a pull request skip the line.</p>;
}

interface FrameProps {
  readonly number: number;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Shows the details beside the line if the window is wide enough, otherwise as a sheet over the line. */
function Frame({ number, onClose, children }: FrameProps): ReactNode {
  const hasOneColumn = useHasOneColumn();
  const title = `Pull request ${number}`;
  if (hasOneColumn)
    return (
      <Dialog title={title} onClose={onClose} className={styles['sheet']}>
        {children}
      </Dialog>
    );
  return (
    <aside tabIndex={0} className={styles['inspector']} aria-label={title}>
      {children}
    </aside>
  );
}
