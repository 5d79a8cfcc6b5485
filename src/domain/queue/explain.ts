// Why is a pull request not merged yet? One typed reason: who must act, and a sentence. Derived from facts, never stored.
// The conditions behind it are listed by explain.conditions.ts, by the same words.
import type { Actor } from './admission.ts';
import { statusText } from './status.ts';
import type { BlockCode, Decision, PullRequestStatus } from './snapshot.ts';

export interface ExplainedBatch {
  readonly verdict: 'pending' | 'green' | 'red';
  /** Why it was started. */
  readonly cause: Extract<Decision, { kind: 'StartBatch' }>['cause'];
  readonly hasCommit: boolean;
  readonly landingBegun: boolean;
  /** Numbers of the pull requests that share it. */
  readonly companions: readonly number[];
  /** It is red, and a build behind it that is not done may still pass it. */
  readonly mayBePassed: boolean;
}

export interface ExplainedPullRequest {
  readonly status: PullRequestStatus;
  /** Code and sentence of its last obstacle. Null without one. */
  readonly code: BlockCode | null;
  readonly text: string | null;
  /** Who took it out of the line last, while nobody has asked for it since. Null: nobody has. */
  readonly dequeuedBy: string | null;
  /** Pull requests before it in line. Null unless queued or tagged. */
  readonly ahead: number | null;
  /** It is known to conflict with something before it, and is tried again when it is first. */
  readonly isSuspended: boolean;
  /** Number of a pull request before it behind which nothing is built. Null: there is none. */
  readonly barrier: number | null;
  /** Until when it waits for others to share its build. Null: it does not. */
  readonly companyUntil: number | null;
  /** Its own required checks run, and its landing waits for them. */
  readonly waitsForOwnChecks: boolean;
  /** The final gate that is between it and its landing. Null: none is, or it is not first in line. */
  readonly finalGate: string | null;
  /** Its live batch. */
  readonly batch: ExplainedBatch | null;
  /** In force for its base branch; `message` is what was said with the pause, `pattern` its rule: null for the repository's own. */
  readonly paused: { readonly message: string | null; readonly pattern: string | null } | null;
  readonly haltedReason: string | null;
  /** Landings wait for a merge window that opens then, never being `Infinity`. Null: they may happen. */
  readonly landingsFrom: number | null;
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
  | 'merge_window'
  | 'final_gate'
  | 'own_checks'
  | 'build_failed'
  | 'building'
  | 'in_line'
  | 'unknown';

export interface Reason {
  readonly kind: ReasonKind;
  /** Null when there is nothing to do. */
  readonly who: Actor | null;
  readonly sentence: string;
}

export function explain(pullRequest: ExplainedPullRequest): Reason {
  const { status, code, text, dequeuedBy } = pullRequest;
  const obstacle = text ?? (code === null ? null : statusText(code));
  switch (status) {
    case 'merged':
      return { kind: 'merged', who: null, sentence: 'It is merged.' };
    case 'closed':
      return { kind: 'closed', who: 'author', sentence: 'It is closed: reopen it to merge it.' };
    case 'open':
      return {
        kind: 'not_asked',
        who: 'author',
        sentence: dequeuedBy === null ? 'Nobody has asked to merge it.' : `It was dequeued by ${dequeuedBy}.`,
      };
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

function explainPlace(pullRequest: ExplainedPullRequest): Reason {
  const { batch, paused, haltedReason } = pullRequest;
  if (batch?.landingBegun) return { kind: 'landing', who: 'queue', sentence: 'It is being merged now.' };
  if (haltedReason !== null) return { kind: 'halted', who: 'admin', sentence: haltedText(haltedReason) };
  if (paused !== null) return { kind: 'paused', who: 'admin', sentence: pausedText(paused) };
  if (batch === null) return { kind: 'in_line', who: 'queue', sentence: waitingText(pullRequest) };
  if (batch.verdict === 'red') return { kind: 'build_failed', who: 'queue', sentence: buildText(batch) };
  if (batch.verdict === 'pending') return { kind: 'building', who: 'ci', sentence: buildText(batch) };
  return explainGreen(pullRequest, batch);
}

function explainGreen(pullRequest: ExplainedPullRequest, batch: ExplainedBatch): Reason {
  const { ahead, landingsFrom, waitsForOwnChecks, finalGate } = pullRequest;
  const green = `Its build${companyOf(batch)} is green`;
  const inFront = ahead ?? 0;
  if (inFront > 0)
    return { kind: 'in_line', who: 'queue', sentence: `${green}; ${countPullRequests(inFront)} before it.` };
  if (waitsForOwnChecks)
    return {
      kind: 'own_checks',
      who: 'ci',
      sentence: `${green}; it merges as soon as its own required checks have passed.`,
    };
  if (landingsFrom !== null)
    return { kind: 'merge_window', who: 'queue', sentence: `${green}; ${windowText(landingsFrom)}` };
  if (finalGate !== null) return { kind: 'final_gate', who: 'ci', sentence: `${green}; ${gateText(finalGate)}` };
  return { kind: 'landing', who: 'queue', sentence: `${green}; it is merged next.` };
}

export function haltedText(reason: string): string {
  return `The queue is halted: ${reason}`;
}

export function pausedText({ message }: NonNullable<ExplainedPullRequest['paused']>): string {
  return message === null ? 'The queue is paused.' : `The queue is paused: ${message}`;
}

export function windowText(landingsFrom: number): string {
  return Number.isFinite(landingsFrom)
    ? `landings wait for the merge window that opens at ${new Date(landingsFrom).toISOString()}.`
    : 'landings wait for a merge window, and none opens any more.';
}

export function gateText(workflow: string): string {
  return `it is merged as soon as the final gate ${workflow} is passed.`;
}

/** It stands in line without a build. */
export function waitingText({ ahead, isSuspended, barrier, companyUntil }: ExplainedPullRequest): string {
  if (isSuspended)
    return 'It conflicts with a pull request before it, and is tried again when nothing is before it any more.';
  if (barrier !== null) return `Nothing is built behind #${barrier}, which has to merge alone.`;
  if (companyUntil !== null)
    return `It waits for others to share its build until ${new Date(companyUntil).toISOString()}.`;
  return `It waits for a build; ${countPullRequests(ahead ?? 0)} before it.`;
}

export function buildText(batch: ExplainedBatch): string {
  const company = companyOf(batch);
  switch (batch.verdict) {
    case 'red':
      return batch.mayBePassed
        ? `Its build${company} failed; one behind it that still runs may pass it.`
        : `Its build${company} failed; the queue finds out which change is at fault.`;
    case 'pending':
      return `Its build${company} is ${batch.hasCommit ? 'running' : 'being made'}${causeWords[batch.cause]}.`;
    case 'green':
      return `Its build${company} is green.`;
    default:
      return batch.verdict satisfies never;
  }
}

const causeWords = {
  new: '',
  bisect: ': it is a part of a batch that failed',
  retry: ': it is tried once more',
  optimistic: ': a failed build is passed by what came after it',
  probe: ': it is tried alone',
} as const satisfies Record<ExplainedBatch['cause'], string>;

function companyOf({ companions }: ExplainedBatch): string {
  return companions.length === 0 ? '' : ` together with ${companions.map((number) => `#${number}`).join(', ')}`;
}

export function countPullRequests(count: number): string {
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
  return code === null ? 'ci' : actors[code];
}
