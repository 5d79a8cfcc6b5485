// The top of the page of a queue: its buttons and its banners.
import type { ComponentProps, ReactNode } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { useClient } from 'urql';
import { useAct, type Action } from '../app/act.tsx';
import { queueRefusalOf, refusalOf } from '../app/permitted.ts';
import { LiveSign } from '../app/connection.tsx';
import { cx } from '../design/cx.ts';
import { Banner, Bar, Button } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { At } from '../design/time.tsx';
import type { QueueQuery } from '../generated/queue.ts';
import {
  activateAction,
  freezeAction,
  pauseAction,
  resumeAction,
  unfreezeAction,
  type QueueRef,
} from './queue-actions.ts';
import type { QueueData } from './summary.ts';
import styles from './queue.module.css';

export interface ViewProps {
  readonly queue: QueueRef;
  readonly data: QueueData;
  readonly repository: NonNullable<QueueQuery['repository']>;
  /** The moment in the past that is shown. Null: now. */
  readonly at: string | null;
}

const inPast = 'Nothing can be changed in the past.';

export function QueueBar({
  queue,
  data,
  repository,
  at,
  onQueue,
}: ViewProps & { readonly onQueue: () => void }): ReactNode {
  const { owner, name } = queue;
  const cannotQueue = at === null ? queueRefusalOf(repository) : inPast;
  const branches = [...new Set([queue.branch, ...repository.queues.map(({ baseBranch }) => baseBranch)])];
  return (
    <Bar
      crumbs={<span className={cx(parts['crumb'], 'wide')}>{`${owner}/${name} /`}</span>}
      title={branches.length === 1 ? queue.branch : <BranchChoice queue={queue} branches={branches} />}
    >
      {at === null && <LiveSign />}
      <span className="grow" />
      <HoldButtons queue={queue} data={data} repository={repository} at={at} />
      <Button kind="go" shortcut="Q" onClick={onQueue} disabled={cannotQueue !== undefined} title={cannotQueue}>
        Queue
      </Button>
    </Bar>
  );
}

/** The buttons that pause and freeze the base branch, and end a pause and a freeze. */
function HoldButtons({ queue, data, repository, at }: ViewProps): ReactNode {
  const client = useClient();
  const act = useAct();
  const cannotPause = at === null ? refusalOf(repository.viewerCan, 'PAUSE') : inPast;
  const cannotFreeze = at === null ? refusalOf(repository.viewerCan, 'FREEZE') : inPast;
  return (
    <>
      <Button
        wide
        icon={data.paused ? 'play' : 'pause'}
        shortcut="P"
        disabled={cannotPause !== undefined}
        title={cannotPause}
        onClick={() => act(pauseAction(client, queue, data))}
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
    </>
  );
}

function BranchChoice({
  queue: { owner, name, branch },
  branches,
}: {
  readonly queue: QueueRef;
  readonly branches: readonly string[];
}): ReactNode {
  const navigate = useNavigate();
  return (
    <select
      className={styles['branch']}
      aria-label="Base branch"
      value={branch}
      onChange={(event) =>
        void navigate({ to: '/$owner/$name/queue/$', params: { owner, name, _splat: event.currentTarget.value } })
      }
    >
      {branches.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}

/**
 * The banner of a repository that is inactive. New repositories of a GitHub App are inactive, and an admin can
 * deactivate a repository.
 */
export function InactiveBanner({ queue, repository }: Pick<ViewProps, 'queue' | 'repository'>): ReactNode {
  const client = useClient();
  return (
    <ActBanner
      label="Activate…"
      action={activateAction(client, queue)}
      refusal={refusalOf(repository.viewerCan, 'ADMINISTER')}
    >
      {queue.owner}/{queue.name} is inactive: its pull requests are not queued, validated or merged. Only an admin can
      activate it.
    </ActBanner>
  );
}

export function QueueBanners({ queue, data, repository }: Pick<ViewProps, 'queue' | 'data' | 'repository'>): ReactNode {
  const client = useClient();
  const refusal = (action: string): string | undefined => refusalOf(repository.viewerCan, action);
  return (
    <>
      {data.haltedAt && (
        <ActBanner tone="red" label="Resume…" action={resumeAction(client, queue)} refusal={refusal('HALT')}>
          Halted since <At at={data.haltedAt} />: {data.haltedReason} Only an admin can resume it.
        </ActBanner>
      )}
      {data.paused && (
        <ActBanner label="Resume…" action={pauseAction(client, queue, data)} refusal={refusal('PAUSE')}>
          Paused{data.pause?.message ? `: “${data.pause.message}”` : ''}. Nothing is validated or merged.
        </ActBanner>
      )}
      {data.frozen && (
        <ActBanner tone="blue" label="Lift…" action={unfreezeAction(client, queue)} refusal={refusal('FREEZE')}>
          {data.frozen.sentence} Builds go on.
        </ActBanner>
      )}
    </>
  );
}

interface ActBannerProps extends Pick<ComponentProps<typeof Banner>, 'tone'> {
  /** The text of the button. */
  readonly label: string;
  readonly action: Action;
  /** Why the viewer may not do the action. */
  readonly refusal: string | undefined;
  readonly children: ReactNode;
}

/** A banner with a button. The button is disabled if the viewer may not do the action, and says why. */
function ActBanner({ label, action, refusal, children, ...banner }: ActBannerProps): ReactNode {
  const act = useAct();
  const button = (
    <Button disabled={refusal !== undefined} title={refusal} onClick={() => act(action)}>
      {label}
    </Button>
  );
  return (
    <Banner {...banner} action={button}>
      {children}
    </Banner>
  );
}
