// Explains why a pull request is not merged yet, by one reason: who must act, and a sentence. The reason is derived
// from facts and never stored. condition-tree.ts lists all conditions with the same sentences.
import { timeText } from '../../calendar/time.text.ts';
import { describeFreeze, type FreezeInForce } from '../../releases/freeze.ts';
import { isLandingHalt } from '../landing/host-retry.ts';
import type { Actor } from '../requests/admission.ts';
import { statusText } from '../model/status.ts';
import type { BlockCode, PullRequestStatus } from '../model/snapshot.ts';
import type { Decision } from '../model/decision.ts';

export interface ExplainedBatch {
  readonly verdict: 'pending' | 'green' | 'red';
  /** Why the batch was started. */
  readonly cause: Extract<Decision, { kind: 'StartBatch' }>['cause'];
  readonly hasCommit: boolean;
  readonly landingStarted: boolean;
  /** Numbers of the other pull requests in the batch. */
  readonly otherMembers: readonly number[];
  /** For a build beside the line, the numbers of the assumed pull requests that have not landed. Otherwise empty. */
  readonly assumes: readonly number[];
  /** The batch is red, and an unfinished build behind it may still pass it. */
  readonly mayBePassed: boolean;
  /** Whether the batch lands without a build, because validation is skipped. Absent: it has a build. */
  readonly skipsValidation?: boolean;
}

export type Hold =
  /**
   * The pull request conflicts with a pull request before it, and is tried again when it is first. `with`: the numbers
   * of the pull requests that it is known to conflict with.
   */
  | { readonly kind: 'conflict'; readonly with: readonly number[] }
  /** Pull request `number` is a barrier: nothing is built behind it. */
  | { readonly kind: 'barrier'; readonly number: number }
  /** Other pull requests may join its build before the instant `until`. */
  | { readonly kind: 'company'; readonly until: number }
  /** The pull request is out of the line, and waits to be built as part of a bisected batch. */
  | { readonly kind: 'part' }
  /** A build of these pull requests, which are before this one in line, failed. No build is made on a failed build. */
  | { readonly kind: 'judgement'; readonly of: readonly number[] }
  /**
   * A running or green build of these pull requests, which are behind this one in line, contains it. The build lands it
   * too if none of the others lands, which are before them.
   */
  | { readonly kind: 'contained'; readonly in: readonly number[]; readonly without: readonly number[] }
  /** The limit of concurrent builds is reached. */
  | { readonly kind: 'room'; readonly builds: number };

export interface ExplainedPullRequest {
  readonly status: PullRequestStatus;
  /** Code and sentence of the last obstacle of the pull request. Null: there is none. */
  readonly code: BlockCode | null;
  readonly text: string | null;
  /** Who acts next if the obstacle has no code. Null or absent: CI. */
  readonly actor?: Actor | null;
  /**
   * Not null: a user took the pull request out of the line, and nobody has queued it since. `by` is null if the user is
   * not recorded.
   */
  readonly dequeued: { readonly by: string | null } | null;
  /** Whether the repository is inactive, so that nobody can queue the pull request. Absent: it is active. */
  readonly isInactive?: boolean;
  /**
   * How many pull requests before this one in line can delay it. The other members of its batch do not count. Null
   * unless queued or tagged.
   */
  readonly ahead: number | null;
  /** Numbers of the pull requests ahead that skip the line. */
  readonly skippers: readonly number[];
  /** Why the pull request has no build yet. Null: it has a build, or only waits for its turn. */
  readonly hold: Hold | null;
  /**
   * The pull requests whose own checks still run and so delay the landing. `own`: this pull request is one of them.
   * `others`: the numbers of the other pull requests that land together with it and whose own checks run.
   */
  readonly ownChecks: { readonly own: boolean; readonly others: readonly number[] } | null;
  /**
   * The final gate that the landing of the pull request waits for. Null: there is none, or the pull request is not
   * first in line.
   */
  readonly finalGate: string | null;
  /** The live batch of the pull request. */
  readonly batch: ExplainedBatch | null;
  /**
   * The pause in force for its base branch. `message` is the text given with the pause. `pattern` is that of the pause
   * rule, or null if the repository itself is paused.
   */
  readonly paused: { readonly message: string | null; readonly pattern: string | null } | null;
  readonly haltedReason: string | null;
  /** Until when the code host accepts no requests. Null or absent: it accepts requests. */
  readonly hostWaitUntil?: number | null;
  /** When Interlock began to make the first copy of the repository. Null or absent: the copy exists. */
  readonly preparingSince?: number | null;
  /**
   * Why the code host may refuse a landing, and what to change, in whole sentences. Null or absent: no reason is known.
   */
  readonly hostWarning?: string | null;
  /** The freeze that stops all landings on its base branch. Null: there is none. */
  readonly frozen: FreezeInForce | null;
  /** When the merge window opens that landings wait for. `Infinity`: never. Null: landings wait for no merge window. */
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
  | 'host_wait'
  | 'landing'
  | 'frozen'
  | 'merge_window'
  | 'final_gate'
  | 'own_checks'
  | 'build_failed'
  | 'building'
  | 'in_line'
  | 'unknown';

export interface Reason {
  readonly kind: ReasonKind;
  /** Null: nobody must act. */
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
      return {
        kind: 'closed',
        who: 'author',
        sentence: 'It is closed: reopen it to merge it. If its head branch was deleted, push the branch again first.',
      };
    case 'open':
      return { kind: 'not_asked', who: pullRequest.isInactive ? 'admin' : 'author', sentence: openText(pullRequest) };
    case 'pending':
      return { kind: 'precondition', who: actorOf(pullRequest), sentence: obstacle ?? 'A precondition is missing.' };
    case 'blocked':
      return { kind: 'blocked', who: actorOf(pullRequest), sentence: obstacle ?? 'It is blocked.' };
    case 'queued':
    case 'tagged':
      return explainPlace(pullRequest);
    default:
      return status satisfies never;
  }
}

const kindsOutsideLine: readonly ReasonKind[] = ['merged', 'closed', 'not_asked', 'blocked', 'precondition'];

/** Whether a pull request with this reason is in line. */
export function isKindInLine(kind: ReasonKind): boolean {
  return kind !== 'unknown' && !kindsOutsideLine.includes(kind);
}

/**
 * The sentence of a row of the line. The reason is read after the line, so the pull request may have left the line in
 * between.
 */
export function rowText(kind: ReasonKind, sentence: string): string {
  return kindsOutsideLine.includes(kind) ? `It left the line while the line was read. ${sentence}` : sentence;
}

function openText({ dequeued, isInactive }: ExplainedPullRequest): string {
  if (isInactive) return 'The repository is inactive: nobody can queue it before an admin activates the repository.';
  if (dequeued === null) return 'Nobody has asked to merge it.';
  return dequeued.by === null ? 'It was dequeued.' : `It was dequeued by ${dequeued.by}.`;
}

function explainPlace(pullRequest: ExplainedPullRequest): Reason {
  const { batch, paused, haltedReason } = pullRequest;
  if (batch?.landingStarted) return explainLanding(haltedReason);
  if (haltedReason !== null) return { kind: 'halted', who: 'admin', sentence: haltedText(haltedReason) };
  if (paused !== null) return { kind: 'paused', who: 'admin', sentence: pausedText(paused) };
  if (pullRequest.preparingSince)
    return { kind: 'host_wait', who: 'queue', sentence: preparingText(pullRequest.preparingSince) };
  if (pullRequest.hostWaitUntil)
    return { kind: 'host_wait', who: 'queue', sentence: hostWaitText(pullRequest.hostWaitUntil) };
  if (batch === null) return { kind: 'in_line', who: 'queue', sentence: waitingText(pullRequest) };
  if (batch.verdict === 'red') return { kind: 'build_failed', who: 'queue', sentence: buildText(batch) };
  if (batch.verdict === 'pending') return { kind: 'building', who: 'ci', sentence: buildText(batch) };
  return explainGreen(pullRequest, batch);
}

function explainLanding(haltedReason: string | null): Reason {
  if (!isLandingHalt(haltedReason, null)) return { kind: 'landing', who: 'queue', sentence: 'It is being merged now.' };
  return { kind: 'halted', who: 'admin', sentence: `Its landing has started and cannot go on: ${haltedReason}` };
}

function explainGreen(pullRequest: ExplainedPullRequest, batch: ExplainedBatch): Reason {
  const { ahead, landingsFrom, ownChecks, finalGate, frozen } = pullRequest;
  const green = greenText(batch);
  if ((ahead ?? 0) > 0) return { kind: 'in_line', who: 'queue', sentence: `${green}; ${beforeText(pullRequest)}.` };
  if (ownChecks !== null) return { kind: 'own_checks', who: 'ci', sentence: `${green}; ${ownChecksText(ownChecks)}` };
  if (frozen !== null) return { kind: 'frozen', who: whoEnds(frozen), sentence: `${green}; ${freezeText(frozen)}` };
  if (landingsFrom !== null)
    return { kind: 'merge_window', who: 'queue', sentence: `${green}; ${windowText(landingsFrom)}` };
  if (finalGate !== null) return { kind: 'final_gate', who: 'ci', sentence: `${green}; ${gateText(finalGate)}` };
  return { kind: 'landing', who: 'queue', sentence: `${green}; it is merged next.` };
}

export function hostWaitText(until: number): string {
  return `The code host has asked to wait until ${timeText(until)}.`;
}

export function preparingText(since: number): string {
  return `Interlock has been copying the repository from its code host since ${timeText(since)}. The first copy of a large repository takes up to half an hour.`;
}

export function haltedText(reason: string): string {
  return `The queue is halted: ${reason}`;
}

export function pausedText({ message }: NonNullable<ExplainedPullRequest['paused']>): string {
  return message === null ? 'The queue is paused.' : `The queue is paused: ${message}`;
}

export function freezeText(frozen: FreezeInForce): string {
  return `its base branch is ${describeFreeze(frozen)}.`;
}

/** Who must end the freeze. A freeze with an end ends by itself. */
export function whoEnds({ until, atLeastUntil }: FreezeInForce): Actor {
  return until === null && atLeastUntil === null ? 'admin' : 'queue';
}

export function windowText(landingsFrom: number): string {
  return Number.isFinite(landingsFrom)
    ? `landings wait for the merge window that opens at ${timeText(landingsFrom)}.`
    : 'landings wait for a merge window, but no window will open.';
}

export function gateText(workflow: string): string {
  return `it is merged as soon as the final gate ${workflow} is passed.`;
}

export function ownChecksText({ own, others }: NonNullable<ExplainedPullRequest['ownChecks']>): string {
  const whose = own
    ? `its own required checks${others.length === 0 ? '' : ` and those of ${numbersText(others)}`}`
    : `the own required checks of ${numbersText(others)}`;
  return `it merges as soon as ${whose} have passed.`;
}

/** Why a pull request in line has no build yet. */
export function waitingText(pullRequest: ExplainedPullRequest): string {
  const { hold } = pullRequest;
  switch (hold?.kind) {
    case undefined:
      return `It waits for a build; ${beforeText(pullRequest)}.`;
    case 'conflict': {
      const what = hold.with.length === 0 ? 'a pull request before it' : `${numbersText(hold.with)} before it`;
      return `It conflicts with ${what}. It is built again when nothing is before it.`;
    }
    case 'barrier':
      return `Nothing is built behind #${hold.number}, which has to merge alone.`;
    case 'company':
      return `It waits until ${timeText(hold.until)} for other pull requests to share its build.`;
    case 'part':
      return 'Its batch failed, and it waits to be built apart from the others.';
    case 'judgement':
      return `It waits until the queue has decided about the failed build of ${numbersText(hold.of)} before it.`;
    case 'contained':
      return `The build of ${numbersText(hold.in)} contains it, and lands it too if the build is green${withoutText(hold.without)}; ${beforeText(pullRequest)}.`;
    case 'room':
      return `It waits until ${hold.builds === 1 ? 'no other build runs' : `fewer than ${hold.builds} builds run`}; ${beforeText(pullRequest)}.`;
    default:
      return hold satisfies never;
  }
}

function withoutText(numbers: readonly number[]): string {
  if (numbers.length === 0) return '';
  return ` and ${numbersText(numbers)} ${numbers.length === 1 ? 'does' : 'do'} not land`;
}

/** A clause, without a capital letter and a full stop. */
export function beforeText({ ahead, skippers }: ExplainedPullRequest): string {
  const count = `${countPullRequests(ahead ?? 0)} before it`;
  if (skippers.length === 0) return count;
  return `${count} (${numbersText(skippers)} ${skippers.length === 1 ? 'skips' : 'skip'} the line)`;
}

export function numbersText(numbers: readonly number[]): string {
  return numbers.map((number) => `#${number}`).join(', ');
}

export function buildText(batch: ExplainedBatch): string {
  const company = otherMembersText(batch);
  switch (batch.verdict) {
    case 'red':
      return batch.mayBePassed
        ? `Its build${company} failed; a later build that still runs may pass it.`
        : `Its build${company} failed; the queue finds out ${batch.otherMembers.length === 0 ? 'whether it' : 'which change'} is at fault.`;
    case 'pending':
      return `Its build${company} is ${batch.hasCommit ? 'running' : 'being made'}${causeTexts[batch.cause]}.`;
    case 'green':
      return `${greenText(batch)}.`;
    default:
      return batch.verdict satisfies never;
  }
}

/** A clause, without a full stop. */
function greenText(batch: ExplainedBatch): string {
  return batch.skipsValidation ? 'Its validation is skipped' : `Its build${otherMembersText(batch)} is green`;
}

const causeTexts = {
  new: '',
  bisect: ': it is a part of a batch that failed',
  retry: ': it is tried once more',
  optimistic: ': later pull requests were green together with a failed one',
  probe: ': it is tried alone',
} as const satisfies Record<ExplainedBatch['cause'], string>;

function otherMembersText({ otherMembers, assumes }: ExplainedBatch): string {
  const company = otherMembers.length === 0 ? '' : ` together with ${numbersText(otherMembers)}`;
  return assumes.length === 0 ? company : `${company} on top of ${numbersText(assumes)}`;
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

function actorOf({ code, actor }: Pick<ExplainedPullRequest, 'code' | 'actor'>): Actor {
  return code === null ? (actor ?? 'ci') : actors[code];
}
