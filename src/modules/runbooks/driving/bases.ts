// The commit that a leaf's work begins at.
import type { Context } from '../../../context.ts';
import { HostRefused } from '../../../hosts/port.ts';
import { placeOf, type RunbookRows } from './runbook.rows.ts';

/** Tip of the branch its commit will be pushed to, or, while that is not there, of what that begins at. */
export async function findBase(ctx: Context, rows: RunbookRows, leaf: string): Promise<string> {
  const { repository, runbook } = rows;
  const host = ctx.hosts(repository.host);
  const place = placeOf(rows, leaf);
  const branches =
    place.kind === 'next'
      ? [place.baseBranch]
      : [place.branch, rows.pullRequests.find(({ id }) => id === place.id)?.baseBranch ?? runbook.targetBranch];
  for (const branch of [...branches, runbook.targetBranch]) {
    const tip = await host.readRef(repository, `refs/heads/${branch}`);
    if (tip !== null) return tip.commit;
  }
  throw new HostRefused(
    `The branch ${runbook.targetBranch} is not there any more: make it again and retry, or begin another runbook.`,
  );
}
