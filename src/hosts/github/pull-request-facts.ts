// A pull request as GitHub's GraphQL answers it, read as the port's: pure.
import type { HostPullRequest, LabelChange } from '../port.ts';
import { plainLine, plainText } from './plain-text.ts';

export interface PullRequestAnswer {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly url: string;
  readonly state: 'OPEN' | 'CLOSED' | 'MERGED';
  readonly isDraft: boolean;
  readonly createdAt: string;
  readonly mergedAt: string | null;
  readonly author: { readonly __typename: string; readonly login: string } | null;
  readonly headRefName: string;
  readonly headRefOid: string;
  readonly isCrossRepository: boolean;
  readonly headRepository: { readonly name: string; readonly owner: { readonly login: string } } | null;
  readonly baseRefName: string;
  readonly baseRef: {
    readonly refUpdateRule: {
      readonly requiresCodeOwnerReviews: boolean;
      readonly requiredApprovingReviewCount: number | null;
    } | null;
    /** Of rulesets. `parameters` is null, or without the count, for a rule that is not about reviews. */
    readonly rules: {
      readonly nodes: readonly { readonly parameters: { readonly requiredApprovingReviewCount?: number } | null }[];
    } | null;
  } | null;
  readonly mergeCommit: { readonly oid: string } | null;
  readonly labels: { readonly nodes: readonly { readonly name: string }[] } | null;
  readonly reviewDecision: 'APPROVED' | 'CHANGES_REQUESTED' | 'REVIEW_REQUIRED' | null;
  readonly latestOpinionatedReviews: {
    readonly nodes: readonly { readonly state: string; readonly author: { readonly login: string } | null }[];
  } | null;
  readonly reviewThreads: { readonly nodes: readonly { readonly isResolved: boolean }[] };
}

/** GitHub shows a deleted account as this one. */
export const ghost = 'ghost';

export interface BesideAnswer {
  /** Tips of this repository's branches, as git has them. */
  readonly tips: ReadonlyMap<string, string>;
  /** Handles and addresses of people whose work the head branch is. */
  readonly authors: ReadonlySet<string>;
}

export function asHostPullRequest(seen: PullRequestAnswer, { tips, authors }: BesideAnswer): HostPullRequest {
  const author = handleOf(seen.author);
  const reviews = (seen.latestOpinionatedReviews?.nodes ?? []).filter(
    (review) => review.author !== null && review.author.login !== author && !authors.has(review.author.login),
  );
  const approvals = reviews.filter(({ state }) => state === 'APPROVED').length;
  const state = seen.state === 'MERGED' ? 'merged' : seen.state === 'CLOSED' ? 'closed' : 'open';
  const fork = seen.headRepository ?? { name: '', owner: { login: ghost } };
  return {
    number: seen.number,
    title: plainLine(seen.title),
    body: plainText(seen.body),
    author,
    headBranch: seen.headRefName,
    // The repository of a fork may be gone: it is a fork still.
    headFork: seen.isCrossRepository ? { owner: fork.owner.login, name: fork.name } : null,
    baseBranch: seen.baseRefName,
    headSha: seen.headRefOid,
    headTip: state === 'open' && !seen.isCrossRepository ? (tips.get(`refs/heads/${seen.headRefName}`) ?? null) : null,
    baseTip: state === 'open' ? (tips.get(`refs/heads/${seen.baseRefName}`) ?? null) : null,
    state,
    draft: seen.isDraft,
    labels: (seen.labels?.nodes ?? []).map(({ name }) => name),
    approvals,
    changesRequested: reviews.some(({ state: verdict }) => verdict === 'CHANGES_REQUESTED'),
    unresolvedConversations: seen.reviewThreads.nodes.filter(({ isResolved }) => !isResolved).length,
    ownerReviewMissing: isOwnerReviewMissing(seen, approvals),
    requiredReviewMissing: state === 'open' && isRequiredReviewMissing(seen, approvals),
    createdAt: Date.parse(seen.createdAt),
    mergedAt: seen.mergedAt === null ? null : Date.parse(seen.mergedAt),
    mergeCommitSha: seen.state === 'MERGED' ? (seen.mergeCommit?.oid ?? null) : null,
    url: seen.url,
  };
}

/** `reviewDecision` leaves rulesets out at times, and may be APPROVED although a ruleset demands more. */
function isRequiredReviewMissing({ baseRef, reviewDecision }: PullRequestAnswer, approvals: number): boolean {
  const byRulesets = (baseRef?.rules?.nodes ?? []).map(
    ({ parameters }) => parameters?.requiredApprovingReviewCount ?? 0,
  );
  const classic = baseRef?.refUpdateRule?.requiredApprovingReviewCount ?? 0;
  return reviewDecision === 'REVIEW_REQUIRED' || approvals < Math.max(classic, ...byRulesets);
}

/** GitHub does not say which review is missing: enough have approved, owners are demanded, and it still wants one. */
function isOwnerReviewMissing({ baseRef, reviewDecision }: PullRequestAnswer, approvals: number): boolean {
  const rule = baseRef?.refUpdateRule ?? null;
  if (rule === null || !rule.requiresCodeOwnerReviews || reviewDecision !== 'REVIEW_REQUIRED') return false;
  return approvals >= Math.max(1, rule.requiredApprovingReviewCount ?? 1);
}

export interface LabelEvent {
  readonly __typename: 'LabeledEvent' | 'UnlabeledEvent';
  readonly createdAt: string;
  readonly label: { readonly name: string };
  readonly actor: { readonly __typename: string; readonly login: string; readonly databaseId?: number | null } | null;
}

/** The newest event of the label. `events`: the oldest first. */
export function newestLabelChange(events: readonly LabelEvent[], label: string, bot: string): LabelChange | null {
  // GitHub's names of labels differ by more than their case, but are found by any.
  const event = events.findLast((each) => each.label.name.toLowerCase() === label.toLowerCase());
  if (event === undefined) return null;
  const byQueue = event.actor !== null && isBot(event.actor, bot);
  return {
    present: event.__typename === 'LabeledEvent',
    byQueue,
    by: byQueue || event.actor === null ? null : handleOf(event.actor),
    byId: byQueue ? null : (event.actor?.databaseId?.toString() ?? null),
    at: Date.parse(event.createdAt),
  };
}

/** The handle as REST names it: GraphQL leaves out the ending `[bot]`. */
function handleOf(actor: { readonly __typename: string; readonly login: string } | null): string {
  if (actor === null) return ghost;
  return actor.__typename === 'Bot' ? `${actor.login}[bot]` : actor.login;
}

/** GraphQL names the bot of the App `interlock`, REST `interlock[bot]`. */
export function isBot(actor: { readonly __typename?: string; readonly login: string }, bot: string): boolean {
  return actor.login === bot || (actor.__typename === 'Bot' && `${actor.login}[bot]` === bot);
}
