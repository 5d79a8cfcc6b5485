// Pull requests as GitHub answers them, and as the host `github` returns them.
import { expect, test } from 'vitest';
import {
  asHostPullRequest,
  type BesideAnswer,
  isBot,
  type LabelEvent,
  newestLabelChange,
  type PullRequestAnswer,
} from '../../../src/hosts/github/pull-request-facts.ts';
import type { HostPullRequest } from '../../../src/hosts/port.ts';

const [head, merged] = ['a'.repeat(40), 'b'.repeat(40)];
const answered: PullRequestAnswer = {
  number: 5,
  title: 'Add',
  body: 'Why',
  url: 'https://github.com/acme/shop/pull/5',
  state: 'OPEN',
  isDraft: false,
  createdAt: '2026-11-02T10:00:00Z',
  mergedAt: null,
  author: { __typename: 'User', login: 'ann' },
  headRefName: 'topic',
  headRefOid: head,
  isCrossRepository: false,
  headRepository: { name: 'shop', owner: { login: 'acme' } },
  baseRefName: 'main',
  baseRef: { refUpdateRule: null, rules: { nodes: [] } },
  mergeCommit: null,
  labels: { nodes: [{ name: 'mergequeue' }] },
  reviewDecision: null,
  latestOpinionatedReviews: { nodes: [] },
  reviewThreads: { nodes: [] },
  timelineItems: { nodes: [] },
  baseChanges: { nodes: [] },
};
const beside: BesideAnswer = { tips: new Map([['refs/heads/topic', head]]), authors: new Set() };

function reviews(...given: readonly (readonly [string | null, string])[]): Partial<PullRequestAnswer> {
  return {
    latestOpinionatedReviews: {
      nodes: given.map(([login, state]) => ({ state, author: login === null ? null : { login } })),
    },
  };
}

function owned(requiredApprovingReviewCount: number | null): Partial<PullRequestAnswer> {
  return {
    baseRef: { refUpdateRule: { requiresCodeOwnerReviews: true, requiredApprovingReviewCount }, rules: null },
    reviewDecision: 'REVIEW_REQUIRED',
  };
}

/** Rulesets that each require so many approvals. Null: another rule. */
function demanded(...counts: readonly (number | null)[]): Partial<PullRequestAnswer> {
  const nodes = counts.map((count) => ({
    parameters: count === null ? null : { requiredApprovingReviewCount: count },
  }));
  return { baseRef: { refUpdateRule: null, rules: { nodes } } };
}

interface Case {
  readonly name: string;
  readonly given: Partial<PullRequestAnswer>;
  readonly beside?: Partial<BesideAnswer>;
  readonly read: Partial<HostPullRequest>;
}

const cases: readonly Case[] = [
  {
    name: 'an open pull request',
    given: {},
    read: {
      number: 5,
      author: 'ann',
      headBranch: 'topic',
      headFork: null,
      headSha: head,
      headTip: head,
      baseTip: null,
      state: 'open',
      labels: ['mergequeue'],
      approvals: 0,
      createdAt: Date.parse('2026-11-02T10:00:00Z'),
      lastOpenedAt: Date.parse('2026-11-02T10:00:00Z'),
      baseChangedAt: null,
      mergedAt: null,
      mergeCommitSha: null,
    },
  },
  {
    name: 'a pull request that was reopened',
    given: { timelineItems: { nodes: [{ createdAt: '2026-11-02T10:30:00Z' }] } },
    read: { createdAt: Date.parse('2026-11-02T10:00:00Z'), lastOpenedAt: Date.parse('2026-11-02T10:30:00Z') },
  },
  {
    name: 'a pull request whose base branch changed',
    given: { baseChanges: { nodes: [{ createdAt: '2026-11-02T10:30:00Z' }] } },
    read: { baseChangedAt: Date.parse('2026-11-02T10:30:00Z') },
  },
  { name: 'a deleted account', given: { author: null }, read: { author: 'ghost' } },
  {
    name: 'a branch that is newer than the head of the pull request',
    given: {},
    beside: { tips: new Map([['refs/heads/topic', merged]]) },
    read: { headSha: head, headTip: merged },
  },
  {
    name: 'the tip of the base branch, which the answer about the pull request lacks',
    given: {},
    beside: { tips: new Map([['refs/heads/main', merged]]) },
    read: { baseTip: merged },
  },
  { name: 'a branch that is gone', given: {}, beside: { tips: new Map() }, read: { headTip: null } },
  {
    name: 'a fork whose branch has the name of a branch of this repository',
    given: { isCrossRepository: true, headRepository: { name: 'their-shop', owner: { login: 'bob' } } },
    read: { headFork: { owner: 'bob', name: 'their-shop' }, headTip: null },
  },
  {
    name: 'a fork that was deleted',
    given: { isCrossRepository: true, headRepository: null },
    read: { headFork: { owner: 'ghost', name: '' }, headTip: null },
  },
  {
    name: 'a merged pull request',
    given: { state: 'MERGED', mergedAt: '2026-11-02T11:00:00Z', mergeCommit: { oid: merged } },
    read: { state: 'merged', mergedAt: Date.parse('2026-11-02T11:00:00Z'), mergeCommitSha: merged, headTip: null },
  },
  {
    name: 'a closed pull request, whose merge commit is only a trial',
    given: { state: 'CLOSED', mergeCommit: { oid: merged } },
    read: { state: 'closed', mergeCommitSha: null, headTip: null },
  },
  {
    name: 'approvals, without those of its authors and of deleted accounts',
    given: reviews(['ann', 'APPROVED'], ['bob', 'APPROVED'], ['cid', 'APPROVED'], [null, 'APPROVED']),
    beside: { authors: new Set(['cid']) },
    read: { approvals: 1, changesRequested: false },
  },
  {
    name: 'changes that are requested',
    given: reviews(['bob', 'APPROVED'], ['dan', 'CHANGES_REQUESTED']),
    read: { approvals: 1, changesRequested: true },
  },
  {
    name: 'a dismissed review',
    given: reviews(['bob', 'DISMISSED']),
    read: { approvals: 0, changesRequested: false },
  },
  {
    name: 'conversations',
    given: { reviewThreads: { nodes: [{ isResolved: true }, { isResolved: false }, { isResolved: false }] } },
    read: { unresolvedConversations: 2 },
  },
  {
    name: 'a review that rules require',
    given: { reviewDecision: 'REVIEW_REQUIRED' },
    read: { requiredReviewMissing: true, ownerReviewMissing: false },
  },
  {
    name: 'a review that a ruleset requires, although GitHub has no decision',
    given: { ...demanded(null, 1), reviewDecision: null },
    read: { requiredReviewMissing: true },
  },
  {
    name: 'fewer reviews than one of two rulesets requires, although GitHub says approved',
    given: { ...demanded(2, 1), ...reviews(['bob', 'APPROVED']), reviewDecision: 'APPROVED' },
    read: { requiredReviewMissing: true },
  },
  {
    name: 'as many reviews as rulesets require',
    given: { ...demanded(0, 1), ...reviews(['bob', 'APPROVED']), reviewDecision: null },
    read: { requiredReviewMissing: false },
  },
  {
    name: 'enough reviews',
    given: { ...reviews(['bob', 'APPROVED']), reviewDecision: 'APPROVED' },
    read: { requiredReviewMissing: false },
  },
  {
    name: 'no rule about reviews',
    given: { reviewDecision: null },
    read: { requiredReviewMissing: false },
  },
  {
    name: 'a missing review of an owner, with enough other reviews',
    given: { ...owned(1), ...reviews(['bob', 'APPROVED']) },
    read: { ownerReviewMissing: true },
  },
  {
    name: 'a review that anybody may give',
    given: { ...owned(2), ...reviews(['bob', 'APPROVED']) },
    read: { ownerReviewMissing: false },
  },
  {
    name: 'reviews of all owners',
    given: { ...owned(1), ...reviews(['bob', 'APPROVED']), reviewDecision: 'APPROVED' },
    read: { ownerReviewMissing: false },
  },
];

test.each(cases)('$name', ({ given, beside: also, read }) => {
  expect(asHostPullRequest({ ...answered, ...given }, { ...beside, ...also })).toMatchObject(read);
});

function labelled(type: LabelEvent['__typename'], label: string, actor: LabelEvent['actor'], sec: number): LabelEvent {
  return { __typename: type, createdAt: new Date(sec * 1000).toISOString(), label: { name: label }, actor };
}

const ann = { __typename: 'User', login: 'ann', databaseId: 7 };
const own = { __typename: 'Bot', login: 'interlock' };

test.each([
  { name: 'it was never set', events: [labelled('LabeledEvent', 'other', ann, 1)], change: null },
  {
    name: 'a person set it',
    events: [labelled('LabeledEvent', 'MergeQueue', ann, 1), labelled('LabeledEvent', 'other', own, 2)],
    change: { present: true, byQueue: false, by: 'ann', byId: '7', at: 1000 },
  },
  {
    name: 'Interlock removed it again',
    events: [labelled('LabeledEvent', 'mergequeue', ann, 1), labelled('UnlabeledEvent', 'mergequeue', own, 2)],
    change: { present: false, byQueue: true, by: null, byId: null, at: 2000 },
  },
  {
    name: 'a deleted account set it',
    events: [labelled('LabeledEvent', 'mergequeue', null, 3)],
    change: { present: true, byQueue: false, by: null, byId: null, at: 3000 },
  },
])('the newest change of a label: $name', ({ events, change }) => {
  expect(newestLabelChange(events, 'mergequeue', 'interlock[bot]')).toEqual(change);
});

test.each([
  { actor: { login: 'interlock[bot]' }, isOwn: true },
  { actor: { __typename: 'Bot', login: 'interlock' }, isOwn: true },
  { actor: { __typename: 'User', login: 'interlock' }, isOwn: false },
  { actor: { __typename: 'Bot', login: 'renovate' }, isOwn: false },
])('$actor is the bot of the App: $isOwn', ({ actor, isOwn }) => {
  expect(isBot(actor, 'interlock[bot]')).toBe(isOwn);
});

test('a bot has the name that REST gives it', () => {
  const author = { __typename: 'Bot', login: 'interlock' };
  expect(asHostPullRequest({ ...answered, author }, beside).author).toBe('interlock[bot]');
});
