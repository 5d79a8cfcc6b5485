// The top of the page of a queue: its buttons, its keys, and its banners.
import { useRef, type ReactNode } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { useClient } from 'urql';
import { useAct, useSay } from '../app/act.tsx';
import { copyCommitCommand, useCommands, type Command } from '../app/commands.ts';
import { temporalCommand } from '../app/installation.tsx';
import { refusalOf } from '../app/permitted.ts';
import { LiveSign } from '../app/shell.tsx';
import { cx } from '../design/cx.ts';
import { Banner, Bar, Button } from '../design/parts.tsx';
import parts from '../design/parts.module.css';
import { At } from '../design/time.tsx';
import type { QueueQuery } from '../generated/queue.ts';
import {
  activateAction,
  dequeueAction,
  freezeAction,
  haltAction,
  pauseAction,
  resetAction,
  resumeAction,
  retryBuildAction,
  skipLineAction,
  unfreezeAction,
  type QueueRef,
} from './actions.ts';
import { entriesOf, type QueueData, type ShownEntry } from './summary.ts';
import styles from './queue.module.css';

export interface ViewProps {
  readonly queue: QueueRef;
  readonly data: QueueData;
  readonly repository: NonNullable<QueueQuery['repository']>;
  /** The moment in the past that is shown. Null: now. */
  readonly at: string | null;
}

export function useQueueCommands({
  queue,
  data,
  repository,
  at,
  picked,
  outside,
  pick,
  openQueueing,
}: {
  readonly queue: QueueRef;
  readonly data: QueueData;
  readonly repository: ViewProps['repository'];
  readonly at: string | null;
  readonly picked: ShownEntry | undefined;
  readonly outside: readonly ShownEntry[];
  readonly pick: (number: number | null) => void;
  readonly openQueueing: () => void;
}): void {
  const client = useClient();
  const act = useAct();
  const say = useSay();
  const navigate = useNavigate();
  const all = [...entriesOf(data), ...outside];
  // A sheet is closed before the next row is chosen. The keys then continue from the row of the closed sheet.
  const last = useRef<number>(undefined);
  if (picked) last.current = picked.number;
  const move = (by: number): void => {
    const at = all.findIndex(({ number }) => number === last.current);
    const next = all[at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
    if (next) pick(next.number);
  };
  const cannot = (action: string): string | undefined =>
    at === null ? refusalOf(repository.viewerCan, action) : 'Nothing can be changed in the past.';
  const pause = pauseAction(client, queue, data.paused);
  const reset = resetAction(client, queue);
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
          key: 'e',
          label: `Explain #${picked.number} in full`,
          group: 'This row',
          run: () =>
            void navigate({
              to: '/$owner/$name/pull/$number',
              params: { owner: queue.owner, name: queue.name, number: String(picked.number) },
              search: at === null ? {} : { at },
            }),
        },
        {
          key: 'x',
          label: `Dequeue #${picked.number}…`,
          group: 'This row',
          run: () => dequeue && act(dequeue),
          disabled: cannot('DEQUEUE'),
          preview: async () => (await dequeue?.preview?.({}))?.sentence ?? '',
        },
        {
          key: 's',
          label: `Let #${picked.number} skip the line…`,
          group: 'This row',
          run: () => act(skipLineAction(client, queue, picked)),
          disabled: cannot('SKIP_LINE'),
        },
        ...(picked.status === 'TAGGED'
          ? [
              {
                key: 'b',
                label: `Build #${picked.number} again…`,
                group: 'This row' as const,
                run: () => act(retryBuildAction(client, queue, picked)),
                disabled: cannot('RETRY_BUILD'),
                preview: async () => (await retryBuildAction(client, queue, picked).preview?.({}))?.sentence ?? '',
              },
            ]
          : []),
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
      preview: async () => (await pause.preview?.({}))?.sentence ?? '',
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
      label: `Reset every build of ${queue.branch}…`,
      group: 'This page',
      run: () => act(reset),
      disabled: cannot('RESET_QUEUE'),
      preview: async () => (await reset.preview?.({}))?.sentence ?? '',
    },
    {
      key: null,
      label: data.haltedAt ? `Resume ${queue.branch} after the halt…` : `Halt ${queue.branch}…`,
      group: 'This page',
      run: () => act(data.haltedAt ? resumeAction(client, queue) : haltAction(client, queue)),
      disabled: cannot('HALT'),
    },
    copyCommitCommand(picked?.headCommitSha ?? data.baseTip, say),
    {
      key: 'm',
      label: 'Simulate a change of the configuration',
      group: 'View',
      run: () => void navigate({ to: '/$owner/$name/configuration', params: { owner: queue.owner, name: queue.name } }),
    },
    temporalCommand(queue.branch, data.temporalUrl),
  ]);
}

export function QueueBar({
  queue,
  data,
  repository,
  at,
  onQueue,
}: ViewProps & { readonly onQueue: () => void }): ReactNode {
  const client = useClient();
  const act = useAct();
  const navigate = useNavigate();
  const { owner, name } = queue;
  const inPast = at === null ? undefined : 'Nothing can be changed in the past.';
  const cannotPause = inPast ?? refusalOf(repository.viewerCan, 'PAUSE');
  const cannotFreeze = inPast ?? refusalOf(repository.viewerCan, 'FREEZE');
  const cannotQueue = inPast ?? refusalOf(repository.viewerCan, 'QUEUE');
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
      {at === null && <LiveSign />}
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

/**
 * The banner of a repository that is inactive. New repositories of a GitHub App are inactive, and an admin can
 * deactivate a repository.
 */
export function InactiveBanner({ queue }: { readonly queue: QueueRef }): ReactNode {
  const client = useClient();
  const act = useAct();
  return (
    <Banner action={<Button onClick={() => act(activateAction(client, queue))}>Activate…</Button>}>
      {queue.owner}/{queue.name} is inactive: its pull requests are not queued, validated or merged. Only an admin can
      activate it.
    </Banner>
  );
}

export function QueueBanners({ queue, data }: { readonly queue: QueueRef; readonly data: QueueData }): ReactNode {
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
