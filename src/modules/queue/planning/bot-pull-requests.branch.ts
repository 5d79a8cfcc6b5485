// Branches of bot pull requests are ours alone: moved and deleted from wherever they stand, by compare-and-set.
import type { Context } from '../../../context.ts';
import { RefMoved } from '../../../hosts/port.ts';
import type { HostedRepository } from '../store/hosted-repository.ts';

/** One that stands elsewhere is older than the records, and is moved. */
export async function moveBranch(ctx: Context, host: HostedRepository, branch: string, to: string): Promise<void> {
  const adapter = ctx.hosts(host.host);
  const ref = `refs/heads/${branch}`;
  const there = await adapter.readRef(host, ref);
  if (there?.commit !== to) await adapter.updateRefs(host, [{ ref, from: there?.commit ?? null, to }]);
}

export async function deleteBranch(ctx: Context, host: HostedRepository, branch: string): Promise<void> {
  const adapter = ctx.hosts(host.host);
  const ref = `refs/heads/${branch}`;
  const there = await adapter.readRef(host, ref);
  if (there === null) return;
  try {
    await adapter.updateRefs(host, [{ ref, from: there.commit, to: null }]);
  } catch (error) {
    if (!(error instanceof RefMoved && error.actual === null)) throw error;
  }
}
