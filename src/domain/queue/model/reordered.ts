// Records the reorders of a pull request, and makes the texts about them.
import type { PullRequestState } from './snapshot.ts';
import type { ReorderReason } from './decision.ts';

/**
 * How often pull requests that are ready to land may pass a queued pull request. Without this bound, the passed pull
 * request might never land.
 */
export const maxTimesPassed = 3;

type ReorderRecord = Pick<PullRequestState, 'reorderedForFailure' | 'timesPassed'>;

export function recordReorder(
  { reorderedForFailure, timesPassed }: ReorderRecord,
  { kind }: ReorderReason,
): ReorderRecord {
  return {
    reorderedForFailure: reorderedForFailure || kind === 'failed',
    timesPassed: kind === 'failed' ? timesPassed : timesPassed + 1,
  };
}

/** The text for the event log. */
export function reorderText(reason: ReorderReason): string {
  switch (reason.kind) {
    case 'failed':
      return 'Its build failed: pull requests behind it may pass it, and it is built once more.';
    case 'unlikely':
      return `Pull requests behind it were ready to merge, and it was only ${Math.round(reason.probability * 100)} % likely to merge.`;
    case 'isolated_retry':
      return 'Pull requests behind it were ready to merge while it was built once more.';
    default:
      return reason satisfies never;
  }
}

const times = ['', 'once', 'twice', 'three times'];

/** Why the pull request was moved back in line. Empty: it was not moved. */
export function reorderedText({ reorderedForFailure, timesPassed }: ReorderRecord): string {
  const failed = 'Its build failed, so pull requests behind it may pass it, and it is built once more.';
  const passed = `Pull requests that were ready passed it ${times[timesPassed]}, because its result was uncertain; this happens at most ${times[maxTimesPassed]}.`;
  return [...(reorderedForFailure ? [failed] : []), ...(timesPassed > 0 ? [passed] : [])].join(' ');
}
