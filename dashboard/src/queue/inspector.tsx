// Shows the details of the chosen pull request: why it is not merged, who acts next, its conditions, and its actions.
import { useEffect, useRef, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { useClient, useQuery } from 'urql';
import { useAct, type Action } from '../app/act.tsx';
import { AnswerView, useAnswer } from '../app/page.tsx';
import { refusalOf } from '../app/permitted.ts';
import { useNow } from '../design/clock.ts';
import { cx } from '../design/cx.ts';
import { Dialog } from '../design/dialog.tsx';
import { useHasOneColumn } from '../design/narrow.ts';
import { Button, Pill } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { list, personOf, shortenCommit, labelOf, withoutDirections } from '../design/labels.ts';
import { Name } from '../design/name.tsx';
import { InspectorDocument, WhoMaySkipDocument, type InspectorQuery } from '../generated/queue.ts';
import { dequeueAction, queueAction, retryBuildAction, skipLineAction } from './pull-request-actions.ts';
import { NextStep } from './next-step.tsx';
import type { QueueRef } from './queue-actions.ts';
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
  const variables = { owner: queue.owner, name: queue.name, number, asOf: at };
  const answer = useAnswer(InspectorDocument, variables, { isOnce: true });
  const { refresh } = answer;
  // The queue is read again at most once a second. The details of the chosen pull request are read at the same time.
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) refresh();
    isFirst.current = false;
  }, [version, refresh]);
  return (
    <Frame number={number} onClose={onClose}>
      <AnswerView answer={answer} what={`#${number}`}>
        {({ repository }) =>
          repository?.pullRequest ? (
            <Inspected queue={queue} pull={repository.pullRequest} at={at} onClose={onClose} />
          ) : (
            <div className={parts['acts']}>
              <p className="dim grow">There is no pull request #{number} here.</p>
              <Button kind="quiet" icon="cross" onClick={onClose} aria-label="Close" />
            </div>
          )
        }
      </AnswerView>
    </Frame>
  );
}

type InspectedPullRequest = NonNullable<NonNullable<InspectorQuery['repository']>['pullRequest']>;

interface InspectedProps extends Pick<InspectorProps, 'queue' | 'at' | 'onClose'> {
  readonly pull: InspectedPullRequest;
}

function Inspected(props: InspectedProps): ReactNode {
  const { queue, pull, at, onClose } = props;
  const { explain, number } = pull;
  const now = useNow();
  return (
    <>
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
          <Name>{pull.title}</Name>
        </Link>
      </h2>
      <div className={cx(parts['next'], toneOfReason(pull))}>
        {explain.who && <b>{describeNextActor(explain.who, pull.author)}</b>}
        <span>{withoutDirections(explain.reason)}</span>
        {explain.eta && <span className="dim">{describeForecast(explain.eta, now)}</span>}
        {at === null && pull.status === 'BLOCKED' && <NextStep pull={pull} queue={queue} />}
      </div>
      <Conditions conditions={explain.conditions} />
      <Details pull={pull} />
      <Actions {...props} />
      <p className="sm faint">Before you confirm an action, you see what it would reset, stop and hold.</p>
    </>
  );
}

function toneOfReason({ status, explain: { who } }: InspectedPullRequest): string | null | undefined {
  if (status === 'BLOCKED') return parts['red'];
  if (who === 'AUTHOR' || who === 'REVIEWER') return parts['amber'];
  return status === 'MERGED' ? parts['green'] : null;
}

function Details({ pull }: Pick<InspectedProps, 'pull'>): ReactNode {
  return (
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
  );
}

/** The buttons, and why the viewer may not use some of them. */
function Actions({ queue, pull, at }: InspectedProps): ReactNode {
  const client = useClient();
  const act = useAct();
  const refusal = (action: string): string | undefined => (at === null ? refusalOf(pull.viewerCan, action) : inPast);
  const button = (permission: string, action: () => Action) => ({
    disabled: refusal(permission) !== undefined,
    title: refusal(permission),
    onClick: () => act(action()),
  });
  // A pending pull request enters the line by itself as soon as its conditions hold.
  const isAsked = pull.status === 'QUEUED' || pull.status === 'TAGGED' || pull.status === 'PENDING';
  const isMerged = pull.status === 'MERGED';
  const shown = isAsked ? ['DEQUEUE', 'SKIP_LINE'] : isMerged ? [] : ['QUEUE'];
  const refusals = new Set(shown.flatMap((action) => refusal(action) ?? []));
  return (
    <>
      <div className={parts['acts']}>
        {isAsked && (
          <Button shortcut="X" {...button('DEQUEUE', () => dequeueAction(client, queue, pull))}>
            Dequeue
          </Button>
        )}
        {isAsked && (
          <Button shortcut="S" {...button('SKIP_LINE', () => skipLineAction(client, queue, pull))}>
            Skip line
          </Button>
        )}
        {pull.status === 'TAGGED' && (
          <Button shortcut="B" {...button('RETRY_BUILD', () => retryBuildAction(client, queue, pull))}>
            Build again
          </Button>
        )}
        {!isAsked && !isMerged && (
          <Button kind="go" {...button('QUEUE', () => queueAction(client, queue, pull))}>
            {pull.status === 'BLOCKED' ? 'Queue again' : 'Queue'}
          </Button>
        )}
      </div>
      {[...refusals].map((sentence) => (
        <p key={sentence} className="sm dim">
          {sentence}
        </p>
      ))}
      {isAsked && at === null && refusalOf(pull.viewerCan, 'SKIP_LINE') !== undefined && <WhoMaySkip queue={queue} />}
    </>
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
