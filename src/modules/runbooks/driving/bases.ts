// Finds and checks out the commit that the work on a leaf starts from.
import type { Context } from '../../../context.ts';
import { hostClient, HostRefused, HostUnavailable, type CheckoutFolder } from '../../../hosts/port.ts';
import { placeOf, type RunbookRows } from './runbook.rows.ts';

/** The code host failed before the agent began, so the attempt can be repeated without loss. */
export class HostAway extends Error {}

/**
 * Checks out a worktree for the work on a leaf, or for the planning of a prompt. Returns the checked-out commit. Throws
 * HostAway or HostRefused.
 */
export async function checkOutBase(
  ctx: Context,
  rows: RunbookRows,
  { leaf, ...into }: CheckoutFolder & { readonly leaf: string },
): Promise<string> {
  try {
    const base = await findBase(ctx, rows, leaf);
    await hostClient(ctx, rows.repository).checkOut(base, into);
    return base;
  } catch (error) {
    throw error instanceof HostUnavailable ? new HostAway(error.message, { cause: error }) : error;
  }
}

/**
 * The tip of the branch that the leaf's commit will be pushed to. If this branch does not exist, the tip of its base
 * branch.
 */
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
    `The branch ${runbook.targetBranch} does not exist any more. Create the branch again and retry the runbook, or create another runbook.`,
  );
}
