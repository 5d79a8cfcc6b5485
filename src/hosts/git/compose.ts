// Makes the commit that is tested and then lands. Merges are made by `git merge-tree` in the object database, without a
// worktree. Dates and identities come from the composition, so the same composition always gives the same commit ids.
import {
  type Composition,
  type CompositionMember,
  type CompositionResult,
  HostRefused,
  HostUnavailable,
} from '../port.ts';
import { isAncestor } from './ancestry.ts';
import type { Committer } from './commit-signing.ts';
import { GitFailed } from './git-failed.ts';
import type { Git } from './git.ts';
import { requireObjectId } from './names.ts';
import { readCommit, readCommits, formatIdentity, writeCommit, type NewCommit, type RawCommit } from './objects.ts';
import { setRef } from './refs.ts';

const rebaseLimit = 500;

/** The parts of a commit to make, and its committer. */
export type WithCommitter<Made> = Made & { readonly committer: Committer };

/** Makes the commits of a composition. Throws HostRefused if the parent or a head is not a commit of the repository. */
export async function composeCommit(
  git: Git,
  directory: string,
  composition: WithCommitter<Composition>,
): Promise<CompositionResult> {
  if (composition.members.length === 0) throw new HostRefused('There is nothing to compose: no pull request was named');
  const context: CommitContext = { git, directory, at: composition.at, committer: composition.committer };
  const parent = await mustReadCommit(context, composition.parent);
  const made: string[] = [];
  const ownCommits: string[] = [];
  let chain: Tip = { commit: parent.commit, tree: parent.tree };
  // `chain`, with the changes of the members that become part of the next member's commit.
  let joined: Tip = chain;
  let isEmpty = false;
  for (const [at, member] of composition.members.entries()) {
    const grown = await addMember(context, { chain, joined }, member);
    if (grown.kind === 'conflict') return { kind: 'conflict', at, paths: grown.paths };
    joined = grown.tip;
    if (member.joinsNext && at < composition.members.length - 1) continue;
    isEmpty = grown.tip.tree === chain.tree;
    chain = grown.tip;
    made.push(...grown.made);
    while (ownCommits.length <= at) ownCommits.push(chain.commit);
  }
  // If the batch has only one own commit, this commit itself lands. Several own commits need a group commit. Otherwise
  // the first-parent line of the base branch would contain commits that were not tested.
  const groupsOne = composition.groupsOne === true && composition.members[0]?.strategy !== 'merge';
  const isGroup = composition.batchCommit === 'group' && (made.length > 1 || groupsOne);
  const commit = isGroup
    ? await writeCommit(directory, {
        tree: chain.tree,
        parents: [parent.commit, chain.commit],
        author: committerOf(context),
        committer: committerOf(context),
        message: composition.groupMessage,
        sign: composition.committer.sign,
      })
    : chain.commit;
  await setRef(git, directory, { ref: composition.keepRef, to: commit });
  return { kind: 'composed', commit, tree: chain.tree, ownCommits, isEmpty };
}

export type MergeOutcome =
  | { readonly kind: 'merged'; readonly tree: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

// git 2.43 to 2.45 reads the attributes of a bare repository from its HEAD, and other versions read none. A landing must
// not depend on the version, because the tree of a merge is derived again later.
const withoutAttributes = { GIT_ATTR_SOURCE: emptyTree };

/** Makes the tree that `git merge` would make of two commits. Writes only objects. */
export async function mergeTrees(
  git: Git,
  directory: string,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
): Promise<MergeOutcome> {
  const args = [
    'merge-tree',
    '--write-tree',
    '--name-only',
    '--no-messages',
    '-z',
    requireObjectId(ours),
    requireObjectId(theirs),
  ];
  try {
    const { exitCode, stdout } = await git.run(directory, args, { accept: [0, 1], env: withoutAttributes });
    const [tree = '', ...paths] = stdout
      .toString('utf8')
      .split('\0')
      .map((line) => line.replace(/\n$/, ''));
    if (exitCode === 0) return { kind: 'merged', tree: requireObjectId(tree) };
    return { kind: 'conflict', paths: [...new Set(paths.filter((path) => path !== ''))] };
  } catch (error) {
    if (error instanceof GitFailed && /unrelated histories/.test(error.stderr)) return { kind: 'conflict', paths: [] };
    throw error;
  }
}

/** Makes a merge commit of `from` into `head`, like GitHub's button "Update branch". */
export async function composeUpdate(
  git: Git,
  directory: string,
  update: {
    readonly head: string;
    readonly from: string;
    readonly message: string;
    readonly at: number;
    readonly belowHead?: string | null;
    readonly committer: Committer;
  },
): Promise<({ readonly kind: 'merged' } & Tip) | Extract<MergeOutcome, { kind: 'conflict' }>> {
  const context: CommitContext = { git, directory, at: update.at, committer: update.committer };
  const from = await mustReadCommit(context, update.from);
  const theirs = await withBelowHead(context, from, { belowHead: update.belowHead ?? null, head: update.head });
  const merged = await mergeTrees(git, directory, { ours: update.head, theirs });
  if (merged.kind === 'conflict') return merged;
  const tip = await commitOn(context, {
    tree: merged.tree,
    parents: [update.head, update.from],
    author: committerOf(context),
    message: update.message,
  });
  return { kind: 'merged', ...tip };
}

export interface CommitContext {
  readonly git: Git;
  readonly directory: string;
  readonly at: number;
  readonly committer: Committer;
}

export interface Tip {
  readonly commit: string;
  readonly tree: string;
}

type Growth =
  | { readonly kind: 'grown'; readonly tip: Tip; readonly made: readonly string[] }
  | Extract<MergeOutcome, { kind: 'conflict' }>;

async function addMember(
  context: CommitContext,
  { chain, joined }: { readonly chain: Tip; readonly joined: Tip },
  member: CompositionMember,
): Promise<Growth> {
  const head = await mustReadCommit(context, member.head);
  switch (member.strategy) {
    case 'squash':
    case 'merge': {
      const ours = await withBelowHead(context, joined, { belowHead: member.belowHead ?? null, head: head.commit });
      const merged = await mergeTrees(context.git, context.directory, { ours, theirs: head.commit });
      if (merged.kind === 'conflict') return merged;
      const parents = member.strategy === 'merge' ? [chain.commit, head.commit] : [chain.commit];
      const { message } = member;
      return grown([
        await commitOn(context, { tree: merged.tree, parents, author: authorOf(context, member), message }),
      ]);
    }
    case 'rebase':
      return await replay(context, chain, { head, member });
    default: {
      const never: never = member.strategy;
      throw new Error(`Unknown merge strategy ${String(never)}`);
    }
  }
}

/**
 * Makes a temporary commit with the tree of the tip, whose parents are the tip and `belowHead`. It is for a tip that
 * contains the changes of `belowHead` in other commits, usually a squash. A merge into the temporary commit then merges
 * only the changes after `belowHead`. Returns the tip itself if it needs no such commit, for example because the head
 * contains the tip.
 */
export async function withBelowHead(
  context: CommitContext,
  tip: Tip,
  heads: { readonly belowHead: string | null; readonly head: string },
): Promise<string> {
  const { git, directory } = context;
  if (heads.belowHead === null || (await isAncestor(git, directory, { ancestor: tip.commit, descendant: heads.head })))
    return tip.commit;
  const below = await mustReadCommit(context, heads.belowHead);
  if (await isAncestor(git, directory, { ancestor: below.commit, descendant: tip.commit })) return tip.commit;
  const message = 'A base and what landed in it';
  return (
    await commitOn(context, {
      tree: tip.tree,
      parents: [tip.commit, below.commit],
      author: committerOf(context),
      message,
    })
  ).commit;
}

/**
 * Rebases the head's own first-parent line onto the chain. For a merge commit, its difference from its first parent is
 * replayed. If the merge commit merged only the base, this difference is empty on the chain. If it has resolved
 * conflicts or merged another branch, these changes are kept. Leaving out merge commits would lose the changes.
 */
async function replay(
  context: CommitContext,
  chain: Tip,
  { head, member }: { readonly head: RawCommit; readonly member: CompositionMember },
): Promise<Growth> {
  const series = await ownCommitsOf(context, [chain.commit, ...(member.belowHead ? [member.belowHead] : [])], head);
  const made: Tip[] = [];
  let tip = chain;
  for (const [index, commit] of series.entries()) {
    const outcome = await pickCommit(context, tip, commit);
    if (outcome.kind === 'conflict') return outcome;
    const isEmpty = outcome.tree === tip.tree;
    const isLastChance = index === series.length - 1 && made.length === 0;
    if (isEmpty && !isLastChance) continue;
    tip = await commitOn(context, {
      tree: outcome.tree,
      parents: [tip.commit],
      author: commit.author,
      message: commit.message,
    });
    made.push(tip);
  }
  // If the chain contains the head already, there is nothing to replay. The pull request still gets an own commit.
  if (made.length > 0) return grown(made);
  const { message } = member;
  const author = authorOf(context, member);
  return grown([await commitOn(context, { tree: chain.tree, parents: [chain.commit], author, message })]);
}

async function ownCommitsOf(context: CommitContext, known: readonly string[], head: RawCommit): Promise<RawCommit[]> {
  const args = [
    'rev-list',
    '--first-parent',
    '--reverse',
    head.commit,
    ...known.map((id) => `^${requireObjectId(id)}`),
  ];
  const ids = (await context.git.text(context.directory, args)).split('\n').filter((id) => id !== '');
  if (ids.length > rebaseLimit) {
    throw new HostRefused(
      `${ids.length} commits are too many to rebase (limit ${rebaseLimit}); use squash or merge for this pull request`,
    );
  }
  return await readCommits(context.git, context.directory, ids);
}

// `merge-tree` of git 2.39 has no option for the merge base. So a temporary commit is made with the tree of the tip
// and, as its only parent, the first parent of the picked commit. This parent is then the only merge base.
export async function pickCommit(context: CommitContext, tip: Tip, commit: RawCommit): Promise<MergeOutcome> {
  const base = commit.parents[0];
  if (base === tip.commit) return { kind: 'merged', tree: commit.tree };
  if (base === undefined)
    return await mergeTrees(context.git, context.directory, { ours: tip.commit, theirs: commit.commit });
  const temporary = await commitOn(context, {
    tree: tip.tree,
    parents: [base],
    author: committerOf(context),
    message: 'Merge base of a picked commit',
  });
  return await mergeTrees(context.git, context.directory, { ours: temporary.commit, theirs: commit.commit });
}

export async function commitOn(
  context: CommitContext,
  { tree, parents, author, message }: Pick<NewCommit, 'tree' | 'parents' | 'author' | 'message'>,
): Promise<Tip> {
  const commit = await writeCommit(context.directory, {
    tree,
    parents,
    author,
    committer: committerOf(context),
    message,
    sign: context.committer.sign,
  });
  return { commit, tree };
}

function grown(made: readonly Tip[]): Growth {
  const tip = made.at(-1);
  if (tip === undefined) throw new HostUnavailable('A pull request was composed into no commit');
  return { kind: 'grown', tip, made: made.map(({ commit }) => commit) };
}

function committerOf(context: CommitContext): string {
  return formatIdentity(context.committer.name, context.committer.email, context.at);
}

function authorOf(context: CommitContext, member: CompositionMember): string {
  return formatIdentity(member.authorName, member.authorEmail, context.at);
}

async function mustReadCommit(context: CommitContext, id: string): Promise<RawCommit> {
  const commit = await readCommit(context.git, context.directory, id);
  if (commit === null) throw new HostRefused(`${id} is not a commit of this repository`);
  return commit;
}
