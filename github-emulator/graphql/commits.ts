// Commits, refs and files.
import { suitesOf } from '../checks/results.ts';
import { isVerified } from '../git/signatures.ts';
import { readShownRefs } from '../git/shown-refs.ts';
import type { CommitFacts, Signature } from '../git/store.ts';
import { fullNameOf } from '../http/reach.ts';
import { nodeIdOf } from '../model/ids.ts';
import type { Repository } from '../model/types.ts';
import { viewAccount } from './accounts.ts';
import { connect } from './connection.ts';
import { guardField, needs, type ViewContext, type View } from './view-context.ts';

const maxCommits = 1000;

export async function viewCommitOf(context: ViewContext, repository: Repository, sha: string): Promise<View | null> {
  const commit = await context.core.git.readCommit(repository, sha);
  return commit === null ? null : viewCommit(context, repository, commit);
}

function viewCommit(context: ViewContext, repository: Repository, commit: CommitFacts): View {
  const { core } = context;
  const { sha, message } = commit;
  const [headline = '', body = ''] = message.split(/\n+(.*)/s);
  const page = `${core.urls.web}/${fullNameOf(core, repository)}/commit/${sha}`;
  const commitsAt = async (ids: readonly string[], name: string, given: object) =>
    connect(name, given, ids, async (id) => await viewCommitOf(context, repository, id));
  return {
    __typename: 'Commit',
    id: nodeIdOf('commits', repository.id, sha),
    oid: sha,
    abbreviatedOid: sha.slice(0, 7),
    message,
    messageHeadline: headline,
    messageBody: body.trim(),
    committedDate: commit.committer.date,
    authoredDate: commit.author.date,
    pushedDate: null,
    committedViaWeb: commit.committer.email === 'noreply@github.com',
    author: () => viewSignature(context, commit.author),
    committer: () => viewSignature(context, commit.committer),
    authors: (given: object) => connect('authors', given, [commit.author], (each) => viewSignature(context, each)),
    parents: async (given: object) => await commitsAt(commit.parents, 'parents', given),
    history: async (given: object) => {
      const list = await core.git.textOfObjects(repository, ['rev-list', `--max-count=${maxCommits}`, sha]);
      return await commitsAt(list.split('\n').filter(Boolean), 'history', given);
    },
    tree: { __typename: 'Tree', id: nodeIdOf('commits', repository.id, commit.tree), oid: commit.tree },
    url: page,
    commitUrl: page,
    resourcePath: new URL(page).pathname,
    repository: () => context.views.repository(repository),
    signature: viewGitSignature(commit),
    status: guardField(context, repository, needs.statuses, () => context.views.statuses(repository, sha)),
    statusCheckRollup: guardField(context, repository, needs.checks, () => context.views.rollup(repository, sha)),
    checkSuites: guardField(context, repository, needs.checks, (given: SuiteFilter) => {
      const rows = suitesOf(core, repository, sha).filter(
        (suite) => (given.filterBy?.appId ?? suite.appId) === suite.appId,
      );
      return connect('checkSuites', given, rows, (suite) => context.views.checkSuite(repository, suite));
    }),
    associatedPullRequests: guardField(context, repository, needs.pulls, (given) => {
      const rows = core.state.pullRequests.filter(
        (each) => each.repositoryId === repository.id && (each.head.sha === sha || each.mergeCommitSha === sha),
      );
      return connect('associatedPullRequests', given, rows, (pull) => context.views.pull(repository, pull));
    }),
  };
}

interface SuiteFilter {
  readonly filterBy?: { readonly appId?: number | null } | null;
}

function viewSignature(context: ViewContext, { name, email, date }: Signature): View {
  const account = context.core.state.accounts.find((each) => each.email !== null && each.email === email);
  const user = account?.type === 'User' ? account : undefined;
  return {
    __typename: 'GitActor',
    name,
    email,
    date,
    avatarUrl: `${context.core.urls.web}/avatars/u/e`,
    user: user === undefined ? null : () => viewAccount(context, user),
  };
}

/** Null: the commit is neither signed nor made by GitHub. */
function viewGitSignature(commit: CommitFacts): View | null {
  if (!commit.isSigned && !isVerified(commit)) return null;
  const isValid = isVerified(commit);
  return {
    __typename: commit.isSigned ? 'SshSignature' : 'GpgSignature',
    email: commit.committer.email,
    isValid,
    payload: '',
    signature: '',
    signer: null,
    state: isValid ? 'VALID' : 'UNKNOWN_KEY',
    verifiedAt: null,
    wasSignedByGitHub: commit.committer.email === 'noreply@github.com',
    keyFingerprint: null,
    keyId: null,
  };
}

/** Null: the ref does not exist. */
export async function viewRefOf(context: ViewContext, repository: Repository, ref: string): Promise<View | null> {
  const sha = (await readShownRefs(context.core, repository, ref)).get(ref);
  return sha === undefined ? null : viewRef(context, repository, { ref, sha });
}

export function viewRef(
  context: ViewContext,
  repository: Repository,
  { ref, sha }: { readonly ref: string; readonly sha: string },
): View {
  const { core } = context;
  const [, prefix = 'refs/', name = ref] = /^(refs\/(?:heads|tags|pull)\/|refs\/[^/]+\/)(.+)$/.exec(ref) ?? [];
  return {
    __typename: 'Ref',
    id: nodeIdOf('refs', repository.id, ref),
    name,
    prefix,
    target: async () => await viewCommitOf(context, repository, sha),
    repository: () => context.views.repository(repository),
    refUpdateRule: () => (prefix === 'refs/heads/' ? context.views.refRule(repository, name) : null),
    rules: (given: object) => context.views.rulesOf(repository, ref, given),
    branchProtectionRule: guardField(context, repository, needs.administration, () =>
      prefix === 'refs/heads/' ? context.views.protectionOf(repository, name) : null,
    ),
    associatedPullRequests: guardField(context, repository, needs.pulls, (given: { states?: string[] | null }) => {
      const rows = core.state.pullRequests.filter(
        (each) => each.repositoryId === repository.id && each.head.ref === name,
      );
      return connect('associatedPullRequests', given, rows, (pull) => context.views.pull(repository, pull));
    }),
  };
}
