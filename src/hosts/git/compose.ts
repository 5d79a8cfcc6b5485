// Makes the commit that is tested and then lands. Everything happens in the object
// database, by `merge-tree`, without a worktree; dates and identities come from the composition, so the same
// composition always has the same ids.
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
import { objectId } from './names.ts';
import { readCommit, readCommits, signature, writeCommit, type NewCommit, type RawCommit } from './objects.ts';
import { setRef } from './refs.ts';

const rebaseLimit = 500;

/** What a commit is made of, and who commits it. */
export type Committed<Made> = Made & { readonly committer: Committer };

/** Throws HostRefused when the parent or a head is no commit of the repository. */
export async function composeCommit(
  git: Git,
  directory: string,
  composition: Committed<Composition>,
): Promise<CompositionResult> {
  if (composition.members.length === 0) throw new HostRefused('There is nothing to compose: no pull request was named');
  const context: CommitContext = { git, directory, at: composition.at, committer: composition.committer };
  const parent = await mustReadCommit(context, composition.parent);
  const made: string[] = [];
  const ownCommits: string[] = [];
  let chain: Tip = { commit: parent.commit, tree: parent.tree };
  // What joins the next member: merged into a tree, and in no commit so far.
  let joined: Tip = chain;
  for (const [at, member] of composition.members.entries()) {
    const grown = await addMember(context, { chain, joined }, member);
    if (grown.kind === 'conflict') return { kind: 'conflict', at, paths: grown.paths };
    joined = grown.tip;
    if (member.joinsNext && at < composition.members.length - 1) continue;
    chain = grown.tip;
    made.push(...grown.made);
    while (ownCommits.length <= at) ownCommits.push(chain.commit);
  }
  // One pull request with one commit of its own arrives as that commit; more of them need a group commit, or the
  // base would for a moment stand on commits nobody tested.
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
  return { kind: 'composed', commit, tree: chain.tree, ownCommits };
}

export type MergeOutcome =
  | { readonly kind: 'merged'; readonly tree: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/** The tree `git merge` would make of two commits; nothing but objects is written. */
export async function mergeTrees(
  git: Git,
  directory: string,
  { ours, theirs }: { readonly ours: string; readonly theirs: string },
): Promise<MergeOutcome> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', objectId(ours), objectId(theirs)];
  try {
    const { exitCode, stdout } = await git.run(directory, args, { accept: [0, 1] });
    const [tree = '', ...paths] = stdout
      .toString('utf8')
      .split('\0')
      .map((line) => line.replace(/\n$/, ''));
    if (exitCode === 0) return { kind: 'merged', tree: objectId(tree) };
    return { kind: 'conflict', paths: [...new Set(paths.filter((path) => path !== ''))] };
  } catch (error) {
    if (error instanceof GitFailed && /unrelated histories/.test(error.stderr)) return { kind: 'conflict', paths: [] };
    throw error;
  }
}

/** A commit that brings `from` into `head`, as "update branch" does. */
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
  const theirs = await holding(context, from, { belowHead: update.belowHead ?? null, head: update.head });
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
      const ours = await holding(context, joined, { belowHead: member.belowHead ?? null, head: head.commit });
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
 * A stand-in for a tip that has the changes of `belowHead` by other commits, a squash above all: merging into it asks
 * for what came after that head. A head that contains the tip itself says what it makes of both.
 */
export async function holding(
  context: CommitContext,
  tip: Tip,
  of: { readonly belowHead: string | null; readonly head: string },
): Promise<string> {
  const { git, directory } = context;
  if (of.belowHead === null || (await isAncestor(git, directory, { ancestor: tip.commit, descendant: of.head })))
    return tip.commit;
  const below = await mustReadCommit(context, of.belowHead);
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
 * Rebases the head's own first-parent line onto the chain. A merge in that line is replayed as its change against
 * its first parent: what it brought from the base is there already and becomes empty, and what somebody resolved
 * or merged in by hand is not lost, as it would be if merges were dropped.
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
    const outcome = await pick(context, tip, commit);
    if (outcome.kind === 'conflict') return outcome;
    const isEmpty = outcome.tree === tip.tree;
    const isLastHope = index === series.length - 1 && made.length === 0;
    if (isEmpty && !isLastHope) continue;
    tip = await commitOn(context, {
      tree: outcome.tree,
      parents: [tip.commit],
      author: commit.author,
      message: commit.message,
    });
    made.push(tip);
  }
  // A head that is wholly on the chain already has no series; it still arrives as a commit of its own.
  if (made.length > 0) return grown(made);
  const { message } = member;
  const author = authorOf(context, member);
  return grown([await commitOn(context, { tree: chain.tree, parents: [chain.commit], author, message })]);
}

async function ownCommitsOf(context: CommitContext, known: readonly string[], head: RawCommit): Promise<RawCommit[]> {
  const args = ['rev-list', '--first-parent', '--reverse', head.commit, ...known.map((id) => `^${objectId(id)}`)];
  const ids = (await context.git.text(context.directory, args)).split('\n').filter((id) => id !== '');
  if (ids.length > rebaseLimit) {
    throw new HostRefused(
      `${ids.length} commits are too many to rebase (limit ${rebaseLimit}); use squash or merge for this pull request`,
    );
  }
  return await readCommits(context.git, context.directory, ids);
}

// git 2.39's merge-tree takes no merge base. A stand-in commit with the tip's tree and the picked commit's first
// parent as its only parent makes that parent the one merge base there is.
export async function pick(context: CommitContext, tip: Tip, commit: RawCommit): Promise<MergeOutcome> {
  const base = commit.parents[0];
  if (base === tip.commit) return { kind: 'merged', tree: commit.tree };
  if (base === undefined)
    return await mergeTrees(context.git, context.directory, { ours: tip.commit, theirs: commit.commit });
  const standIn = await commitOn(context, {
    tree: tip.tree,
    parents: [base],
    author: committerOf(context),
    message: 'Merge base of a picked commit',
  });
  return await mergeTrees(context.git, context.directory, { ours: standIn.commit, theirs: commit.commit });
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
  return signature(context.committer.name, context.committer.email, context.at);
}

function authorOf(context: CommitContext, member: CompositionMember): string {
  return signature(member.authorName, member.authorEmail, context.at);
}

async function mustReadCommit(context: CommitContext, id: string): Promise<RawCommit> {
  const commit = await readCommit(context.git, context.directory, id);
  if (commit === null) throw new HostRefused(`${id} is not a commit of this repository`);
  return commit;
}
