// Puts a commit that is made on its branch, by compare-and-set. The branch itself shows whether that was done before;
// where somebody else moved it, the commit is cherry-picked onto what is there now.
import type { Context } from '../../../context.ts';
import { hostClient, HostRefused } from '../../../hosts/port.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { findHandles } from '../../accounts/index.ts';
import type { RunbookCommitRow } from '../runbooks.entities.ts';
import { writeLeaf } from '../steps.writer.ts';
import { keptRef } from './leaf.ts';
import { announcePullRequest } from './pull-requests.ended.ts';
import { markBehind, type Called } from './publishing.ts';
import { leafOf, pullRequestOf, type RunbookRows } from './runbook.rows.ts';

export async function pushCommit(ctx: Context, rows: RunbookRows, leafId: string): Promise<Called> {
  const made = rows.commits.find(({ stepId, state }) => stepId === leafId && state === 'made');
  if (made === undefined) return { message: 'nothing was left to push', write: async () => {} };
  // Before anybody can approve what is about to be there.
  await nameAuthors(ctx, rows, pullRequestOf(rows, made.pullRequestId).branch);
  const pushed = await push(ctx, rows, made);
  await passFailpoint('runbook:pushed');
  if (pushed.kind === 'conflict') return conflicts(ctx, leafId, pushed.message);
  const { head } = pushed;
  await forget(ctx, rows, { made, leafId });
  return {
    message: `Pushed ${pushed.commit.slice(0, 10)}`,
    write: async (tx, now) => {
      const commit = now.commits.find(({ id }) => id === made.id);
      if (commit?.state !== 'made') return;
      const row = pullRequestOf(now, commit.pullRequestId);
      Object.assign(commit, { state: 'pushed', commit: pushed.commit });
      Object.assign(row, { headCommit: head, isStale: true });
      markBehind(now);
      await announcePullRequest(ctx, tx, now.runbook, row);
    },
  };
}

/** Everybody who requested part of the runbook is an author of it, as well as the author who is named. */
async function nameAuthors(ctx: Context, { repository, runbook, prompts }: RunbookRows, branch: string): Promise<void> {
  const people = [runbook.authorEmail, runbook.createdBy, ...prompts.map(({ author }) => author)];
  const handles = [runbook.authorHandle ?? null, ...(await findHandles(ctx, people))].filter((name) => name !== null);
  await hostClient(ctx, repository).addBranchAuthors(branch, [...new Set([...people, ...handles])]);
}

type PushOutcome =
  | { readonly kind: 'pushed'; readonly commit: string; readonly head: string }
  | { readonly kind: 'conflict'; readonly message: string };

async function push(ctx: Context, rows: RunbookRows, made: RunbookCommitRow): Promise<PushOutcome> {
  const { repository } = rows;
  const client = hostClient(ctx, repository);
  const row = pullRequestOf(rows, made.pullRequestId);
  const { branch } = row;
  const ref = `refs/heads/${branch}`;
  const tip = (await client.readRef(ref))?.commit ?? null;
  if (tip !== null && (tip === made.commit || (await client.isAncestor(made.commit, tip))))
    return { kind: 'pushed', commit: made.commit, head: tip };
  const onto = tip ?? (await findOtherBase(ctx, rows, made));
  if (onto === null || onto === made.parent) {
    await passFailpoint('runbook:before_push');
    await client.updateRefs([{ ref, from: tip, to: made.commit }]);
    return { kind: 'pushed', commit: made.commit, head: made.commit };
  }
  const picked = await client.cherryPick({ commits: [made.commit], onto, at: made.at.getTime() });
  // Somebody did the same; or it was pushed before the backup that the rows are of.
  if (picked.kind === 'empty') {
    if (tip === null) await client.updateRefs([{ ref, from: null, to: onto }]);
    return { kind: 'pushed', commit: onto, head: onto };
  }
  if (picked.kind === 'conflict') {
    const paths = picked.paths.slice(0, 10).join(', ');
    const moved = tip === null ? row.baseBranch : branch;
    return {
      kind: 'conflict',
      message: `Somebody else pushed to ${moved} meanwhile, and this step's changes conflict with that in ${paths}: retry it, and it is done again on top.`,
    };
  }
  await client.updateRefs([{ ref, from: tip, to: picked.commit }]);
  return { kind: 'pushed', commit: picked.commit, head: picked.commit };
}

/**
 * The base for a commit whose pull request has merged or was closed since the commit was made. The commit then goes
 * into a new pull request, which must contain nothing of the old one that its base does not have. Null: the commit
 * stands on its base.
 */
async function findOtherBase(ctx: Context, rows: RunbookRows, made: RunbookCommitRow): Promise<string | null> {
  const { headCommit, baseBranch } = pullRequestOf(rows, made.pullRequestId);
  if (headCommit) return null;
  const client = hostClient(ctx, rows.repository);
  const base = await client.readRef(`refs/heads/${baseBranch}`);
  if (base === null || (await client.isAncestor(made.parent, base.commit))) return null;
  return base.commit;
}

function conflicts(ctx: Context, leafId: string, message: string): Called {
  return {
    message,
    write: async (tx, now) => {
      const leaf = leafOf(now, leafId);
      const commit = now.commits.find(({ stepId, state }) => stepId === leafId && state === 'made');
      if (commit === undefined) return;
      commit.state = 'void';
      await tx.em.flush();
      await writeLeaf(ctx, tx, now.runbook, { leaf, to: 'failed', errorMessage: message });
    },
  };
}

/** The branch keeps it from here on. What cannot be deleted is kept for nothing, and harms nobody. */
async function forget(
  ctx: Context,
  { repository }: RunbookRows,
  { made, leafId }: { readonly made: RunbookCommitRow; readonly leafId: string },
): Promise<void> {
  const client = hostClient(ctx, repository);
  const ref = keptRef(leafId);
  try {
    const kept = await client.readRef(ref);
    if (kept !== null) await client.updateRefs([{ ref, from: kept.commit, to: null }]);
  } catch (error) {
    if (!(error instanceof HostRefused))
      ctx.log.warn({ error: String(error), ref, commit: made.commit }, 'A ref of a runbook could not be deleted.');
  }
}
