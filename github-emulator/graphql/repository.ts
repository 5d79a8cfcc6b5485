// Repositories: their refs, pull requests, labels, rules and settings.
import { roleOf } from '../auth/actor.ts';
import { readShownRefs } from '../git/shown-refs.ts';
import { findPull, fullNameOf } from '../http/reach.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { Label, PullRequest, Repository } from '../model/types.ts';
import { isRoleAtLeast } from '../model/enums.ts';
import { viewAccount } from './accounts.ts';
import { connect } from './connection.ts';
import { GraphqlFault } from './fault.ts';
import { enumOf, guardField, mayPush, needs, type ViewContext, type View } from './view-context.ts';

export function viewRepository(context: ViewContext, repository: Repository): View {
  return {
    ...viewFacts(context, repository),
    ...viewSettings(context, repository),
    ...viewGit(context, repository),
    ...viewPulls(context, repository),
  };
}

function viewFacts(context: ViewContext, repository: Repository): View {
  const { core } = context;
  const { state, urls } = core;
  const fullName = fullNameOf(core, repository);
  const parent = state.repositories.get(repository.parentId);
  const people = (name: string) => (given: object) => {
    const rows = state.accounts.filter(
      (each) => each.type === 'User' && isRoleAtLeast(roleOf(core, each, repository), 'write'),
    );
    return connect(name, given, rows, (each) => viewAccount(context, each));
  };
  return {
    __typename: 'Repository',
    id: nodeIdOf('repositories', repository.id),
    databaseId: repository.id,
    name: repository.name,
    nameWithOwner: fullName,
    owner: () => viewAccount(context, state.accounts.must(repository.ownerId)),
    description: repository.description,
    url: `${urls.web}/${fullName}`,
    resourcePath: `/${fullName}`,
    sshUrl: `git@${new URL(urls.web).hostname}:${fullName}.git`,
    homepageUrl: null,
    isFork: repository.parentId !== null,
    parent: () => (parent === undefined ? null : viewRepository(context, parent)),
    createdAt: repository.createdAt,
    updatedAt: repository.updatedAt,
    pushedAt: repository.pushedAt,
    isEmpty: async () => (await core.git.listRefs(repository, 'refs/heads')).size === 0,
    isInOrganization: state.accounts.must(repository.ownerId).type === 'Organization',
    isTemplate: false,
    isMirror: false,
    forkCount: state.repositories.filter((each) => each.parentId === repository.id).length,
    stargazerCount: 0,
    assignableUsers: people('assignableUsers'),
    mentionableUsers: people('mentionableUsers'),
    milestones: (given: object) => connect('milestones', given, [], () => null),
    projects: (given: object) => connect('projects', given, [], () => null),
    projectsV2: (given: object) => connect('projectsV2', given, [], () => null),
    issueTemplates: [],
    pullRequestTemplates: [],
  };
}

function viewSettings(context: ViewContext, repository: Repository): View {
  const { core, actor } = context;
  const role = actor.kind === 'user' ? roleOf(core, actor.account, repository) : null;
  const ofApp = mayPush(context, repository) ? 'WRITE' : 'READ';
  return {
    isPrivate: repository.isPrivate,
    isArchived: repository.isArchived,
    isDisabled: false,
    isLocked: false,
    visibility: repository.isPrivate ? 'PRIVATE' : 'PUBLIC',
    viewerPermission: actor.kind === 'user' ? enumOf(role) : ofApp,
    viewerCanAdminister: role === 'admin',
    viewerDefaultMergeMethod: 'MERGE',
    mergeCommitAllowed: repository.allowMergeCommit,
    squashMergeAllowed: repository.allowSquashMerge,
    rebaseMergeAllowed: repository.allowRebaseMerge,
    autoMergeAllowed: repository.allowAutoMerge,
    allowUpdateBranch: repository.allowUpdateBranch,
    deleteBranchOnMerge: repository.deleteBranchOnMerge,
    hasIssuesEnabled: true,
    hasWikiEnabled: false,
    hasProjectsEnabled: false,
    hasDiscussionsEnabled: false,
    mergeQueue: null,
  };
}

function viewGit(context: ViewContext, repository: Repository): View {
  const { core } = context;
  const main = `refs/heads/${repository.defaultBranch}`;
  return {
    defaultBranchRef: guardField(
      context,
      repository,
      needs.contents,
      async () => await context.views.refOf(repository, main),
    ),
    ref: guardField(context, repository, needs.contents, async ({ qualifiedName: name }: { qualifiedName: string }) => {
      const names = name.startsWith('refs/') ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`];
      for (const ref of names) {
        const view = await context.views.refOf(repository, ref);
        if (view !== null) return view;
      }
      return null;
    }),
    refs: guardField(
      context,
      repository,
      needs.contents,
      async (given: { refPrefix: string; query?: string | null }) => {
        const all = [...(await readShownRefs(core, repository, given.refPrefix))];
        const rows = all.filter(([ref]) => ref.slice(given.refPrefix.length).includes(given.query ?? ''));
        return connect('refs', given, rows, ([ref, sha]) => context.views.ref(repository, ref, sha));
      },
    ),
    object: guardField(context, repository, needs.contents, async (given: ObjectArguments) => {
      const name = given.oid ?? given.expression ?? '';
      const sha = await core.git.resolve(repository, name);
      return sha === null ? null : await context.views.commitOf(repository, sha);
    }),
    branchProtectionRules: guardField(context, repository, needs.administration, (given) =>
      context.views.protections(repository, given),
    ),
    rulesets: (given: object) => {
      const rows = core.state.rulesets.filter((each) => each.repositoryId === repository.id);
      return connect('rulesets', given, rows, (row) => context.views.ruleset(repository, row));
    },
    ruleset: ({ databaseId }: { databaseId: number }) => {
      const row = core.state.rulesets.get(databaseId);
      return row === undefined || row.repositoryId !== repository.id ? null : context.views.ruleset(repository, row);
    },
  };
}

interface ObjectArguments {
  readonly oid?: string | null;
  readonly expression?: string | null;
}

function viewPulls(context: ViewContext, repository: Repository): View {
  const { core } = context;
  const mustPull = ({ number }: { number: number }, kind: string): View => {
    const pull = findPull(core, repository, number);
    if (pull === undefined)
      throw new GraphqlFault('NOT_FOUND', `Could not resolve to ${kind} with the number of ${number}.`);
    return context.views.pull(repository, pull);
  };
  const labels = (): Label[] => core.state.labels.filter((each) => each.repositoryId === repository.id);
  return {
    pullRequest: guardField(context, repository, needs.pulls, (given: { number: number }) =>
      mustPull(given, 'a PullRequest'),
    ),
    issueOrPullRequest: guardField(context, repository, needs.pulls, (given: { number: number }) =>
      mustPull(given, 'an issue or pull request'),
    ),
    pullRequests: guardField(context, repository, needs.pulls, (given: PullFilter) =>
      connect('pullRequests', given, filterPulls(context, repository, given), (pull) =>
        context.views.pull(repository, pull),
      ),
    ),
    issues: (given: object) => connect('issues', given, [], () => null),
    labels: (given: { query?: string | null }) => {
      const rows = labels().filter(({ name }) => name.includes(given.query ?? ''));
      return connect('labels', given, rows, (label) => viewLabel(context, repository, label));
    },
    label: ({ name }: { name: string }) => {
      const found = labels().find((each) => each.name.toLowerCase() === name.toLowerCase());
      return found === undefined ? null : viewLabel(context, repository, found);
    },
  };
}

interface PullFilter {
  readonly states?: readonly ('OPEN' | 'CLOSED' | 'MERGED')[] | null;
  readonly headRefName?: string | null;
  readonly baseRefName?: string | null;
  readonly labels?: readonly string[] | null;
  readonly orderBy?: { readonly field: 'CREATED_AT' | 'UPDATED_AT'; readonly direction: 'ASC' | 'DESC' } | null;
}

export function stateOfPull(pull: PullRequest): 'OPEN' | 'CLOSED' | 'MERGED' {
  if (pull.mergedAt !== null) return 'MERGED';
  return pull.state === 'open' ? 'OPEN' : 'CLOSED';
}

function filterPulls({ core }: ViewContext, repository: Repository, given: PullFilter): PullRequest[] {
  const { states, headRefName, baseRefName, labels, orderBy } = given;
  const rows = core.state.pullRequests
    .filter((pull) => pull.repositoryId === repository.id)
    .filter((pull) => states?.includes(stateOfPull(pull)) ?? true)
    .filter((pull) => (headRefName ?? pull.head.ref) === pull.head.ref)
    .filter((pull) => (baseRefName ?? pull.base.ref) === pull.base.ref)
    .filter((pull) => labels?.some((name) => namesOfLabels(pull).includes(name)) ?? true);
  const key = orderBy?.field === 'UPDATED_AT' ? 'updatedAt' : 'createdAt';
  const sorted = rows.sort((a, b) => a[key].localeCompare(b[key]) || a.number - b.number);
  return orderBy?.direction === 'DESC' ? sorted.toReversed() : sorted;

  function namesOfLabels(pull: PullRequest): string[] {
    return pull.labelIds.map((id) => core.state.labels.must(id).name);
  }
}

export function viewLabel({ core }: ViewContext, repository: Repository, label: Label): View {
  const path = `/${fullNameOf(core, repository)}/labels/${encodeURIComponent(label.name)}`;
  return {
    __typename: 'Label',
    id: nodeIdOf('labels', label.id),
    name: label.name,
    color: label.color,
    description: label.description,
    isDefault: false,
    createdAt: repository.createdAt,
    updatedAt: repository.createdAt,
    url: `${core.urls.web}${path}`,
    resourcePath: path,
  };
}
