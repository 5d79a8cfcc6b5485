// Repositories, in the form of REST and webhooks.
import { type Actor, roleOf } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { fullNameOf } from '../http/reach.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { Repository } from '../model/types.ts';
import { isRoleAtLeast } from '../model/enums.ts';
import { type Json, renderAccount } from './accounts.ts';

const urlTemplates = {
  archive_url: '/{archive_format}{/ref}',
  assignees_url: '/assignees{/user}',
  blobs_url: '/git/blobs{/sha}',
  branches_url: '/branches{/branch}',
  collaborators_url: '/collaborators{/collaborator}',
  comments_url: '/comments{/number}',
  commits_url: '/commits{/sha}',
  compare_url: '/compare/{base}...{head}',
  contents_url: '/contents/{+path}',
  contributors_url: '/contributors',
  deployments_url: '/deployments',
  downloads_url: '/downloads',
  events_url: '/events',
  forks_url: '/forks',
  git_commits_url: '/git/commits{/sha}',
  git_refs_url: '/git/refs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  hooks_url: '/hooks',
  issue_comment_url: '/issues/comments{/number}',
  issue_events_url: '/issues/events{/number}',
  issues_url: '/issues{/number}',
  keys_url: '/keys{/key_id}',
  labels_url: '/labels{/name}',
  languages_url: '/languages',
  merges_url: '/merges',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  pulls_url: '/pulls{/number}',
  releases_url: '/releases{/id}',
  stargazers_url: '/stargazers',
  statuses_url: '/statuses/{sha}',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  tags_url: '/tags',
  teams_url: '/teams',
  trees_url: '/git/trees{/sha}',
} as const;

export function repositoryUrl(core: Core, repository: Repository): string {
  return `${core.urls.api}/repos/${fullNameOf(core, repository)}`;
}

/** With an `actor`, the permissions of the actor are added. */
export function renderRepository(core: Core, repository: Repository, actor?: Actor): Json {
  const { state, urls } = core;
  const fullName = fullNameOf(core, repository);
  const url = repositoryUrl(core, repository);
  const page = `${urls.web}/${fullName}`;
  const openCount = state.pullRequests.filter(
    (each) => each.repositoryId === repository.id && each.state === 'open',
  ).length;
  const forks = state.repositories.filter((each) => each.parentId === repository.id).length;
  return {
    id: repository.id,
    node_id: nodeIdOf('repositories', repository.id),
    name: repository.name,
    full_name: fullName,
    private: repository.isPrivate,
    owner: renderAccount(core, state.accounts.must(repository.ownerId)),
    html_url: page,
    description: repository.description,
    fork: repository.parentId !== null,
    url,
    ...Object.fromEntries(Object.entries(urlTemplates).map(([name, path]) => [name, `${url}${path}`])),
    git_url: `git://${urls.web.replace(/^https?:\/\//, '')}/${fullName}.git`,
    ssh_url: `git@${new URL(urls.web).hostname}:${fullName}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    mirror_url: null,
    homepage: null,
    language: null,
    forks_count: forks,
    forks,
    stargazers_count: 0,
    watchers_count: 0,
    watchers: 0,
    size: 0,
    default_branch: repository.defaultBranch,
    open_issues_count: openCount,
    open_issues: openCount,
    is_template: false,
    topics: [],
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_downloads: true,
    has_discussions: false,
    archived: repository.isArchived,
    disabled: false,
    visibility: repository.isPrivate ? 'private' : 'public',
    pushed_at: repository.pushedAt,
    created_at: repository.createdAt,
    updated_at: repository.updatedAt,
    license: null,
    allow_forking: true,
    web_commit_signoff_required: false,
    ...(actor === undefined ? {} : permissionsFor(core, repository, actor)),
  };
}

/** The body of `GET /repos/{owner}/{repo}`, which also has the parent and the settings. */
export function renderFullRepository(core: Core, repository: Repository, actor: Actor): Json {
  const owner = core.state.accounts.must(repository.ownerId);
  const parent = core.state.repositories.get(repository.parentId);
  return {
    ...renderRepository(core, repository, actor),
    ...renderSettings(repository),
    ...(owner.type === 'Organization' ? { organization: renderAccount(core, owner) } : {}),
    ...(parent === undefined ? {} : { parent: renderRepository(core, parent), source: renderRepository(core, parent) }),
    subscribers_count: 0,
    network_count: 0,
  };
}

export function renderSettings(repository: Repository): Json {
  return {
    allow_merge_commit: repository.allowMergeCommit,
    allow_squash_merge: repository.allowSquashMerge,
    allow_rebase_merge: repository.allowRebaseMerge,
    allow_auto_merge: repository.allowAutoMerge,
    allow_update_branch: repository.allowUpdateBranch,
    delete_branch_on_merge: repository.deleteBranchOnMerge,
    use_squash_pr_title_as_default: false,
    squash_merge_commit_title: 'COMMIT_OR_PR_TITLE',
    squash_merge_commit_message: 'COMMIT_MESSAGES',
    merge_commit_title: 'MERGE_MESSAGE',
    merge_commit_message: 'PR_TITLE',
  };
}

/** The permissions of an actor. For an App all are false, whatever the App may do. */
function permissionsFor(core: Core, repository: Repository, actor: Actor): Json {
  const role = actor.kind === 'user' ? roleOf(core, actor.account, repository) : null;
  const permissions = {
    admin: isRoleAtLeast(role, 'admin'),
    maintain: isRoleAtLeast(role, 'maintain'),
    push: isRoleAtLeast(role, 'write'),
    triage: isRoleAtLeast(role, 'triage'),
    pull: isRoleAtLeast(role, 'read'),
  };
  return actor.kind === 'anonymous' ? {} : { permissions };
}
