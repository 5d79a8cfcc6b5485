// What is known of the row that is chosen: why, who acts, what has to hold, and what can be done.
import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { useClient, useQuery } from 'urql';
import { useAct } from '../app/act.tsx';
import { refusalOf } from '../app/permitted.ts';
import { cx } from '../design/cx.ts';
import { Button, Pill, Waiting } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { short, words } from '../design/words.ts';
import { InspectorDocument } from '../generated/queue.ts';
import { dequeueAction, queueAction, skipLineAction, type QueueRef } from './actions.ts';
import { Conditions } from './conditions.tsx';
import { actsNext } from './who.ts';
import styles from './queue.module.css';

interface InspectorProps {
  readonly queue: QueueRef;
  readonly number: number;
  /** Another value for each read of the queue. */
  readonly version: unknown;
  readonly onClose: () => void;
}

const statusTones = { QUEUED: 'blue', TAGGED: 'blue', BLOCKED: 'red', PENDING: 'amber', MERGED: 'green' } as const;

export function toneOfStatus(status: string): 'blue' | 'red' | 'amber' | 'green' | 'plain' {
  return (statusTones as Partial<Record<string, 'blue' | 'red' | 'amber' | 'green'>>)[status] ?? 'plain';
}

export function Inspector({ queue, number, version, onClose }: InspectorProps): ReactNode {
  const client = useClient();
  const act = useAct();
  const [{ data }, read] = useQuery({
    query: InspectorDocument,
    variables: { owner: queue.owner, name: queue.name, number },
    requestPolicy: 'cache-and-network',
  });
  // The queue is read again at most once in a second; what is known of the row is read with it.
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) read({ requestPolicy: 'network-only' });
    isFirst.current = false;
  }, [version, read]);
  const pull = data?.repository?.pullRequest;
  if (!pull)
    return (
      <aside tabIndex={0} className={styles['inspector']} aria-label={`Pull request ${number}`}>
        <Waiting />
      </aside>
    );
  const { explain } = pull;
  const off = (action: string): { readonly disabled: boolean; readonly title: string | undefined } => {
    const refusal = refusalOf(pull.viewerCan, action);
    return { disabled: refusal !== undefined, title: refusal };
  };
  const isInLine = pull.status === 'QUEUED' || pull.status === 'TAGGED';
  const tone =
    pull.status === 'BLOCKED'
      ? parts['red']
      : explain.who === 'AUTHOR' || explain.who === 'REVIEWER'
        ? parts['amber']
        : null;
  return (
    <aside tabIndex={0} className={styles['inspector']} aria-label={`Pull request ${number}`}>
      <div className={parts['acts']}>
        <Pill tone={toneOfStatus(pull.status)}>{words(pull.status)}</Pill>
        <span className="faint sm">
          #{number}
          {pull.position !== null && pull.position !== undefined && `, ${pull.position}. in line`}
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
        {explain.who && <b>{actsNext(explain.who, pull.author)}</b>}
        <span>{explain.sentence}</span>
        {explain.eta && <span className="dim">{explain.eta.sentence}</span>}
      </div>
      <Conditions conditions={explain.conditions} />
      <dl className={parts['kv']}>
        <dt>Author</dt>
        <dd>{pull.author}</dd>
        {pull.requestedBy && (
          <>
            <dt>Asked by</dt>
            <dd>{pull.requestedBy}</dd>
          </>
        )}
        <dt>Branch</dt>
        <dd className="mono">{pull.headBranch}</dd>
        <dt>Head</dt>
        <dd className="mono">{short(pull.headCommitSha)}</dd>
        {pull.skipLineReason && (
          <>
            <dt>Skips because</dt>
            <dd>{pull.skipLineReason}</dd>
          </>
        )}
      </dl>
      <div className={parts['acts']}>
        {isInLine && (
          <Button shortcut="X" {...off('DEQUEUE')} onClick={() => act(dequeueAction(client, queue, pull))}>
            Dequeue
          </Button>
        )}
        {isInLine && (
          <Button shortcut="S" {...off('SKIP_LINE')} onClick={() => act(skipLineAction(client, queue, pull))}>
            Skip line
          </Button>
        )}
        {!isInLine && pull.status !== 'MERGED' && (
          <Button kind="go" {...off('QUEUE')} onClick={() => act(queueAction(client, queue, pull))}>
            Queue again
          </Button>
        )}
      </div>
      <p className="sm faint">Every harmful action first says what it would reset, stop and hold.</p>
    </aside>
  );
}
