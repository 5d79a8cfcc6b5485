// Lists the facts of the host that the row of a pull request copies.
import { isSameLabel } from '../../../domain/label-names.ts';
import type { LabelWrite } from '../../../domain/queue/requests/labels.ts';
import type { HostPullRequest } from '../../../hosts/port.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';

/** A pull request as read from the host, with the tip of its branch as head. */
export interface SeenPullRequest extends HostPullRequest {
  /** Whether the host's record of the pull request still has an older head than `headSha`. */
  readonly headUnseen: boolean;
  /** Since when the host shows an added label, but not who has added it. Null: there is no such label. */
  readonly labelUnseenSince: Date | null;
}

/**
 * After a push, the branch has the new head before the host's record of the pull request has it. Until the record has
 * the new head, its other facts are about the older head.
 */
export function withTipAsHead(recorded: HostPullRequest): SeenPullRequest {
  const headSha = recorded.headTip ?? recorded.headSha;
  return { ...recorded, headSha, headUnseen: headSha !== recorded.headSha, labelUnseenSince: null };
}

/**
 * Leaves out added labels of which the host does not show yet who has added them, so that a later read finds them as
 * added.
 */
export function withoutUnseen(
  seen: SeenPullRequest,
  { unseen, since }: { readonly unseen: readonly LabelWrite[]; readonly since: Date },
): SeenPullRequest {
  if (unseen.length === 0) return seen;
  const labels = seen.labels.filter((label) => !unseen.some((added) => isSameLabel(added.label, label)));
  return { ...seen, labels, labelUnseenSince: since };
}

export function factsOf(
  seen: SeenPullRequest,
): Pick<
  PullRequestRow,
  | 'number'
  | 'title'
  | 'body'
  | 'author'
  | 'headBranch'
  | 'headFork'
  | 'headUnseen'
  | 'baseBranch'
  | 'baseChangedAt'
  | 'draft'
  | 'labels'
  | 'labelUnseenSince'
  | 'approvals'
  | 'changesRequested'
  | 'unresolvedConversations'
  | 'ownerReviewMissing'
  | 'requiredReviewMissing'
  | 'url'
> {
  return {
    number: seen.number,
    title: seen.title,
    body: seen.body,
    author: seen.author,
    headBranch: seen.headBranch,
    headFork: seen.headFork === null ? null : `${seen.headFork.owner}/${seen.headFork.name}`,
    headUnseen: seen.headUnseen,
    baseBranch: seen.baseBranch,
    baseChangedAt: seen.baseChangedAt === null ? null : new Date(seen.baseChangedAt),
    draft: seen.draft,
    labels: [...seen.labels],
    labelUnseenSince: seen.labelUnseenSince,
    approvals: seen.approvals,
    changesRequested: seen.changesRequested,
    unresolvedConversations: seen.unresolvedConversations,
    ownerReviewMissing: seen.ownerReviewMissing,
    requiredReviewMissing: seen.requiredReviewMissing,
    url: seen.url,
  };
}

export function hasFacts(row: PullRequestRow, seen: SeenPullRequest): boolean {
  const facts = factsOf(seen);
  return (Object.keys(facts) as (keyof typeof facts)[]).every(
    (key) => JSON.stringify(row[key] ?? null) === JSON.stringify(facts[key]),
  );
}

/**
 * Whether the pull request was reopened since the last read. It may have been closed since that read too, and then the
 * row never said so. Both times are the host's, so a clock of Interlock decides nothing.
 */
export function isReopened(row: PullRequestRow, seen: HostPullRequest): boolean {
  if (seen.state !== 'open' || row.status === 'merged') return false;
  return row.status === 'closed' || seen.lastOpenedAt > row.lastOpenedAt.getTime();
}

/** What lists of pull requests show of the row, besides its status. */
export function shownFacts({ title, headSha, baseBranch, draft }: PullRequestRow): string {
  return JSON.stringify([title, headSha, baseBranch, draft]);
}

/** Whether the status in the row agrees with the state at the host. */
export function hasHostState(row: PullRequestRow, seen: HostPullRequest): boolean {
  switch (seen.state) {
    case 'open':
      return !isReopened(row, seen);
    case 'closed':
      return row.status === 'closed' || row.status === 'merged';
    case 'merged':
      return row.status === 'merged';
    default:
      return seen.state satisfies never;
  }
}
