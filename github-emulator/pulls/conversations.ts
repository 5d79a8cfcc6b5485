// Changes of people and Apps to a pull request, besides commits: labels, comments, reviews and requested reviewers.
import type { Core } from '../core.ts';
import { unprocessable } from '../http/errors.ts';
import type {
  Account,
  IssueComment,
  Label,
  PullRequest,
  Repository,
  Review,
  ReviewComment,
  ReviewThread,
} from '../model/types.ts';
import { renderAccount } from '../render/accounts.ts';
import { renderLabel } from '../render/pulls.ts';
import { isAbout, note } from './timeline.ts';

export interface Conversation {
  readonly repository: Repository;
  readonly pull: PullRequest;
  readonly sender: Account;
}

/** The greatest lengths of texts, in characters. */
const longest = { title: 256, body: 65_536 } as const;

export function findLabel(core: Core, repository: Repository, name: string): Label | undefined {
  const wanted = name.toLowerCase();
  return core.state.labels.find((each) => each.repositoryId === repository.id && each.name.toLowerCase() === wanted);
}

/** Adds labels. A label that does not exist is created, as at GitHub for people with write permission. */
export function addLabels(core: Core, { repository, pull, sender }: Conversation, names: readonly string[]): void {
  for (const name of names) {
    const label =
      findLabel(core, repository, name) ??
      core.state.labels.insert({ repositoryId: repository.id, name, color: 'ededed', description: null });
    if (pull.labelIds.includes(label.id)) continue;
    pull.labelIds.push(label.id);
    pull.updatedAt = core.now();
    emitLabel(core, { repository, pull, sender }, { label, event: 'labeled' });
  }
}

export function removeLabel(core: Core, conversation: Conversation, label: Label): void {
  const { pull } = conversation;
  pull.labelIds = pull.labelIds.filter((id) => id !== label.id);
  pull.updatedAt = core.now();
  emitLabel(core, conversation, { label, event: 'unlabeled' });
}

function emitLabel(
  core: Core,
  { repository, pull, sender }: Conversation,
  { label, event }: { readonly label: Label; readonly event: 'labeled' | 'unlabeled' },
): void {
  const shown = { name: label.name, color: label.color };
  note(core, pull, { event, actorId: sender.id, label: shown });
  const details = { label: renderLabel(core, repository, label) };
  core.emit({ name: 'pull_request', action: event, repository, pull, sender, details });
}

export function addComment(
  core: Core,
  conversation: Conversation,
  given: { body: string; appId: number | null },
): IssueComment {
  const { repository, pull, sender } = conversation;
  checkBody(given.body, 'IssueComment');
  const at = core.now();
  const comment = core.state.comments.insert({
    repositoryId: repository.id,
    number: pull.number,
    authorId: sender.id,
    ...given,
    createdAt: at,
    updatedAt: at,
  });
  pull.updatedAt = at;
  core.emit({ name: 'issue_comment', action: 'created', repository, pull, comment, sender });
  return comment;
}

export function editComment(
  core: Core,
  conversation: Conversation,
  { comment, body }: { readonly comment: IssueComment; readonly body: string },
): void {
  checkBody(body, 'IssueComment');
  const from = comment.body;
  Object.assign(comment, { body, updatedAt: core.now(), editorId: conversation.sender.id });
  core.emit({
    name: 'issue_comment',
    action: 'edited',
    ...conversation,
    comment,
    details: { changes: { body: { from } } },
  });
}

export function deleteComment(core: Core, conversation: Conversation, comment: IssueComment): void {
  core.state.comments.remove(comment.id);
  core.emit({ name: 'issue_comment', action: 'deleted', ...conversation, comment });
}

export interface NewReview {
  readonly state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'PENDING';
  readonly body: string;
  readonly commitId?: string;
  readonly comments?: readonly NewThread[];
}

export interface NewThread {
  readonly path: string;
  readonly body: string;
  readonly line: number | null;
  readonly side: 'LEFT' | 'RIGHT';
}

export function submitReview(core: Core, conversation: Conversation, given: NewReview): Review {
  const { repository, pull, sender } = conversation;
  const isOwn = sender.id === pull.authorId;
  if (isOwn && given.state === 'APPROVED') throw unprocessable('Can not approve your own pull request');
  if (isOwn && given.state === 'CHANGES_REQUESTED')
    throw unprocessable('Can not request changes on your own pull request');
  const at = core.now();
  const review = core.state.reviews.insert({
    repositoryId: repository.id,
    number: pull.number,
    authorId: sender.id,
    body: given.body,
    state: given.state,
    commitId: given.commitId ?? pull.head.sha,
    submittedAt: given.state === 'PENDING' ? null : at,
    createdAt: at,
    updatedAt: at,
  });
  for (const each of given.comments ?? []) openThread(core, conversation, { review, given: each });
  pull.requestedReviewerIds = pull.requestedReviewerIds.filter((id) => id !== sender.id);
  pull.updatedAt = at;
  if (given.state !== 'PENDING')
    core.emit({ name: 'pull_request_review', action: 'submitted', repository, pull, review, sender });
  return review;
}

export function dismissReview(core: Core, { repository, pull, sender }: Conversation, review: Review): void {
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED')
    throw unprocessable('Can not dismiss a review in this state');
  Object.assign(review, { state: 'DISMISSED', updatedAt: core.now() });
  note(core, pull, { event: 'review_dismissed', actorId: sender.id, subjectId: review.id });
  core.emit({ name: 'pull_request_review', action: 'dismissed', repository, pull, review, sender });
}

export function openThread(
  core: Core,
  conversation: Conversation,
  { review, given }: { readonly review: Review; readonly given: NewThread },
): ReviewComment {
  const { repository, pull } = conversation;
  const thread = core.state.reviewThreads.insert({
    repositoryId: repository.id,
    number: pull.number,
    path: given.path,
    line: given.line,
    side: given.side,
    commitId: review.commitId,
    isOutdated: false,
    resolvedById: null,
  });
  return replyToThread(core, conversation, { thread, review, body: given.body });
}

export function replyToThread(
  core: Core,
  { pull, sender }: Conversation,
  { thread, review, body }: { thread: ReviewThread; review: Review; body: string },
): ReviewComment {
  checkBody(body, 'PullRequestReviewComment');
  const first = core.state.reviewComments.find((each) => each.threadId === thread.id);
  const at = core.now();
  pull.updatedAt = at;
  return core.state.reviewComments.insert({
    repositoryId: pull.repositoryId,
    number: pull.number,
    threadId: thread.id,
    reviewId: review.id,
    authorId: sender.id,
    inReplyToId: first?.id ?? null,
    diffHunk: '@@ -1 +1 @@',
    body,
    createdAt: at,
    updatedAt: at,
  });
}

export function setThreadResolved(
  core: Core,
  conversation: Conversation,
  { thread, isResolved }: { readonly thread: ReviewThread; readonly isResolved: boolean },
): void {
  if ((thread.resolvedById !== null) === isResolved) return;
  thread.resolvedById = isResolved ? conversation.sender.id : null;
  conversation.pull.updatedAt = core.now();
  const action = isResolved ? 'resolved' : 'unresolved';
  core.emit({ name: 'pull_request_review_thread', action, ...conversation, thread });
}

export function requestReviewers(
  core: Core,
  { repository, pull, sender }: Conversation,
  people: readonly Account[],
): void {
  for (const person of people) {
    if (person.id === pull.authorId) throw unprocessable('Review cannot be requested from pull request author.');
    if (pull.requestedReviewerIds.includes(person.id)) continue;
    pull.requestedReviewerIds.push(person.id);
    note(core, pull, { event: 'review_requested', actorId: sender.id, subjectId: person.id });
    const details = { requested_reviewer: renderAccount(core, person) };
    core.emit({ name: 'pull_request', action: 'review_requested', repository, pull, sender, details });
  }
}

export function threadsOf(core: Core, pull: PullRequest): ReviewThread[] {
  return core.state.reviewThreads.filter(isAbout(pull));
}

function checkBody(body: string, resource: string): void {
  if (body.trim() === '') throw unprocessable({ resource, field: 'body', code: 'missing_field' });
  checkLength(body, { resource, field: 'body' });
}

export function checkLength(
  text: string | null | undefined,
  { resource, field }: { readonly resource: string; readonly field: keyof typeof longest },
): void {
  if ((text?.length ?? 0) <= longest[field]) return;
  const message = `${field} is too long (maximum is ${longest[field]} characters)`;
  throw unprocessable({ resource, field, code: 'custom', message });
}
