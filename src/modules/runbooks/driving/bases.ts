// The commit that a leaf's work begins at.
import type { Context } from '../../../context.ts';
import { hostClient, HostRefused, HostUnavailable } from '../../../hosts/port.ts';
import { placeOf, type RunbookRows } from './runbook.rows.ts';

/** The code host failed before the agent began: nothing was done, and nothing is lost by waiting for it. */
export class HostAway extends Error {}

/**
 * A worktree for a leaf, or for a prompt that is planned there. Answers the commit it begins at. Throws HostAway,
 * HostRefused.
 */
export async function checkOutBase(
  ctx: Context,
  rows: RunbookRows,
  { leaf, folder }: { readonly leaf: string; readonly folder: string },
): Promise<string> {
  try {
    const base = await findBase(ctx, rows, leaf);
    await hostClient(ctx, rows.repository).checkOut(base, folder);
    return base;
  } catch (error) {
    throw error instanceof HostUnavailable ? new HostAway(error.message, { cause: error }) : error;
  }
}

/** Tip of the branch its commit will be pushed to, or, while that is not there, of what that begins at. */
async function findBase(ctx: Context, rows: RunbookRows, leaf: string): Promise<string> {
  const { repository, runbook } = rows;
  const place = placeOf(rows, leaf);
  const branches =
    place.kind === 'next'
      ? [place.baseBranch]
      : [place.branch, rows.pullRequests.find(({ id }) => id === place.id)?.baseBranch ?? runbook.targetBranch];
  for (const branch of [...branches, runbook.targetBranch]) {
    const tip = await hostClient(ctx, repository).readRef(`refs/heads/${branch}`);
    if (tip !== null) return tip.commit;
  }
  throw new HostRefused(
    `The branch ${runbook.targetBranch} is not there any more: make it again and retry, or begin another runbook.`,
  );
}
