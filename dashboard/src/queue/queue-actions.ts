// The actions on a queue. The dialog of each action shows what the action would do before the user confirms it.
import type { Client } from '@urql/core';
import { answerOf, type Action } from '../app/act.tsx';
import { instantOf } from '../app/errors.ts';
import {
  ActivateRepositoryDocument,
  FreezeBranchesDocument,
  HaltQueueDocument,
  PauseBranchesDocument,
  PauseRepositoryDocument,
  ResetQueueDocument,
  ResumeQueueDocument,
  UnfreezeBranchesDocument,
} from '../generated/queue.ts';
import { effectOf } from './impact.ts';
import type { QueueData } from './summary.ts';

export interface QueueRef {
  readonly owner: string;
  readonly name: string;
  readonly branch: string;
}

/** Whether the queue is paused, and by what. Without a pattern, the whole repository is paused. */
type Pauses = Pick<QueueData, 'paused' | 'pause'>;

export function repositoryOf({ owner, name }: QueueRef): { readonly owner: string; readonly name: string } {
  return { owner, name };
}

/** Pauses the base branch, or ends the pause that is in force: that of the base branch, or that of the repository. */
export function pauseAction(client: Client, queue: QueueRef, { paused, pause }: Pauses): Action {
  return paused && pause?.pattern === null
    ? resumeRepositoryAction(client, queue)
    : pauseBranchAction(client, queue, paused);
}

function resumeRepositoryAction(client: Client, queue: QueueRef): Action {
  const repository = repositoryOf(queue);
  const send = async (preview: boolean) => {
    const { pauseRepository } = await answerOf(
      client.mutation(PauseRepositoryDocument, { input: { repository, paused: false, preview } }),
    );
    return pauseRepository.impact;
  };
  return {
    title: `Resume ${queue.owner}/${queue.name}?`,
    verb: 'Resume',
    harms: false,
    preview: async () => effectOf(await send(true), 'Builds and landings of the repository continue.'),
    run: async () => {
      await send(false);
      return `${queue.owner}/${queue.name} is resumed.`;
    },
  };
}

function pauseBranchAction(client: Client, queue: QueueRef, isPaused: boolean): Action {
  const send = async (message: string, preview: boolean) => {
    const { pauseBranches } = await answerOf(
      client.mutation(PauseBranchesDocument, {
        input: {
          repository: repositoryOf(queue),
          pattern: queue.branch,
          paused: !isPaused,
          pausedMessage: message === '' ? null : message,
          preview,
        },
      }),
    );
    return pauseBranches.impact;
  };
  return {
    title: isPaused ? `Resume ${queue.branch}?` : `Pause ${queue.branch}?`,
    verb: isPaused ? 'Resume' : 'Pause',
    harms: !isPaused,
    ...(!isPaused && { fields: [{ name: 'message', label: 'Reason (everybody sees it)' }] }),
    preview: async ({ message = '' }) =>
      effectOf(
        await send(message, true),
        isPaused ? 'Builds and landings continue.' : 'Nothing is validated or merged until somebody resumes the queue.',
      ),
    run: async ({ message = '' }) => {
      await send(message, false);
      return isPaused ? `${queue.branch} is resumed.` : `${queue.branch} is paused.`;
    },
  };
}

export function activateAction(client: Client, queue: QueueRef): Action {
  const repository = repositoryOf(queue);
  return {
    title: `Activate ${queue.owner}/${queue.name}?`,
    verb: 'Activate',
    harms: false,
    preview: null,
    run: async () => {
      await answerOf(client.mutation(ActivateRepositoryDocument, { input: { repository, active: true } }));
      return `${queue.owner}/${queue.name} is active.`;
    },
  };
}

export function freezeAction(client: Client, queue: QueueRef): Action {
  const send = async ({ reason = '', until = '' }, preview: boolean) => {
    const { freezeBranches } = await answerOf(
      client.mutation(FreezeBranchesDocument, {
        input: {
          repository: repositoryOf(queue),
          baseBranches: queue.branch,
          reason: reason === '' ? null : reason,
          endsAt: instantOf(until, 'Until'),
          preview,
        },
      }),
    );
    return freezeBranches.impact;
  };
  return {
    title: `Freeze ${queue.branch}?`,
    verb: 'Freeze',
    harms: true,
    fields: [
      { name: 'reason', label: 'Reason (everybody sees it)' },
      { name: 'until', label: 'Until (empty: until somebody lifts the freeze)', type: 'datetime-local' },
    ],
    preview: async (values) => effectOf(await send(values, true), 'Builds continue, but nothing lands.'),
    run: async (values) => {
      await send(values, false);
      return `${queue.branch} is frozen: builds continue, but nothing lands.`;
    },
  };
}

export function unfreezeAction(client: Client, queue: QueueRef): Action {
  const send = async (preview: boolean) => {
    const { unfreezeBranches } = await answerOf(
      client.mutation(UnfreezeBranchesDocument, {
        input: { repository: repositoryOf(queue), baseBranches: queue.branch, preview },
      }),
    );
    return unfreezeBranches;
  };
  return {
    title: `Lift the freeze of ${queue.branch}?`,
    verb: 'Lift',
    harms: false,
    preview: async () => effectOf((await send(true)).impact, 'Landings continue.'),
    run: async () => {
      const { deleted } = await send(false);
      return deleted === 0
        ? `No freeze names exactly ${queue.branch}. If ${queue.branch} is still frozen, a schedule or a wider pattern freezes it.`
        : `${queue.branch} is no longer frozen.`;
    },
  };
}

export function haltAction(client: Client, queue: QueueRef): Action {
  const send = async (reason: string, preview: boolean) => {
    const { haltQueue } = await answerOf(
      client.mutation(HaltQueueDocument, {
        input: { repository: repositoryOf(queue), baseBranch: queue.branch, reason, preview },
      }),
    );
    return haltQueue.impact;
  };
  return {
    title: `Halt ${queue.branch}?`,
    verb: 'Halt',
    harms: true,
    fields: [{ name: 'reason', label: 'Reason (everybody sees it)', required: true }],
    preview: async ({ reason = '' }) =>
      effectOf(
        await send(reason === '' ? 'preview' : reason, true),
        'Nothing is merged until an admin resumes the queue.',
      ),
    run: async ({ reason = '' }) => {
      await send(reason, false);
      return `${queue.branch} is halted until an admin resumes it.`;
    },
  };
}

export function resumeAction(client: Client, queue: QueueRef): Action {
  const send = async (preview: boolean) => {
    const { resumeQueue } = await answerOf(
      client.mutation(ResumeQueueDocument, {
        input: { repository: repositoryOf(queue), baseBranch: queue.branch, preview },
      }),
    );
    return resumeQueue.impact;
  };
  return {
    title: `Resume ${queue.branch}?`,
    verb: 'Resume',
    harms: false,
    preview: async () => effectOf(await send(true), 'Builds and landings continue.'),
    run: async () => {
      await send(false);
      return `${queue.branch} is resumed: pull requests land again.`;
    },
  };
}

export function resetAction(client: Client, queue: QueueRef): Action {
  const send = async (preview: boolean) => {
    const { resetQueue } = await answerOf(
      client.mutation(ResetQueueDocument, {
        input: { repository: repositoryOf(queue), baseBranch: queue.branch, preview },
      }),
    );
    return resetQueue.impact;
  };
  return {
    title: `Reset every build of ${queue.branch}?`,
    verb: 'Reset',
    harms: true,
    preview: async () => effectOf(await send(true), 'No build is running, so nothing is reset.'),
    run: async () => {
      await send(false);
      return `Every build of ${queue.branch} is reset and starts again.`;
    },
  };
}
