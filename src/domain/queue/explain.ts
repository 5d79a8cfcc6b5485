// Why is a pull request not merged yet? One typed reason: who must act, and a sentence. Derived from facts, never stored.
import type { Actor } from './admission.ts';
import { statusText } from './status.ts';
import type { BlockCode, PullRequestStatus } from './snapshot.ts';

export interface ExplainedPullRequest {
  readonly status: PullRequestStatus;
  /** Code and sentence of its last obstacle. Null without one. */
  readonly code: BlockCode | null;
  readonly text: string | null;
  /** Pull requests before it in line. Null unless queued or tagged. */
  readonly ahead: number | null;
  /** Its live batch. */
  readonly batch: {
    readonly verdict: 'pending' | 'green' | 'red';
    readonly hasCommit: boolean;
    readonly landingBegun: boolean;
    /** Numbers of the pull requests that share it. */
    readonly companions: readonly number[];
  } | null;
  /** In force for its base branch; `message` is what was said with the pause. */
  readonly paused: { readonly message: string | null } | null;
  readonly haltedReason: string | null;
}

export type ReasonKind =
  | 'merged'
  | 'closed'
  | 'not_asked'
  | 'blocked'
  | 'precondition'
  | 'halted'
  | 'paused'
  | 'landing'
  | 'own_checks'
  | 'build_failed'
  | 'building'
  | 'in_line';

export interface Reason {
  readonly kind: ReasonKind;
  /** Null when there is nothing to do. */
  readonly who: Actor | null;
  readonly sentence: string;
}

export function explain(pullRequest: ExplainedPullRequest): Reason {
  const { status, code, text } = pullRequest;
  const obstacle = text ?? (code === null ? null : statusText(code));
  switch (status) {
    case 'merged':
      return { kind: 'merged', who: null, sentence: 'It is merged.' };
    case 'closed':
      return { kind: 'closed', who: 'author', sentence: 'It is closed: reopen it to merge it.' };
    case 'open':
      return { kind: 'not_asked', who: 'author', sentence: 'Nobody has asked to merge it.' };
    case 'pending':
      return { kind: 'precondition', who: actorOf(code), sentence: obstacle ?? 'A precondition is missing.' };
    case 'blocked':
      return { kind: 'blocked', who: actorOf(code), sentence: obstacle ?? 'It is blocked.' };
    case 'queued':
    case 'tagged':
      return explainPlace(pullRequest);
    default:
      return status satisfies never;
  }
}

function explainPlace({ batch, paused, haltedReason, ahead }: ExplainedPullRequest): Reason {
  if (batch?.landingBegun) return { kind: 'landing', who: 'queue', sentence: 'It is being merged now.' };
  if (haltedReason !== null) return { kind: 'halted', who: 'admin', sentence: `The queue is halted: ${haltedReason}` };
  if (paused !== null)
    return {
      kind: 'paused',
      who: 'admin',
      sentence: paused.message === null ? 'The queue is paused.' : `The queue is paused: ${paused.message}`,
    };
  const inFront = ahead ?? 0;
  if (batch === null)
    return {
      kind: 'in_line',
      who: 'queue',
      sentence: `It waits for a build; ${countPullRequests(inFront)} before it.`,
    };
  const company =
    batch.companions.length === 0 ? '' : ` together with ${batch.companions.map((number) => `#${number}`).join(', ')}`;
  if (batch.verdict === 'red')
    return {
      kind: 'build_failed',
      who: 'queue',
      sentence: `Its build${company} failed; the queue finds out which change is at fault.`,
    };
  if (batch.verdict === 'pending') {
    const sentence = batch.hasCommit ? `Its build${company} is running.` : `Its build${company} is being made.`;
    return { kind: 'building', who: 'ci', sentence };
  }
  if (inFront > 0)
    return {
      kind: 'in_line',
      who: 'queue',
      sentence: `Its build${company} is green; ${countPullRequests(inFront)} before it.`,
    };
  return {
    kind: 'own_checks',
    who: 'ci',
    sentence: `Its build${company} is green; it merges as soon as its own required checks have passed.`,
  };
}

function countPullRequests(count: number): string {
  if (count === 0) return 'nothing is';
  return count === 1 ? 'one pull request is' : `${count} pull requests are`;
}

const actors = {
  101: 'reviewer',
  104: 'author',
  105: 'author',
  106: 'author',
  107: 'author',
  108: 'author',
  109: 'reviewer',
  110: 'admin',
  111: 'ci',
  112: 'ci',
  113: 'author',
  114: 'author',
  115: 'author',
  116: 'author',
  117: 'author',
  118: 'admin',
  119: 'author',
} as const satisfies Record<BlockCode, Actor>;

function actorOf(code: BlockCode | null): Actor {
  return code === null ? 'author' : actors[code];
}
