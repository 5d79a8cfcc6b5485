// Reads the facts for `decide.ts`: the actor, the new commits, their checks, and the reviews.
import { type Actor as RequestActor, hasRole, roleOf } from '../auth/actor.ts';
import { checksOfCommit } from '../checks/results.ts';
import type { Core } from '../core.ts';
import type { RefRequest } from '../git/rules.ts';
import { isVerified } from '../git/signatures.ts';
import { parseCommit, type RefChange as Move } from '../git/store.ts';
import type { PullRequest, Repository } from '../model/types.ts';
import { threadsOf } from '../pulls/conversations.ts';
import { opinionatedReviews } from '../pulls/reviewing.ts';
import type { Actor, PullRequestFacts, RefChange } from './decide.ts';

export function readActor(core: Core, requestActor: RequestActor, repository: Repository): Actor {
  if (requestActor.kind === 'anonymous' || requestActor.kind === 'app')
    return { kind: 'user', name: '', appId: null, role: 'none', teams: [], organizationOwner: false };
  if (requestActor.kind === 'installation') {
    const role = hasRole(core, requestActor, { repository, role: 'write' }) ? 'write' : 'read';
    const { id, slug } = requestActor.app;
    return { kind: 'app', name: slug, appId: id, role, teams: [], organizationOwner: false };
  }
  const { account } = requestActor;
  const teams = core.state.teams
    .filter((team) => team.organizationId === repository.ownerId && team.memberIds.includes(account.id))
    .map(({ id, slug }) => ({ id, slug }));
  const membership = core.state.memberships.find(
    (each) => each.organizationId === repository.ownerId && each.userId === account.id,
  );
  return {
    kind: 'user',
    name: account.login,
    appId: null,
    role: roleOf(core, account, repository) ?? 'none',
    teams,
    organizationOwner: membership?.role === 'admin' || repository.ownerId === account.id,
  };
}

const maxCommits = 1000;

export async function readChange(core: Core, request: RefRequest, move: Move): Promise<RefChange> {
  const { repository, pull } = request;
  const { ref, from, to } = move;
  return {
    ref,
    from,
    to,
    fastForward: from === null || to === null || (await isAncestor(request, from, to)),
    newCommits: await readNewCommits(request, move),
    checks: to === null ? [] : checksOfCommit(core, repository, pull?.head.sha ?? to),
    pullRequest: pull === undefined ? null : await readPullFacts(core, repository, { pull, move }),
  };
}

async function isAncestor(request: RefRequest, from: string, to: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', from, to];
  return (await request.git(args, { accept: [0, 1, 128] })).exitCode === 0;
}

/**
 * Reads the new commits. Each record of git's output is the id and the raw text of a commit, and ends with a zero byte.
 */
async function readNewCommits(request: RefRequest, { from, to }: Move): Promise<RefChange['newCommits']> {
  if (to === null) return [];
  // For a new branch, only the commits that are on no other branch are new.
  const known = from === null ? ['--not', '--branches'] : [`^${from}`];
  const { stdout } = await request.git(['rev-list', '--header', `--max-count=${maxCommits}`, to, ...known]);
  const records = stdout.toString('utf8').split('\0').filter(Boolean);
  return records.map((record) => {
    const [sha = '', text = ''] = record.split(/\n(.*)/s);
    const commit = parseCommit(sha, text);
    return { sha, parents: commit.parents.length, verified: isVerified(commit) };
  });
}

async function readPullFacts(
  core: Core,
  repository: Repository,
  { pull, move }: { readonly pull: PullRequest; readonly move: Move },
): Promise<PullRequestFacts> {
  const reviews = opinionatedReviews(core, repository, pull, { byWritersOnly: true });
  const approvals = reviews.filter(({ state }) => state === 'APPROVED');
  const merged = move.to === null ? null : await core.git.readCommit(repository, move.to);
  return {
    approvals: approvals.length,
    changesRequested: reviews.some(({ state }) => state === 'CHANGES_REQUESTED'),
    codeOwnerMissing: false,
    unresolvedThreads: threadsOf(core, pull).filter(({ resolvedById }) => resolvedById === null).length,
    lastPushApproved: approvals.some(({ commitId }) => commitId === pull.head.sha),
    upToDate: move.from === null || (await core.git.isAncestor(repository, move.from, pull.head.sha)),
    method: merged?.parents.length === 2 ? 'merge' : merged?.parents[0] === move.from ? 'squash' : 'rebase',
  };
}
