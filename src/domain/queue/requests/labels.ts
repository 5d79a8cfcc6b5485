// Decides what people request by labels on a pull request, and which labels the queue adds and removes. A label is a
// request only if a person adds or removes it. A change by the queue is no request, so that no change can cause
// another.
import { hasLabel, isSameLabel } from '../../label-names.ts';
import type { PullRequestStatus } from '../model/snapshot.ts';
import { isQueued } from '../model/status.ts';

/** Names of labels. '': no such label is configured. */
export interface LabelNames {
  readonly trigger: string;
  readonly skipLine: string;
  readonly blocked: string;
}

export interface LabelRules extends LabelNames {
  /** The label on stuck pull requests. */
  readonly stuck: string;
  /** Whether the queue labels blocked pull requests. */
  readonly marksBlocked: boolean;
}

export interface LabelledPullRequest {
  readonly status: PullRequestStatus;
  readonly skipLine: boolean;
  /** Whether it was announced as stuck since it entered the line. */
  readonly stuckAnnounced: boolean;
  /** The labels as they were last read from the host. */
  readonly labels: readonly string[];
  /** The labels that the queue added. */
  readonly queueLabels: readonly string[];
}

export interface LabelWrite {
  readonly label: string;
  readonly present: boolean;
}

/** `end_skip_line` does not move a pull request that is in line. */
export type LabelRequest = 'queue' | 'dequeue' | 'skip_line' | 'end_skip_line';

/** What a person requests by a change of the trigger label or of the skip-line label. */
export function requestOf({ label, present }: LabelWrite, { skipLine }: Pick<LabelNames, 'skipLine'>): LabelRequest {
  if (isSameLabel(label, skipLine)) return present ? 'skip_line' : 'end_skip_line';
  return present ? 'queue' : 'dequeue';
}

/** The trigger and skip-line labels that were added or removed between two reads from the host. */
export function changedLabels(before: readonly string[], after: readonly string[], names: LabelNames): LabelWrite[] {
  return [names.skipLine, names.trigger]
    .filter((label) => label !== '' && hasLabel(before, label) !== hasLabel(after, label))
    .map((label) => ({ label, present: hasLabel(after, label) }));
}

/**
 * The changes that make the labels agree with the status. The queue never adds the trigger label, because it is the
 * request of a person. The queue removes it when the request has ended.
 */
export function planLabels(pullRequest: LabelledPullRequest, rules: LabelRules): LabelWrite[] {
  return [
    ...wantedLabels(pullRequest, rules),
    ...wantedStuckLabel(pullRequest, rules),
    ...formerLabels(pullRequest, rules),
  ].filter(({ label, present }) => label !== '' && isOn(pullRequest, label) !== present);
}

/** The labels that the queue added under an earlier configuration. The present one does not name them. */
function formerLabels({ status, queueLabels }: LabelledPullRequest, rules: LabelRules): LabelWrite[] {
  if (status === 'closed') return [];
  const named = [rules.trigger, rules.skipLine, rules.blocked, rules.stuck];
  return queueLabels.filter((label) => !hasLabel(named, label)).map((label) => ({ label, present: false }));
}

// A label that the queue added after the last read from the host is missing from `labels`, but must be removed as well.
function isOn({ labels, queueLabels, status }: LabelledPullRequest, label: string): boolean {
  return hasLabel(labels, label) || (status !== 'blocked' && hasLabel(queueLabels, label));
}

/**
 * The labels that the queue added and that still count as its own after a new read from the host. A label that was read
 * before and is missing in `seen` was removed by a person.
 */
export function keptQueueLabels(
  { labels, queueLabels }: Pick<LabelledPullRequest, 'labels' | 'queueLabels'>,
  seen: readonly string[],
): string[] {
  return queueLabels.filter((label) => !hasLabel(labels, label) || hasLabel(seen, label));
}

function wantedLabels({ status, skipLine, queueLabels }: LabelledPullRequest, rules: LabelRules): LabelWrite[] {
  const unmarked: LabelWrite[] = hasLabel(queueLabels, rules.blocked) ? [{ label: rules.blocked, present: false }] : [];
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

/**
 * The label stays on a pull request that was blocked because it was stuck, until it is queued again. A label that a
 * person added is never removed.
 */
function wantedStuckLabel(
  { status, stuckAnnounced, queueLabels }: LabelledPullRequest,
  { stuck }: LabelRules,
): LabelWrite[] {
  if (status === 'closed') return [];
  const isStuck = stuckAnnounced && (isQueued(status) || status === 'blocked');
  return isStuck || hasLabel(queueLabels, stuck) ? [{ label: stuck, present: isStuck }] : [];
}
