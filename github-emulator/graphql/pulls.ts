// Pull requests: their two ends, reviews, threads, comments, checks and timeline.
import { fullNameOf } from '../http/reach.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { PullRequest, Repository } from '../model/types.ts';
import { decideReviewDecision, opinionatedReviews } from '../pulls/reviewing.ts';
import { threadsOf } from '../pulls/talking.ts';
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
import { enumOf, guarded, mayPush, needs, type Sight, type View } from './sight.ts';

export function viewPull(sight: Sight, repository: Repository, pull: PullRequest): View {
  return {
    ...viewFacts(sight, repository, pull),
    ...viewEnds(sight, repository, pull),
    ...viewTalk(sight, repository, pull),
    ...viewChange(sight, repository, pull),
    timelineItems: (given: object) => sight.views.timeline({ repository, pull }, given),
  };
}

function viewFacts(sight: Sight, repository: Repository, pull: PullRequest): View {
  const { core, actor } = sight;
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
    author: () => viewAccountOf(sight, pull.authorId),
    authorAssociation: authorAssociation(core, repository, pull.authorId),
    mergedBy: () => viewAccountOf(sight, pull.mergedById),
    maintainerCanModify: pull.maintainerCanModify,
    viewerCanUpdate: mayPush(sight, repository) || (actor.kind === 'user' && actor.account.id === pull.authorId),
    viewerDidAuthor: 'account' in actor && actor.account.id === pull.authorId,
    viewerCanEditFiles: mayPush(sight, repository),
    viewerSubscription: 'UNSUBSCRIBED',
    repository: () => sight.views.repository(repository),
    labels: (given: object) =>
      connect('labels', given, pull.labelIds, (id) => sight.views.label(repository, state.labels.must(id))),
    assignees: (given: object) =>
      connect('assignees', given, people(pull.assigneeIds), (each) => viewAccount(sight, each)),
    participants: (given: object) =>
      connect('participants', given, people([pull.authorId]), (each) => viewAccount(sight, each)),
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

function viewEnds(sight: Sight, repository: Repository, pull: PullRequest): View {
  const { core } = sight;
  const source = core.state.repositories.get(pull.head.repositoryId);
  const isFork = source?.id !== repository.id;
  return {
    baseRefName: pull.base.ref,
    baseRefOid: pull.base.sha,
    baseRef: async () => await sight.views.refOf(repository, `refs/heads/${pull.base.ref}`),
    baseRepository: () => sight.views.repository(repository),
    headRefName: pull.head.ref,
    headRefOid: pull.head.sha,
    headRef: async () => (source === undefined ? null : await sight.views.refOf(source, `refs/heads/${pull.head.ref}`)),
    // Strangers learn that there is a fork, and not its name if it is private.
    headRepository: () => (source === undefined ? null : sight.views.repository(source)),
    headRepositoryOwner: () => (source === undefined ? null : viewAccountOf(sight, source.ownerId)),
    isCrossRepository: isFork,
    mergeCommit: async () =>
      pull.mergeCommitSha === null ? null : await sight.views.commitOf(repository, pull.mergeCommitSha),
    potentialMergeCommit: async () =>
      pull.testMerge?.commit === null || pull.testMerge === null
        ? null
        : await sight.views.commitOf(repository, pull.testMerge.commit),
  };
}

function viewTalk(sight: Sight, repository: Repository, pull: PullRequest): View {
  const { core } = sight;
  const { state } = core;
  const place = { repository, pull };
  const reviews = (): ReturnType<typeof state.reviews.filter> => state.reviews.filter(isAbout(pull));
  return {
    comments: (given: object) =>
      connect('comments', given, state.comments.filter(isAbout(pull)), (each) => sight.views.comment(place, each)),
    reviews: (given: { states?: readonly string[] | null; author?: string | null }) => {
      const rows = reviews()
        .filter((each) => given.states?.includes(each.state) ?? true)
        .filter((each) => (given.author ?? '') === '' || state.accounts.must(each.authorId).login === given.author);
      return connect('reviews', given, rows, (each) => sight.views.review(place, each));
    },
    latestReviews: (given: object) => {
      const latest = new Map(reviews().map((each) => [each.authorId, each]));
      return connect('latestReviews', given, [...latest.values()], (each) => sight.views.review(place, each));
    },
    latestOpinionatedReviews: (given: { writersOnly?: boolean | null }) => {
      const byWritersOnly = given.writersOnly ?? false;
      // A dismissed review is listed as such.
      const rows = opinionatedReviews(core, repository, pull, { byWritersOnly });
      return connect('latestOpinionatedReviews', given, rows, (each) => sight.views.review(place, each));
    },
    reviewThreads: (given: object) =>
      connect('reviewThreads', given, threadsOf(core, pull), (each) => sight.views.thread(place, each)),
    reviewRequests: (given: object) => {
      const people = pull.requestedReviewerIds.map((id) => () => viewAccountOf(sight, id));
      const teams = pull.requestedTeamIds.map((id) => () => viewTeam(sight, state.teams.must(id)));
      return connect('reviewRequests', given, [...people, ...teams], (view) => ({
        __typename: 'ReviewRequest',
        id: nodeIdOf('pullRequests', pull.id, 'request'),
        asCodeOwner: false,
        requestedReviewer: view,
      }));
    },
    reviewDecision: () => {
      const opinions = opinionatedReviews(core, repository, pull, { byWritersOnly: true });
      return decideReviewDecision(opinions, demandedReviews(sight, repository, pull));
    },
  };
}

function demandedReviews({ core }: Sight, repository: Repository, pull: PullRequest): number {
  const rules = rulesOfRepository(core, repository);
  const classic = protectionOf(rules.protections, pull.base.ref)?.requiredReviews?.approvals ?? 0;
  const counts = rulesetsOf(rules, `refs/heads/${pull.base.ref}`)
    .flatMap((ruleset) => ruleset.rules)
    .map((rule) => (rule.type === 'pull_request' ? rule.parameters.required_approving_review_count : 0));
  return Math.max(classic, ...counts, 0);
}

function viewChange(sight: Sight, repository: Repository, pull: PullRequest): View {
  const { core } = sight;
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
        commit: async () => await sight.views.commitOf(repository, sha),
        pullRequest: () => viewPull(sight, repository, pull),
        url: `${core.urls.web}/${fullNameOf(core, repository)}/pull/${pull.number}/commits/${sha}`,
      }));
    },
    statusCheckRollup: guarded(sight, repository, needs.checks, () => sight.views.rollup(repository, pull.head.sha)),
    mergeable: async () => {
      await refreshTestMerge(core, repository, pull);
      if (pull.state === 'closed' || pull.testMerge === null) return 'UNKNOWN';
      return pull.testMerge.commit === null ? 'CONFLICTING' : 'MERGEABLE';
    },
    mergeStateStatus: async () => {
      await refreshTestMerge(core, repository, pull);
      return stateOfMerge(sight, repository, pull);
    },
    canBeRebased: true,
    viewerCanMergeAsAdmin: sight.views.refRule(repository, pull.base.ref)?.['viewerAllowedToDismissReviews'] === true,
    viewerCanEnableAutoMerge: false,
    viewerCanDisableAutoMerge: false,
  };
}

function stateOfMerge(sight: Sight, repository: Repository, pull: PullRequest): string {
  const { core } = sight;
  if (pull.state === 'closed' || pull.testMerge === null) return 'UNKNOWN';
  if (pull.testMerge.commit === null) return 'DIRTY';
  if (pull.isDraft) return 'DRAFT';
  const required = requiredNames(sight, repository, pull.base.ref).map((context) => ({ context, appId: null }));
  const checks = checksOfCommit(core, repository, pull.head.sha);
  const reviews = opinionatedReviews(core, repository, pull, { byWritersOnly: true });
  const approvals = reviews.filter(({ state }) => state === 'APPROVED').length;
  const isBlocked =
    describeMissingChecks(required, checks) !== null || approvals < demandedReviews(sight, repository, pull);
  if (isBlocked) return 'BLOCKED';
  return checks.every(({ state }) => state === 'success') ? 'CLEAN' : 'UNSTABLE';
}
