// The keys of the page of a queue: they choose a row, and act on the chosen pull request and on the queue.
import { useRef } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { useClient } from 'urql';
import { useAct, type Action } from '../app/act.tsx';
import { copyCommitCommand, useCommands, type Command } from '../app/commands.ts';
import { useCopy } from '../app/copy.tsx';
import { temporalCommand } from '../app/installation.tsx';
import { queueRefusalOf, refusalOf } from '../app/permitted.ts';
import { dequeueAction, retryBuildAction, skipLineAction } from './pull-request-actions.ts';
import {
  freezeAction,
  haltAction,
  pauseAction,
  resetAction,
  resumeAction,
  unfreezeAction,
  type QueueRef,
} from './queue-actions.ts';
import type { ViewProps } from './queue-bar.tsx';
import { entriesOf, type QueueData, type ShownEntry } from './summary.ts';

interface QueueCommands {
  readonly queue: QueueRef;
  readonly data: QueueData;
  readonly repository: ViewProps['repository'];
  readonly at: string | null;
  readonly picked: ShownEntry | undefined;
  readonly outside: readonly ShownEntry[];
  readonly pick: (number: number | null) => void;
  readonly openQueueing: () => void;
}

export function useQueueCommands(given: QueueCommands): void {
  const { queue, data, picked } = given;
  const copy = useCopy();
  const navigate = useNavigate();
  useCommands([
    ...useMoves(given),
    ...useRowCommands(given),
    ...usePageCommands(given),
    copyCommitCommand(picked?.headCommitSha ?? data.baseTip, copy),
    {
      key: 'm',
      label: 'Simulate a change of the configuration',
      group: 'View',
      run: () => void navigate({ to: '/$owner/$name/configuration', params: { owner: queue.owner, name: queue.name } }),
    },
    temporalCommand(queue.branch, data.temporalUrl),
  ]);
}

/** Why the viewer may not run an action. Undefined: the viewer may. */
function refusalAt({ at, repository }: Pick<QueueCommands, 'at' | 'repository'>, action: string): string | undefined {
  if (at !== null) return 'Nothing can be changed in the past.';
  return action === 'QUEUE' ? queueRefusalOf(repository) : refusalOf(repository.viewerCan, action);
}

/** Runs an action. The palette shows before what the action would do. */
function previewed(action: Action, act: (action: Action) => void): Pick<Command, 'run' | 'preview'> {
  return { run: () => act(action), preview: async () => (await action.preview?.({}))?.sentence ?? '' };
}

/** The keys that choose another row. */
function useMoves({ data, outside, picked, pick }: QueueCommands): readonly Command[] {
  const all = [...entriesOf(data), ...outside];
  // A sheet is closed before the next row is chosen. The keys then continue from the row of the closed sheet.
  const last = useRef<number>(undefined);
  if (picked) last.current = picked.number;
  const move = (by: number): void => {
    const at = all.findIndex(({ number }) => number === last.current);
    const next = all[at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
    if (next) pick(next.number);
  };
  return [
    { key: 'j', label: 'Next row', group: 'View', run: () => move(1), isMove: true },
    { key: 'k', label: 'Previous row', group: 'View', run: () => move(-1), isMove: true },
    { key: 'ArrowDown', label: 'Next row', group: 'View', run: () => move(1), isMove: true },
    { key: 'ArrowUp', label: 'Previous row', group: 'View', run: () => move(-1), isMove: true },
  ];
}

/** What can be done with the chosen pull request. Empty: no row is chosen. */
function useRowCommands(given: QueueCommands): readonly Command[] {
  const { queue, at, picked, pick } = given;
  const client = useClient();
  const act = useAct();
  const navigate = useNavigate();
  if (!picked) return [];
  const cannot = (action: string): string | undefined => refusalAt(given, action);
  const page = {
    to: '/$owner/$name/pull/$number',
    params: { owner: queue.owner, name: queue.name, number: String(picked.number) },
  } as const;
  const dequeue = dequeueAction(client, queue, picked);
  const retry = retryBuildAction(client, queue, picked);
  return [
    { key: 'Enter', label: `Open #${picked.number}`, group: 'This row', run: () => void navigate(page) },
    {
      key: 'e',
      label: `Explain #${picked.number} in full`,
      group: 'This row',
      run: () => void navigate({ ...page, search: at === null ? {} : { at } }),
    },
    {
      key: 'x',
      label: `Dequeue #${picked.number}…`,
      group: 'This row',
      ...previewed(dequeue, act),
      disabled: cannot('DEQUEUE'),
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
            ...previewed(retry, act),
            disabled: cannot('RETRY_BUILD'),
          },
        ]
      : []),
    { key: 'Escape', label: 'Close the inspector', group: 'View', run: () => pick(null), isMove: true },
  ];
}

/** What can be done with the queue. */
function usePageCommands(given: QueueCommands): readonly Command[] {
  const { queue, data, openQueueing } = given;
  const client = useClient();
  const act = useAct();
  const cannot = (action: string): string | undefined => refusalAt(given, action);
  const pause = pauseAction(client, queue, data);
  const reset = resetAction(client, queue);
  return [
    { key: 'q', label: 'Queue a pull request…', group: 'This page', run: openQueueing, disabled: cannot('QUEUE') },
    {
      key: 'p',
      label: `${pause.verb} ${queue.branch}…`,
      group: 'This page',
      ...previewed(pause, act),
      disabled: cannot('PAUSE'),
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
      ...previewed(reset, act),
      disabled: cannot('RESET_QUEUE'),
    },
    {
      key: null,
      label: data.haltedAt ? `Resume ${queue.branch} after the halt…` : `Halt ${queue.branch}…`,
      group: 'This page',
      run: () => act(data.haltedAt ? resumeAction(client, queue) : haltAction(client, queue)),
      disabled: cannot('HALT'),
    },
  ];
}
