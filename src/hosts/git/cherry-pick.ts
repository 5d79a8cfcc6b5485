// Cherry-picks commits, like `git rebase` and `git cherry-pick`, and updates a head with the changes of its base. All
// of this works in the object database, without a worktree. Authors and author dates are kept, and the committer is
// Interlock.
import { HostRefused, type BranchUpdate, type PickedCommits } from '../port.ts';
import { isAncestor } from './ancestry.ts';
import { type CommitContext, type WithCommitter, type Tip, commitOn, composeUpdate, pickCommit } from './compose.ts';
import type { Git } from './git.ts';
import { requireObjectId } from './names.ts';
import { readCommit, readCommits, type RawCommit } from './objects.ts';

const maxCommits = 500;

/**
 * Updates a head with the changes of `onto`: by a merge commit, or by a rebase of the head's own commits onto it.
 * Returns the head itself if it contains `onto` already.
 */
export async function updateHeadWithBase(
  git: Git,
  directory: string,
  update: WithCommitter<BranchUpdate>,
): Promise<PickedCommits> {
  const head = await mustRead(git, directory, update.head);
  const onto = await mustRead(git, directory, update.onto);
  if (await isAncestor(git, directory, { ancestor: onto.commit, descendant: head.commit }))
    return { kind: 'composed', commit: head.commit, tree: head.tree };
  if (update.method === 'rebase') {
    const below = update.belowHead ? [requireObjectId(update.belowHead)] : [];
    return await rebase({ git, directory, at: update.at, committer: update.committer }, head, { onto, below });
  }
  const merged = await composeUpdate(git, directory, { ...update, from: onto.commit });
  return merged.kind === 'conflict' ? merged : { ...merged, kind: 'composed' };
}

/**
 * Rebases the first-parent line of the head. A commit whose patch `onto` has already is left out. For a merge commit,
 * its difference from its first parent is replayed. If the merge commit merged only the base, this difference is empty
 * on `onto`, and the commit is left out. If it has resolved conflicts or merged another branch, these changes are kept.
 */
async function rebase(
  context: CommitContext,
  head: RawCommit,
  { onto, below }: { readonly onto: RawCommit; readonly below: readonly string[] },
): Promise<PickedCommits> {
  const { git, directory } = context;
  const known = [onto.commit, ...below].map((id) => `^${id}`);
  const list = await git.text(directory, ['rev-list', '--first-parent', '--reverse', head.commit, ...known]);
  const ids = lines(list);
  refuseTooMany(ids.length, 'rebase');
  const marked = await git.text(directory, [
    'rev-list',
    '--right-only',
    '--cherry-mark',
    '--no-merges',
    `${onto.commit}...${head.commit}`,
  ]);
  const cherries = new Set(lines(marked).flatMap((line) => (line.startsWith('=') ? [line.slice(1)] : [])));
  const series = await readCommits(
    git,
    directory,
    ids.filter((id) => !cherries.has(id)),
  );
  return await pickAll(context, onto, { series, messageOf: (commit) => commit.message });
}

/**
 * Cherry-picks each commit as its difference from its first parent (`cherry-pick -m 1` for merges). The message of each
 * new commit names the original commit.
 */
export async function cherryPick(
  git: Git,
  directory: string,
  picked: WithCommitter<{ readonly commits: readonly string[]; readonly onto: string; readonly at: number }>,
): Promise<PickedCommits> {
  refuseTooMany(picked.commits.length, 'cherry-pick');
  const series: RawCommit[] = [];
  for (const id of picked.commits) series.push(await mustRead(git, directory, id));
  const onto = await mustRead(git, directory, picked.onto);
  return await pickAll({ git, directory, at: picked.at, committer: picked.committer }, onto, {
    series,
    messageOf: withOrigin,
  });
}

async function pickAll(
  context: CommitContext,
  onto: RawCommit,
  { series, messageOf }: { readonly series: readonly RawCommit[]; readonly messageOf: (commit: RawCommit) => string },
): Promise<PickedCommits> {
  let tip: Tip = onto;
  for (const commit of series) {
    const outcome = await pickCommit(context, tip, commit);
    if (outcome.kind === 'conflict') return { kind: 'conflict', paths: outcome.paths };
    if (outcome.tree === tip.tree) continue;
    tip = await commitOn(context, {
      tree: outcome.tree,
      parents: [tip.commit],
      author: commit.author,
      message: messageOf(commit),
    });
  }
  return tip.commit === onto.commit ? { kind: 'empty' } : { kind: 'composed', commit: tip.commit, tree: tip.tree };
}

const trailer = /^([A-Za-z0-9-]+: .+|\(cherry picked from commit [0-9a-f]+\))$/;

// Adds the same line as `git cherry-pick -x`: after the existing trailers, or else as a new paragraph.
function withOrigin(commit: RawCommit): string {
  const message = commit.message.trimEnd();
  const [, ...paragraphs] = message.split(/\n\n+/);
  const isTrailers =
    paragraphs
      .at(-1)
      ?.split('\n')
      .every((line) => trailer.test(line)) ?? false;
  return `${message}${isTrailers ? '\n' : '\n\n'}(cherry picked from commit ${commit.commit})`;
}

function refuseTooMany(count: number, operation: string): void {
  if (count > maxCommits) throw new HostRefused(`${count} commits are too many to ${operation} (limit ${maxCommits})`);
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

async function mustRead(git: Git, directory: string, id: string): Promise<RawCommit> {
  const commit = await readCommit(git, directory, requireObjectId(id));
  if (commit === null) throw new HostRefused(`${id} is not a commit of this repository`);
  return commit;
}
