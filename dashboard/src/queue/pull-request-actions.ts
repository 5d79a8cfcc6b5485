// The actions on a pull request. The dialog of each action shows what the action would do before the user confirms it.
import type { Client } from '@urql/core';
import { answerOf, type Action } from '../app/act.tsx';
import {
  BackportPullRequestDocument,
  DequeuePullRequestDocument,
  QueuePullRequestDocument,
  RefreshPullRequestDocument,
  RetryBuildDocument,
  SyncPullRequestDocument,
} from '../generated/queue.ts';
import { effectOf } from './impact.ts';
import { repositoryOf, type QueueRef } from './queue-actions.ts';

export interface Target {
  readonly number: number;
  readonly title: string;
  /** The commit that the reader saw. */
  readonly headCommitSha: string;
}

export function dequeueAction(client: Client, queue: QueueRef, { number }: Target): Action {
  const input = { repository: repositoryOf(queue), number };
  return {
    title: `Dequeue #${number}?`,
    verb: 'Dequeue',
    harms: true,
    preview: async () => {
      const { dequeuePullRequest } = await answerOf(
        client.mutation(DequeuePullRequestDocument, { input: { ...input, preview: true } }),
      );
      return effectOf(
        dequeuePullRequest.impact,
        'The pull request leaves the line. No other pull request is affected.',
      );
    },
    run: async () => {
      await answerOf(client.mutation(DequeuePullRequestDocument, { input: { ...input, preview: false } }));
      return `#${number} left the line.`;
    },
  };
}

export function queueAction(client: Client, queue: QueueRef, target: Target): Action {
  return enqueueAction(client, queue, { target, skipsLine: false, skipsValidation: false });
}

export function skipLineAction(client: Client, queue: QueueRef, target: Target): Action {
  return enqueueAction(client, queue, { target, skipsLine: true, skipsValidation: false });
}

export function skipValidationAction(client: Client, queue: QueueRef, target: Target): Action {
  return enqueueAction(client, queue, { target, skipsLine: false, skipsValidation: true });
}

interface Enqueuing {
  readonly target: Target;
  readonly skipsLine: boolean;
  readonly skipsValidation: boolean;
}

function enqueueAction(client: Client, queue: QueueRef, { target, skipsLine, skipsValidation }: Enqueuing): Action {
  const { number, headCommitSha } = target;
  const send = async (reason: string, preview: boolean) => {
    const { queuePullRequest } = await answerOf(
      client.mutation(QueuePullRequestDocument, {
        input: {
          repository: repositoryOf(queue),
          number,
          headCommitSha,
          preview,
          ...(skipsLine && { skipLine: true, skipLineReason: reason === '' ? null : reason }),
          ...(skipsValidation && { skipValidation: true }),
        },
      }),
    );
    return queuePullRequest;
  };
  return {
    title: skipsLine
      ? `Let #${number} skip the line?`
      : skipsValidation
        ? `Merge #${number} without validation?`
        : `Queue #${number}?`,
    verb: skipsLine ? 'Skip the line' : skipsValidation ? 'Skip validation' : 'Queue',
    harms: skipsLine || skipsValidation,
    ...(skipsLine && { fields: [{ name: 'reason', label: 'Why the pull request cannot wait', required: true }] }),
    preview: async ({ reason = '' }) => {
      const { impact } = await send(reason === '' ? 'preview' : reason, true);
      return {
        ...effectOf(impact, `${target.title} joins the line.`),
        ...(skipsValidation && {
          note: 'The proof of its landing will have the grade unvalidated, and will name you.',
        }),
      };
    },
    run: async ({ reason = '' }) => {
      const { pullRequest } = await send(reason, false);
      return `#${number} is ${pullRequest.status.toLowerCase()}.`;
    },
  };
}

export function retryBuildAction(client: Client, queue: QueueRef, { number }: Target): Action {
  const send = async (preview: boolean) => {
    const { retryBuild } = await answerOf(
      client.mutation(RetryBuildDocument, { input: { repository: repositoryOf(queue), number, preview } }),
    );
    return retryBuild.impact;
  };
  return {
    title: `Build #${number} again?`,
    verb: 'Build again',
    harms: true,
    preview: async () => effectOf(await send(true), `The build of #${number} starts again.`),
    run: async () => {
      await send(false);
      return `The build of #${number} starts again.`;
    },
  };
}

export function syncAction(client: Client, queue: QueueRef, { number }: Target): Action {
  const send = async (preview: boolean) => {
    const { syncPullRequest } = await answerOf(
      client.mutation(SyncPullRequestDocument, { input: { repository: repositoryOf(queue), number, preview } }),
    );
    return syncPullRequest;
  };
  return {
    title: `Bring #${number} up to date with ${queue.branch}?`,
    verb: 'Sync',
    harms: false,
    preview: async () => {
      const { impact, message } = await send(true);
      return { ...effectOf(impact, message), sentence: message };
    },
    run: async () => (await send(false)).message,
  };
}

export function refreshAction(client: Client, queue: QueueRef, { number }: Target): Action {
  return {
    title: `Read #${number} from its code host again?`,
    verb: 'Refresh',
    harms: false,
    preview: null,
    run: async () => {
      const { refreshPullRequest } = await answerOf(
        client.mutation(RefreshPullRequestDocument, { input: { repository: repositoryOf(queue), number } }),
      );
      return refreshPullRequest.message;
    },
  };
}

export function backportAction(client: Client, queue: QueueRef, { number }: Target): Action {
  const send = async (targetBranch: string, preview: boolean): Promise<string> => {
    const { backportPullRequest } = await answerOf(
      client.mutation(BackportPullRequestDocument, {
        input: { repository: repositoryOf(queue), number, targetBranch, preview },
      }),
    );
    return backportPullRequest.message;
  };
  return {
    title: `Backport #${number}?`,
    verb: 'Backport',
    harms: false,
    fields: [{ name: 'branch', label: 'Target branch', required: true }],
    preview: async ({ branch = '' }) => ({
      sentence: branch === '' ? 'Enter the branch to backport to.' : await send(branch, true),
    }),
    run: async ({ branch = '' }) => await send(branch, false),
  };
}
