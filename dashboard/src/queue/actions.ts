// The actions on a queue and on its pull requests. The dialog of each action shows what the action would do before the
// user confirms it.
import type { Client } from '@urql/core';
import { answerOf, type Action, type Effect } from '../app/act.tsx';
import { describeDuration } from '../design/time.tsx';
import { count, numbers } from '../design/labels.ts';
import {
  ActivateRepositoryDocument,
  BackportPullRequestDocument,
  DequeuePullRequestDocument,
  FreezeBranchesDocument,
  HaltQueueDocument,
  PauseBranchesDocument,
  QueuePullRequestDocument,
  RefreshPullRequestDocument,
  ResetQueueDocument,
  ResumeQueueDocument,
  RetryBuildDocument,
  SyncPullRequestDocument,
  UnfreezeBranchesDocument,
  type ImpactTextFragment,
} from '../generated/queue.ts';

export interface QueueRef {
  readonly owner: string;
  readonly name: string;
  readonly branch: string;
}

export interface Target {
  readonly number: number;
  readonly title: string;
  /** The commit that the reader saw. */
  readonly headCommitSha: string;
}

function repositoryOf({ owner, name }: QueueRef): { readonly owner: string; readonly name: string } {
  return { owner, name };
}

/** Describes an impact in a sentence and a list of what it affects. */
export function effectOf(impact: ImpactTextFragment | null | undefined, otherwise: string): Effect {
  if (!impact) return { sentence: otherwise };
  const { resets, buildsStopped, buildsStarted, landingsHeld } = impact;
  return {
    sentence: impact.sentence,
    lines: [
      ...resets.map(({ text, pullRequests }) => `Reset: ${numbers(pullRequests)}. ${text}`),
      // The sentence names a single build already.
      ...(buildsStopped.length > 1 ? [`${count(buildsStopped.length, 'build')} would stop.`] : []),
      ...(buildsStarted.length > 1 ? [`${count(buildsStarted.length, 'build')} would start.`] : []),
      ...(landingsHeld.length > 0 ? [`Landings held: ${numbers(landingsHeld)}.`] : []),
      ...(impact.buildMinutesLost >= 1
        ? [`Build time lost: ${describeDuration(impact.buildMinutesLost * 60_000)}.`]
        : []),
      ...movesOf(impact),
    ],
  };
}

const movesShown = 5;

/** The pull requests whose landings move, the largest move first. */
function movesOf({ etasMoved }: ImpactTextFragment): readonly string[] {
  const moves = (etasMoved ?? [])
    .flatMap(({ number, laterSeconds }) => (typeof laterSeconds === 'number' ? [{ number, laterSeconds }] : []))
    .toSorted((a, b) => Math.abs(b.laterSeconds) - Math.abs(a.laterSeconds));
  const more = moves.length - movesShown;
  return [
    ...moves
      .slice(0, movesShown)
      .map(
        ({ number, laterSeconds }) =>
          `#${number} lands about ${describeDuration(Math.abs(laterSeconds) * 1_000)} ${laterSeconds > 0 ? 'later' : 'earlier'}.`,
      ),
    ...(more > 0 ? [`${count(more, 'more landing moves', 'more landings move')}.`] : []),
  ];
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

export function pauseAction(client: Client, queue: QueueRef, isPaused: boolean): Action {
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
          endsAt: until === '' ? null : new Date(until).toISOString(),
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
