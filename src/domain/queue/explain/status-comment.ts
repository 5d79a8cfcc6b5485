// Makes the texts that the service writes about a pull request at its host: one comment, which is edited, and one check
// on the head. For a pull request that is not in line, the text is that of `explain`. The text about a pull request in
// line leaves out its place and running checks, so that it stays true until the next edit. Otherwise every landing in a
// queue of a thousand pull requests would edit a thousand comments.
import { timeText } from '../../calendar/time.text.ts';
import type { Actor } from '../requests/admission.ts';
import { describeFreezeForAll } from '../../releases/freeze.ts';
import { explain, haltedText, numbersText, pausedText, type ExplainedPullRequest, type Reason } from './explain.ts';
import type { BlockCode, PullRequestStatus, ResetCode } from '../model/snapshot.ts';
import { isQueued, statusText } from '../model/status.ts';

export const statusCommentKey = 'status';
export const statusCheckName = 'interlock';

export type QueueMethod = 'label' | 'slash_command' | 'api';

/** The ways to queue that `blocked_queue_sources` does not block. */
export function openQueueMethods(blocked: readonly string[]): QueueMethod[] {
  const isOpen = {
    label: !blocked.includes('label'),
    slash_command: !blocked.includes('slash_command'),
    api: !blocked.includes('graphql_api') || !blocked.includes('rest_api'),
  } as const satisfies Record<QueueMethod, boolean>;
  return (['label', 'slash_command', 'api'] as const).filter((way) => isOpen[way]);
}

/**
 * The sentence of `explain` about why nothing lands in a queue, without email addresses. Null: neither a halt, a pause
 * nor a freeze stops landings.
 */
export function holdSentence({
  haltedReason,
  paused,
  frozen,
}: Pick<ExplainedPullRequest, 'haltedReason' | 'paused' | 'frozen'>): string | null {
  if (haltedReason !== null) return haltedText(haltedReason);
  if (paused !== null) return pausedText(paused);
  return frozen === null ? null : `Its base branch is ${describeFreezeForAll(frozen)}.`;
}

/** The facts about a pull request that its status comment uses. */
export interface StatusFacts {
  readonly status: PullRequestStatus;
  readonly code: BlockCode | null;
  readonly text: string | null;
  /** Who acts next if the obstacle has no code. Null or absent: CI. */
  readonly actor?: ExplainedPullRequest['actor'];
  /** Whether a user took the pull request out of the line, and nobody has queued it since. */
  readonly isDequeued: boolean;
  readonly baseBranch: string;
  /** The label that queues a pull request. */
  readonly trigger: string;
  /** The ways to queue that the configuration allows. */
  readonly ways: readonly QueueMethod[];
  /** The failed checks that blocked the pull request. */
  readonly failedChecks: readonly { readonly name: string; readonly url: string | null }[];
  /** Null unless queued or tagged. */
  readonly line: {
    /** When the pull request entered the line, in milliseconds since the epoch. */
    readonly since: number;
    readonly skipsLine: boolean;
    /** Whether the pull request was announced as first in line, or as stuck, since it was queued. */
    readonly isTop: boolean;
    readonly isStuck: boolean;
    /**
     * Why nothing lands now. Set for pull requests that are validated or first in line, and for all of a halted queue.
     * Null: nothing stops landings.
     */
    readonly hold: string | null;
    /** The live batch of the pull request. Null: there is none. */
    readonly batch: {
      readonly otherMembers: readonly number[];
      /** Whether the batch lands without evidence, as requested. */
      readonly skipsValidation: boolean;
      readonly botPullRequest: { readonly number: number; readonly url: string } | null;
    } | null;
    /** Why the last batch of the pull request ended. Null: the pull request has a live batch, or has had none. */
    readonly reset: { readonly code: ResetCode; readonly causedBy: number | null } | null;
  } | null;
  /** Null unless merged. `grade` is how the landing was justified; `isEmpty`: the landing changed nothing. */
  readonly landed: {
    readonly commit: string;
    readonly grade: string;
    readonly isEmpty: boolean;
    readonly otherMembers: readonly number[];
  } | null;
}

/** Markdown from the configuration that is added to the texts. */
export interface Messages {
  readonly open: string;
  readonly queued: string;
  readonly blocked: string;
}

export type Publication = 'always' | 'ready' | 'queued' | 'never';

/** Whether the configuration switches status comments on. */
export function wantsComment(rules: {
  readonly enable_comments: boolean;
  readonly status_comment: { readonly publish: Publication };
}): boolean {
  return rules.enable_comments && rules.status_comment.publish !== 'never';
}

/** The last text of a status comment after the configuration turned status comments off. */
export const endedComment =
  '**No longer updated**\n\nThe configuration of this repository asks for no status comment. `explain` says why the pull request is not merged yet.';

/** Converts the boolean form of the setting: true means `ready`. */
export function publicationOf(setting: Publication | boolean): Publication {
  if (typeof setting === 'string') return setting;
  return setting ? 'ready' : 'never';
}

/**
 * Whether the comment or check is published. A published comment or check stays. `ready`: the preconditions hold,
 * whether or not the pull request was queued. A block is always published, because the person who queued the pull
 * request would wait in vain.
 */
export function isPublished(
  publication: Publication,
  {
    status,
    mergedByQueue,
    isReady,
  }: { readonly status: PullRequestStatus; readonly mergedByQueue: boolean; readonly isReady: boolean },
): boolean {
  if (publication === 'never' || status === 'closed') return false;
  if (publication === 'always' || status === 'blocked' || isQueued(status)) return true;
  if (status === 'merged') return mergedByQueue;
  return publication === 'ready' && isReady;
}

export function statusComment(facts: StatusFacts, messages: Messages): string {
  const message = messageFor(facts.status, messages).trim();
  return [...paragraphs(facts), ...(message === '' ? [] : [message])].join('\n\n');
}

export interface StatusCheck {
  readonly state: 'pending' | 'success' | 'failure';
  readonly title: string;
  /** Markdown. */
  readonly summary: string;
  readonly url: string | null;
}

export function statusCheck(facts: StatusFacts): StatusCheck {
  return {
    state: facts.status === 'merged' ? 'success' : facts.status === 'blocked' ? 'failure' : 'pending',
    title: titleOf(facts),
    summary: paragraphs(facts).slice(1).join('\n\n'),
    url: facts.line?.batch?.botPullRequest?.url ?? null,
  };
}

function messageFor(status: PullRequestStatus, messages: Messages): string {
  if (status === 'open' || status === 'pending') return messages.open;
  if (isQueued(status)) return messages.queued;
  return status === 'blocked' ? messages.blocked : '';
}

const titles = {
  open: 'Not queued',
  pending: 'Waits to be queued',
  queued: 'Queued',
  tagged: 'Queued',
  blocked: 'Blocked',
  merged: 'Merged',
  closed: 'Closed',
} as const satisfies Record<PullRequestStatus, string>;

function titleOf({ status, code }: StatusFacts): string {
  return code === null || (status !== 'blocked' && status !== 'pending')
    ? titles[status]
    : `${titles[status]} (${code})`;
}

function paragraphs(facts: StatusFacts): string[] {
  return [`**${titleOf(facts)}**`, ...sentences(facts)];
}

function sentences(facts: StatusFacts): string[] {
  switch (facts.status) {
    case 'open':
      return [[explained(facts).sentence, ...adviceOf(facts)].join(' ')];
    case 'pending':
      return [
        `${explained(facts).sentence} ${actorSentence(explained(facts).who)}It is queued automatically as soon as nothing is missing.`,
      ];
    case 'blocked':
      return [
        `${explained(facts).sentence} ${actorSentence(explained(facts).who)}Queue it again once that is settled.`,
        ...linkedChecks(facts.failedChecks),
      ];
    case 'closed':
      return [explained(facts).sentence];
    case 'queued':
    case 'tagged':
      return lineSentences(facts);
    case 'merged':
      return [mergedSentence(facts)];
    default:
      return facts.status satisfies never;
  }
}

function adviceOf({ ways, trigger }: StatusFacts): string[] {
  const label = `The label \`${trigger}\` queues it`;
  if (ways.includes('label'))
    return [ways.includes('slash_command') ? `${label}, and so does the comment \`/interlock queue\`.` : `${label}.`];
  if (ways.includes('slash_command')) return ['The comment `/interlock queue` queues it.'];
  return ways.includes('api') ? ['Queue it by GraphQL or REST: this repository accepts no labels or comments.'] : [];
}

const outOfLine = {
  ahead: null,
  skippers: [],
  hold: null,
  ownChecks: null,
  finalGate: null,
  batch: null,
  paused: null,
  haltedReason: null,
  frozen: null,
  landingsFrom: null,
} as const;

/** The name of a user is omitted, because it is an email address and must not appear in a comment. */
function explained({ status, code, text, actor = null, isDequeued }: StatusFacts): Reason {
  return explain({ ...outOfLine, status, code, text, actor, dequeued: isDequeued ? { by: null } : null });
}

function lineSentences({ line, baseBranch }: StatusFacts): string[] {
  if (line === null) return [`It is in line to merge into \`${baseBranch}\`.`];
  const skips = line.skipsLine ? ', ahead of all that do not skip the line' : '';
  const entered = `It is in line to merge into \`${baseBranch}\` since ${timeText(line.since)}${skips}.`;
  const hold = line.hold === null ? [] : [line.hold];
  return [
    [entered, ...resetSentence(line.reset), ...buildSentence(line.batch), ...topSentence(line), ...hold].join(' '),
  ];
}

type Line = NonNullable<StatusFacts['line']>;

function resetSentence(reset: Line['reset']): string[] {
  if (reset === null) return [];
  const cause = reset.causedBy === null ? '' : ` by #${reset.causedBy}`;
  return [`It was put back in its place${cause} (${reset.code}): ${lowered(statusText(reset.code))}`];
}

function buildSentence(batch: Line['batch']): string[] {
  if (batch === null) return [];
  if (batch.skipsValidation) return [`Its validation is skipped${together(batch.otherMembers)}.`];
  const where =
    batch.botPullRequest === null
      ? ''
      : ` in bot pull request [#${batch.botPullRequest.number}](${batch.botPullRequest.url})`;
  return [`It is validated${together(batch.otherMembers)}${where}.`];
}

function topSentence({ isTop, isStuck }: Line): string[] {
  if (isStuck) return ['It is stuck: its build is green, and its own required checks are still running.'];
  // The text says nothing else about the place, because the place may change without an edit of the comment.
  if (isTop) return ['It is first in line.'];
  return [];
}

function mergedSentence({ landed, baseBranch }: StatusFacts): string {
  if (landed === null || landed.grade === 'external') {
    const as = landed === null ? '' : ` as ${landed.commit}`;
    return `It was merged into \`${baseBranch}\`${as}, outside of the queue.`;
  }
  const tested =
    landed.grade === 'unvalidated'
      ? 'It was not validated, as requested.'
      : `Its tree was verified against what was tested (${landed.grade}).`;
  const changed = landed.isEmpty ? ' It changed nothing: the base branch already had its changes.' : '';
  return `It was merged into \`${baseBranch}\` as ${landed.commit}${together(landed.otherMembers)}. ${tested}${changed}`;
}

function together(otherMembers: readonly number[]): string {
  return otherMembers.length === 0 ? '' : ` together with ${numbersText(otherMembers)}`;
}

function linkedChecks(checks: StatusFacts['failedChecks']): string[] {
  const linked = checks.flatMap(({ name, url }) => (url === null ? [] : [`- [${escaped(name)}](${url})`]));
  return linked.length === 0 ? [] : [linked.join('\n')];
}

const actorSentences = {
  author: 'Its author must act. ',
  reviewer: 'A reviewer must act. ',
  ci: '',
  queue: '',
  admin: 'An admin must act. ',
} as const satisfies Record<Actor, string>;

function actorSentence(who: Actor | null): string {
  return who === null ? '' : actorSentences[who];
}

function escaped(name: string): string {
  return name.replaceAll(/[\\[\]`*_<>]/g, '\\$&');
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
