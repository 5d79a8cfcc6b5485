// Defines the statuses of a pull request, the transitions between them, and the sentence for every status code.
import type { BlockCode, PullRequestStatus, ResetCode } from './snapshot.ts';

/**
 * What can happen to a pull request.
 * - `queue`: it enters the line, because its preconditions hold.
 * - `pend`: it waits for a precondition that can resolve itself.
 * - `block`: somebody must act: a precondition cannot resolve itself, its build failed, or its landing was refused.
 * - `tag`: the bot pull request of its batch was opened.
 * - `reset`: its batch will not land, and it keeps its place.
 * - `requeue`: a commit was added, and it enters the line again at the end.
 */
export type PullRequestEvent =
  | 'queue'
  | 'pend'
  | 'block'
  | 'tag'
  | 'reset'
  | 'requeue'
  | 'dequeue'
  | 'merge'
  | 'close'
  | 'reopen';

type Transitions = Readonly<Record<PullRequestStatus, Readonly<Partial<Record<PullRequestEvent, PullRequestStatus>>>>>;

/** Every change of a status must be in this table. An entry with the same status is accepted and changes nothing. */
export const transitions = {
  open: { queue: 'queued', pend: 'pending', block: 'blocked', dequeue: 'open', merge: 'merged', close: 'closed' },
  pending: { queue: 'queued', pend: 'pending', block: 'blocked', dequeue: 'open', merge: 'merged', close: 'closed' },
  queued: {
    queue: 'queued',
    pend: 'pending',
    block: 'blocked',
    tag: 'tagged',
    reset: 'queued',
    requeue: 'queued',
    dequeue: 'open',
    merge: 'merged',
    close: 'closed',
  },
  tagged: {
    queue: 'tagged',
    pend: 'pending',
    block: 'blocked',
    tag: 'tagged',
    reset: 'queued',
    requeue: 'queued',
    dequeue: 'open',
    merge: 'merged',
    close: 'closed',
  },
  blocked: { queue: 'queued', pend: 'pending', block: 'blocked', dequeue: 'blocked', merge: 'merged', close: 'closed' },
  merged: {},
  closed: { reopen: 'open', merge: 'merged' },
} as const satisfies Transitions;

/** The status after the event. Null: the event cannot happen in this status. */
export function transition(from: PullRequestStatus, event: PullRequestEvent): PullRequestStatus | null {
  const row: Transitions[PullRequestStatus] = transitions[from];
  return row[event] ?? null;
}

/** The boolean `queued` of the interface (2.4): in line, with a bot pull request or without. */
export function isQueued(status: PullRequestStatus): status is 'queued' | 'tagged' {
  return status === 'queued' || status === 'tagged';
}

/**
 * Whether a pull request with this status can no longer be queued. A closed pull request may be reopened, but counts as
 * terminal until then.
 */
export function isTerminal(status: PullRequestStatus): status is 'merged' | 'closed' {
  return status === 'merged' || status === 'closed';
}

/** Whether `queued_at` is shown (interface 2.4). */
export function showsQueuedAt(status: PullRequestStatus): boolean {
  return isQueued(status) || status === 'merged' || status === 'blocked';
}

export type WebhookStatus = 'open' | 'pending' | 'queued' | 'blocked' | 'merged';

/** Status in webhook payloads (interface 6.1). Null for closed, which webhooks never contain. */
export function webhookStatus(status: PullRequestStatus): WebhookStatus | null {
  if (status === 'tagged') return 'queued';
  return status === 'closed' ? null : status;
}

/** The reset code of a batch whose member left the queue, from the member's new status. */
export function resetCodeOfDeparture(status: PullRequestStatus, blockCode: BlockCode | null): ResetCode {
  switch (status) {
    case 'blocked':
      if (blockCode === 116) return 310;
      return blockCode === 104 ? 303 : 301;
    case 'closed':
    case 'merged':
      return 304;
    case 'queued':
    case 'tagged':
      return 309;
    case 'open':
    case 'pending':
      return 303;
    default:
      return status satisfies never;
  }
}

const statusTexts = {
  101: 'The required number of approvals is missing.',
  104: 'It was dequeued, or its trigger label was removed.',
  105: 'A label on the pull request blocks it.',
  106: 'It has a merge conflict with its base branch.',
  107: 'A required check failed.',
  108: 'A validation failed.',
  109: 'The review of an owner is missing.',
  110: 'The merge was refused.',
  111: 'CI did not finish within the time limit.',
  112: 'Its own checks did not finish within the time limit.',
  113: 'Conversations are unresolved.',
  114: 'It is a draft.',
  115: 'It has commits without a verified signature.',
  116: 'A commit was added while it was in the queue.',
  117: 'A reviewer requested changes.',
  118: 'Its base branch is not managed by the queue.',
  119: 'A final gate failed.',
  300: 'The queue was reset by hand.',
  301: 'The queue was reset because a pull request failed.',
  302: 'The queue was reset because a pull request skipped the line.',
  303: 'The queue was reset because a pull request was dequeued.',
  304: 'The queue was reset because a pull request or a bot pull request was closed.',
  305: 'The queue was reset because the base branch moved from outside.',
  307: 'The queue was reset because the configuration changed.',
  308: 'The queue was reset because a build timed out.',
  309: 'The queue was reset because a build no longer fitted the line.',
  310: 'The queue was reset because a commit was added to a pull request.',
} as const satisfies Record<BlockCode | ResetCode, string>;

/** One sentence per `status_code` (interface 6.1). */
export function statusText(code: BlockCode | ResetCode): string {
  return statusTexts[code];
}

/** The sentence about failed checks. `missing` are the failed checks that never ran. `failed` empty: no check ran. */
export function failedChecksText(failed: readonly string[], missing: readonly string[] = []): string {
  const absent = new Set(missing);
  const ran = failed.filter((name) => !absent.has(name));
  if (failed.length === 0) return blockText(107, ['no check ran']);
  if (ran.length === failed.length) return blockText(107, failed);
  const names = failed.filter((name) => absent.has(name)).join(', ');
  return ran.length === 0
    ? `A required check did not run: ${names}.`
    : `${blockText(107, ran)} A required check did not run: ${names}.`;
}

/** The sentence about a block, with the names the author needs: failed checks, failed validations, labels. */
export function blockText(code: BlockCode, names: readonly string[] = []): string {
  if (names.length === 0) return statusText(code);
  return `${statusText(code).slice(0, -1)}: ${names.join(', ')}.`;
}
