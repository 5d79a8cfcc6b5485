// The keys of the page of a pull request, and what can be done with the pull request.
import { useNavigate } from '@tanstack/react-router';
import { useClient } from 'urql';
import { useAct, type Action } from '../app/act.tsx';
import { copyCommitCommand, useCommands, type Command } from '../app/commands.ts';
import { useCopy } from '../app/copy.tsx';
import { temporalCommand } from '../app/installation.tsx';
import { refusalOf } from '../app/permitted.ts';
import type { PullRequest } from './pull-request.ts';
import {
  backportAction,
  dequeueAction,
  queueAction,
  refreshAction,
  retryBuildAction,
  skipLineAction,
  skipValidationAction,
  syncAction,
} from './pull-request-actions.ts';
import type { QueueRef } from './queue-actions.ts';

export const tabs = ['explain', 'builds', 'checks', 'preview', 'proof', 'history'] as const;
export type Tab = (typeof tabs)[number];

export interface ViewProps {
  readonly pull: PullRequest;
  readonly tab: Tab;
  /** The instant in the past that is shown. Null: now. */
  readonly at: string | null;
  readonly queue: QueueRef;
}

export function usePullRequestActions({ pull, queue, at }: ViewProps): readonly Command[] {
  const client = useClient();
  const act = useAct();
  if (at !== null) return [];
  // A pending pull request enters the line by itself as soon as its conditions hold.
  const isAsked = pull.status === 'QUEUED' || pull.status === 'TAGGED' || pull.status === 'PENDING';
  const isOver = pull.status === 'MERGED' || pull.status === 'CLOSED';
  const group = 'This page' as const;
  const dequeue = dequeueAction(client, queue, pull);
  const on = (key: string | null, label: string, permission: string, make: Action): Command => ({
    disabled: refusalOf(pull.viewerCan, permission),
    key,
    label,
    group,
    run: () => act(make),
    ...(make.preview && !make.fields && { preview: async () => (await make.preview?.({}))?.sentence ?? '' }),
  });
  if (isOver)
    return pull.status === 'MERGED' ? [on('b', 'Backport…', 'BACKPORT', backportAction(client, queue, pull))] : [];
  return [
    ...(isAsked
      ? [on('x', 'Dequeue…', 'DEQUEUE', dequeue)]
      : [on('q', 'Queue…', 'QUEUE', queueAction(client, queue, pull))]),
    on('s', 'Skip line…', 'SKIP_LINE', skipLineAction(client, queue, pull)),
    ...(pull.status === 'TAGGED'
      ? [on('b', 'Build again…', 'RETRY_BUILD', retryBuildAction(client, queue, pull))]
      : []),
    on(null, 'Skip validation…', 'SKIP_VALIDATION', skipValidationAction(client, queue, pull)),
    on(null, 'Sync with its base…', 'SYNC', syncAction(client, queue, pull)),
    on(null, 'Refresh from its code host…', 'REFRESH', refreshAction(client, queue, pull)),
  ];
}

/** Returns a function that shows the page at an instant in the past. Null: now. */
export function useLook(): (instant: string | null) => void {
  const navigate = useNavigate();
  return (instant) =>
    void navigate({
      to: '.',
      search: (before: Record<string, unknown>) => ({ ...before, at: instant ?? undefined }),
    } as never);
}

export function usePageCommands(
  { pull, tab, at, queue: { owner, name } }: ViewProps,
  actions: readonly Command[],
): void {
  const copy = useCopy();
  const navigate = useNavigate();
  const look = useLook();
  useCommands([
    ...actions,
    tab === 'preview'
      ? temporalCommand('the verification', pull.verification?.temporalUrl)
      : temporalCommand('the newest batch', pull.batches.nodes[0]?.temporalUrl),
    copyCommitCommand(pull.mergeCommit ?? pull.headCommitSha, copy),
    { key: 'e', label: 'Explain', group: 'View', run: () => void navigate({ to: '.', search: {} } as never) },
    at === null
      ? {
          key: 'Escape',
          label: `Back to the queue of ${pull.baseBranch}`,
          group: 'View',
          run: () => void navigate({ to: '/$owner/$name/queue/$', params: { owner, name, _splat: pull.baseBranch } }),
        }
      : { key: 'Escape', label: 'Back to now', group: 'View', run: () => look(null) },
  ]);
}
