// Turns GitHub's GraphQL answer about a pull request into a pull request of the port. Pure.
import { isSameLabel } from '../../domain/label-names.ts';
import type { HostPullRequest, LabelChange } from '../port.ts';
import { plainLine, plainText } from '../../domain/plain-text.ts';

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
    /** The rules of rulesets. `parameters` is null or lacks the count if the rule is not about reviews. */
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
  /** The last time at which it was reopened. */
  readonly timelineItems: { readonly nodes: readonly { readonly createdAt: string }[] };
  /** The last change of its base branch. */
  readonly baseChanges: { readonly nodes: readonly { readonly createdAt: string }[] };
}

/** The handle that GitHub shows for a deleted account. */
export const ghost = 'ghost';

export interface BesideAnswer {
  /** The tips of the repository's branches in git, by full ref name. */
  readonly tips: ReadonlyMap<string, string>;
  /** Handles and email addresses of further authors of the head branch. */
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
    // The repository of a fork may be deleted. The pull request still comes from a fork.
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
    lastOpenedAt: Date.parse(seen.timelineItems.nodes.at(-1)?.createdAt ?? seen.createdAt),
    baseChangedAt: seen.baseChanges.nodes.map(({ createdAt }) => Date.parse(createdAt)).at(-1) ?? null,
    mergedAt: seen.mergedAt === null ? null : Date.parse(seen.mergedAt),
    mergeCommitSha: seen.state === 'MERGED' ? (seen.mergeCommit?.oid ?? null) : null,
    url: seen.url,
  };
}

/**
 * Whether a required review is missing. `reviewDecision` sometimes ignores rulesets: it may be APPROVED although a
 * ruleset requires more approvals. So the rules are read too.
 */
function isRequiredReviewMissing({ baseRef, reviewDecision }: PullRequestAnswer, approvals: number): boolean {
  const byRulesets = (baseRef?.rules?.nodes ?? []).map(
    ({ parameters }) => parameters?.requiredApprovingReviewCount ?? 0,
  );
  const classic = baseRef?.refUpdateRule?.requiredApprovingReviewCount ?? 0;
  return reviewDecision === 'REVIEW_REQUIRED' || approvals < Math.max(classic, ...byRulesets);
}

/**
 * Whether the review of a code owner is missing. GitHub does not say this directly. The review is missing if code owners
 * are required, enough people have approved, and GitHub still requires a review.
 */
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

/** The newest change of the label. `events` has the oldest event first. Null: there is no change. */
export function newestLabelChange(events: readonly LabelEvent[], label: string, bot: string): LabelChange | null {
  const event = events.findLast((each) => isSameLabel(each.label.name, label));
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

/** The handle in the form of REST. GraphQL leaves out the suffix `[bot]`. */
function handleOf(actor: { readonly __typename: string; readonly login: string } | null): string {
  if (actor === null) return ghost;
  return actor.__typename === 'Bot' ? `${actor.login}[bot]` : actor.login;
}

/** Whether the actor is the App's bot. GraphQL calls the bot `interlock`, and REST calls it `interlock[bot]`. */
export function isBot(actor: { readonly __typename?: string; readonly login: string }, bot: string): boolean {
  return actor.login === bot || (actor.__typename === 'Bot' && `${actor.login}[bot]` === bot);
}
