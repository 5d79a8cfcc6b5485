// What labels on a pull request ask for, and which labels the queue puts on and takes off. A label asks by being put on
// or taken off by a person; what the queue itself changes asks for nothing, so that no change can call forth another.
import type { PullRequestStatus } from '../model/snapshot.ts';
import { isQueued } from '../model/status.ts';

/** Names; '' where there is none. */
export interface LabelNames {
  readonly trigger: string;
  readonly skipLine: string;
  readonly blocked: string;
}

export interface LabelRules extends LabelNames {
  /** Put on what is stuck. */
  readonly stuck: string;
  /** Whether the queue marks what it blocks. */
  readonly marksBlocked: boolean;
}

export interface LabelledPullRequest {
  readonly status: PullRequestStatus;
  readonly skipLine: boolean;
  /** It was told to be stuck since it entered the line. */
  readonly stuckAnnounced: boolean;
  /** As read from the host last. */
  readonly labels: readonly string[];
  /** Those of them the queue put there. */
  readonly queueLabels: readonly string[];
}

export interface LabelWrite {
  readonly label: string;
  readonly present: boolean;
}

/** Labels that mean something and that came or went between two readings. */
export function changedLabels(before: readonly string[], after: readonly string[], names: LabelNames): LabelWrite[] {
  return [names.skipLine, names.trigger]
    .filter((label) => label !== '' && before.includes(label) !== after.includes(label))
    .map((label) => ({ label, present: after.includes(label) }));
}

/**
 * What the labels lack to say what the status says. The trigger label is never put on: it is how a person asks, and
 * only taken off where the asking has come to its end.
 */
export function planLabels(pullRequest: LabelledPullRequest, rules: LabelRules): LabelWrite[] {
  return [...wantedLabels(pullRequest, rules), ...wantedStuckLabel(pullRequest, rules)].filter(
    ({ label, present }) => label !== '' && isOn(pullRequest, label) !== present,
  );
}

// One the queue is putting on at this moment is not among what was read, and has to come off again all the same.
function isOn({ labels, queueLabels, status }: LabelledPullRequest, label: string): boolean {
  return labels.includes(label) || (status !== 'blocked' && queueLabels.includes(label));
}

/** The queue's own labels that are left after a reading: those that were seen there and are gone are its own no longer. */
export function keptQueueLabels(
  { labels, queueLabels }: Pick<LabelledPullRequest, 'labels' | 'queueLabels'>,
  seen: readonly string[],
): string[] {
  return queueLabels.filter((label) => !labels.includes(label) || seen.includes(label));
}

function wantedLabels({ status, skipLine, queueLabels }: LabelledPullRequest, rules: LabelRules): LabelWrite[] {
  const unmarked: LabelWrite[] = queueLabels.includes(rules.blocked) ? [{ label: rules.blocked, present: false }] : [];
  switch (status) {
    case 'open':
      return [...unmarked, { label: rules.trigger, present: false }, ...withoutSkip(skipLine, rules)];
    case 'pending':
    case 'queued':
    case 'tagged':
      return skipLine ? [...unmarked, { label: rules.skipLine, present: true }] : unmarked;
    case 'blocked':
      return [
        ...(rules.marksBlocked ? [{ label: rules.blocked, present: true }] : []),
        { label: rules.trigger, present: false },
        ...withoutSkip(skipLine, rules),
      ];
    case 'merged':
      return unmarked;
    case 'closed':
      return [];
    default:
      return status satisfies never;
  }
}

function withoutSkip(skipLine: boolean, rules: LabelRules): LabelWrite[] {
  return skipLine ? [] : [{ label: rules.skipLine, present: false }];
}

/** It stays on one that was blocked for it, until it is queued again. One that a person put on is left alone. */
function wantedStuckLabel(
  { status, stuckAnnounced, queueLabels }: LabelledPullRequest,
  { stuck }: LabelRules,
): LabelWrite[] {
  if (status === 'closed') return [];
  const isStuck = stuckAnnounced && (isQueued(status) || status === 'blocked');
  return isStuck || queueLabels.includes(stuck) ? [{ label: stuck, present: isStuck }] : [];
}
