// Pull requests: their head and base, reviews, threads, comments, checks and timeline.
import { fullNameOf } from '../http/reach.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { PullRequest, Repository } from '../model/types.ts';
import { decideReviewDecision, opinionatedReviews } from '../pulls/reviewing.ts';
import { threadsOf } from '../pulls/conversations.ts';
import { refreshTestMerge } from '../pulls/test-merge.ts';
import { isAbout } from '../pulls/timeline.ts';
import { renderFiles } from '../render/commits.ts';
import { authorAssociation } from '../render/pulls.ts';
import { protectionOf, rulesetsOf } from '../rules/decide.ts';
import { rulesOfRepository } from '../rules/settings.ts';
import { viewAccount, viewAccountOf, viewTeam } from './accounts.ts';
import { requiredNames } from './checks.ts';
import { checksOfCommit } from '../checks/results.ts';
import { describeMissingChecks } from '../rules/required-checks.ts';
import { connect } from './connection.ts';
import { stateOfPull } from './repository.ts';
import { enumOf, guardField, mayPush, needs, type ViewContext, type View } from './view-context.ts';

export function viewPull(context: ViewContext, repository: Repository, pull: PullRequest): View {
  return {
    ...viewFacts(context, repository, pull),
    ...viewEnds(context, repository, pull),
    ...viewTalk(context, repository, pull),
    ...viewChange(context, repository, pull),
    timelineItems: (given: object) => context.views.timeline({ repository, pull }, given),
  };
}

function viewFacts(context: ViewContext, repository: Repository, pull: PullRequest): View {
  const { core, actor } = context;
  const { state, urls } = core;
  const path = `/${fullNameOf(core, repository)}/pull/${pull.number}`;
  const people = (ids: readonly number[]) => ids.map((id) => state.accounts.must(id));
  return {
    __typename: 'PullRequest',
    id: nodeIdOf('pullRequests', pull.id),
    databaseId: pull.id,
    fullDatabaseId: String(pull.id),
    number: pull.number,
    title: pull.title,
    body: pull.body ?? '',
    bodyText: pull.body ?? '',
    url: `${urls.web}${path}`,
    resourcePath: path,
    state: stateOfPull(pull),
    closed: pull.state === 'closed',
    merged: pull.mergedAt !== null,
    isDraft: pull.isDraft,
    locked: pull.isLocked,
    createdAt: pull.createdAt,
    updatedAt: pull.updatedAt,
    publishedAt: pull.createdAt,
    closedAt: pull.closedAt,
    mergedAt: pull.mergedAt,
    lastEditedAt: null,
    author: () => viewAccountOf(context, pull.authorId),
    authorAssociation: authorAssociation(core, repository, pull.authorId),
    mergedBy: () => viewAccountOf(context, pull.mergedById),
    maintainerCanModify: pull.maintainerCanModify,
    viewerCanUpdate: mayPush(context, repository) || (actor.kind === 'user' && actor.account.id === pull.authorId),
    viewerDidAuthor: 'account' in actor && actor.account.id === pull.authorId,
    viewerCanEditFiles: mayPush(context, repository),
    viewerSubscription: 'UNSUBSCRIBED',
    repository: () => context.views.repository(repository),
    labels: (given: object) =>
      connect('labels', given, pull.labelIds, (id) => context.views.label(repository, state.labels.must(id))),
    assignees: (given: object) =>
      connect('assignees', given, people(pull.assigneeIds), (each) => viewAccount(context, each)),
    participants: (given: object) =>
      connect('participants', given, people([pull.authorId]), (each) => viewAccount(context, each)),
    milestone: null,
    autoMergeRequest: null,
    mergeQueueEntry: null,
    isInMergeQueue: false,
    isMergeQueueEnabled: false,
    reactionGroups: [],
    projectCards: (given: object) => connect('projectCards', given, [], () => null),
    projectItems: (given: object) => connect('projectItems', given, [], () => null),
    closingIssuesReferences: (given: object) => connect('closingIssuesReferences', given, [], () => null),
  };
}

function viewEnds(context: ViewContext, repository: Repository, pull: PullRequest): View {
  const { core } = context;
  const source = core.state.repositories.get(pull.head.repositoryId);
  const isFork = source?.id !== repository.id;
  return {
    baseRefName: pull.base.ref,
    baseRefOid: pull.base.sha,
    baseRef: async () => await context.views.refOf(repository, `refs/heads/${pull.base.ref}`),
    baseRepository: () => context.views.repository(repository),
    headRefName: pull.head.ref,
    headRefOid: pull.head.sha,
    headRef: async () =>
      source === undefined ? null : await context.views.refOf(source, `refs/heads/${pull.head.ref}`),
    // An actor who may not see a private fork learns that the fork exists, but not its name.
    headRepository: () => (source === undefined ? null : context.views.repository(source)),
    headRepositoryOwner: () => (source === undefined ? null : viewAccountOf(context, source.ownerId)),
    isCrossRepository: isFork,
    mergeCommit: async () =>
      pull.mergeCommitSha === null ? null : await context.views.commitOf(repository, pull.mergeCommitSha),
    potentialMergeCommit: async () =>
      pull.testMerge?.commit === null || pull.testMerge === null
        ? null
        : await context.views.commitOf(repository, pull.testMerge.commit),
  };
}

function viewTalk(context: ViewContext, repository: Repository, pull: PullRequest): View {
  const { core } = context;
  const { state } = core;
  const place = { repository, pull };
  const reviews = (): ReturnType<typeof state.reviews.filter> => state.reviews.filter(isAbout(pull));
  return {
    comments: (given: object) =>
      connect('comments', given, state.comments.filter(isAbout(pull)), (each) => context.views.comment(place, each)),
    reviews: (given: { states?: readonly string[] | null; author?: string | null }) => {
      const rows = reviews()
        .filter((each) => given.states?.includes(each.state) ?? true)
        .filter((each) => (given.author ?? '') === '' || state.accounts.must(each.authorId).login === given.author);
      return connect('reviews', given, rows, (each) => context.views.review(place, each));
    },
    latestReviews: (given: object) => {
      const latest = new Map(reviews().map((each) => [each.authorId, each]));
      return connect('latestReviews', given, [...latest.values()], (each) => context.views.review(place, each));
    },
    latestOpinionatedReviews: (given: { writersOnly?: boolean | null }) => {
      const byWritersOnly = given.writersOnly ?? false;
      // A dismissed review is listed with the state DISMISSED.
      const rows = opinionatedReviews(core, repository, pull, { byWritersOnly });
      return connect('latestOpinionatedReviews', given, rows, (each) => context.views.review(place, each));
    },
    reviewThreads: (given: object) =>
      connect('reviewThreads', given, threadsOf(core, pull), (each) => context.views.thread(place, each)),
    reviewRequests: (given: object) => {
      const people = pull.requestedReviewerIds.map((id) => () => viewAccountOf(context, id));
      const teams = pull.requestedTeamIds.map((id) => () => viewTeam(context, state.teams.must(id)));
      return connect('reviewRequests', given, [...people, ...teams], (view) => ({
        __typename: 'ReviewRequest',
        id: nodeIdOf('pullRequests', pull.id, 'request'),
        asCodeOwner: false,
        requestedReviewer: view,
      }));
    },
    reviewDecision: () => {
      const opinions = opinionatedReviews(core, repository, pull, { byWritersOnly: true });
      return decideReviewDecision(opinions, demandedReviews(context, repository, pull));
    },
  };
}

function demandedReviews({ core }: ViewContext, repository: Repository, pull: PullRequest): number {
  const rules = rulesOfRepository(core, repository);
  const classic = protectionOf(rules.protections, pull.base.ref)?.requiredReviews?.approvals ?? 0;
  const counts = rulesetsOf(rules, `refs/heads/${pull.base.ref}`)
    .flatMap((ruleset) => ruleset.rules)
    .map((rule) => (rule.type === 'pull_request' ? rule.parameters.required_approving_review_count : 0));
  return Math.max(classic, ...counts, 0);
}

function viewChange(context: ViewContext, repository: Repository, pull: PullRequest): View {
  const { core } = context;
  const files = async () => {
    const range = [pull.base.sha, pull.head.sha];
    const base = await core.git.textOfObjects(repository, ['merge-base', ...range]);
    return await renderFiles(core, repository, { from: base === '' ? pull.base.sha : base, to: pull.head.sha });
  };
  const sum = async (name: string): Promise<number> =>
    (await files()).reduce((total, file) => total + Number(file[name]), 0);
  return {
    additions: async () => await sum('additions'),
    deletions: async () => await sum('deletions'),
    changedFiles: async () => (await files()).length,
    files: async (given: object) =>
      connect('files', given, await files(), (file) => ({
        __typename: 'PullRequestChangedFile',
        path: file['filename'],
        additions: file['additions'],
        deletions: file['deletions'],
        changeType: file['status'] === 'removed' ? 'DELETED' : enumOf(String(file['status'])),
        viewerViewedState: 'UNVIEWED',
      })),
    commits: async (given: object) => {
      const range = `${pull.base.sha}..${pull.head.sha}`;
      const listed = await core.git.textOfObjects(repository, ['rev-list', '--reverse', range]);
      return connect('commits', given, listed.split('\n').filter(Boolean), (sha) => ({
        __typename: 'PullRequestCommit',
        id: nodeIdOf('commits', repository.id, `${pull.number} ${sha}`),
        commit: async () => await context.views.commitOf(repository, sha),
        pullRequest: () => viewPull(context, repository, pull),
        url: `${core.urls.web}/${fullNameOf(core, repository)}/pull/${pull.number}/commits/${sha}`,
      }));
    },
    statusCheckRollup: guardField(context, repository, needs.checks, () =>
      context.views.rollup(repository, pull.head.sha),
    ),
    mergeable: async () => {
      await refreshTestMerge(core, repository, pull);
      if (pull.state === 'closed' || pull.testMerge === null) return 'UNKNOWN';
      return pull.testMerge.commit === null ? 'CONFLICTING' : 'MERGEABLE';
    },
    mergeStateStatus: async () => {
      await refreshTestMerge(core, repository, pull);
      return stateOfMerge(context, repository, pull);
    },
    canBeRebased: true,
    viewerCanMergeAsAdmin: context.views.refRule(repository, pull.base.ref)?.['viewerAllowedToDismissReviews'] === true,
    viewerCanEnableAutoMerge: false,
    viewerCanDisableAutoMerge: false,
  };
}

function stateOfMerge(context: ViewContext, repository: Repository, pull: PullRequest): string {
  const { core } = context;
  if (pull.state === 'closed' || pull.testMerge === null) return 'UNKNOWN';
  if (pull.testMerge.commit === null) return 'DIRTY';
  if (pull.isDraft) return 'DRAFT';
  const required = requiredNames(context, repository, pull.base.ref).map((context) => ({ context, appId: null }));
  const checks = checksOfCommit(core, repository, pull.head.sha);
  const reviews = opinionatedReviews(core, repository, pull, { byWritersOnly: true });
  const approvals = reviews.filter(({ state }) => state === 'APPROVED').length;
  const isBlocked =
    describeMissingChecks(required, checks) !== null || approvals < demandedReviews(context, repository, pull);
  if (isBlocked) return 'BLOCKED';
  return checks.every(({ state }) => state === 'success') ? 'CLEAN' : 'UNSTABLE';
}
