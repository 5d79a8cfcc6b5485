// The ref of a landing is written once: with the commit that landed, or with a tombstone that says none ever will.
import type { Context } from '../../../context.ts';
import { HostRefused, HostUnavailable, RefMoved, serviceIdentity, type HostCommit } from '../../../hosts/port.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import type { HostedRepository } from '../store/hosted-repository.ts';

export const landingRefs = 'refs/interlock/landings/';

export function landingRef(batchId: string): string {
  return `${landingRefs}${batchId}`;
}

const inscription = 'Nothing lands under this number:';

/**
 * Before a landing is given up, its ref is taken. A worker that passed the gate earlier and still hangs before the host
 * would otherwise land after all, as soon as somebody pushes the base back to where it was: its update names the base's
 * old value and the absence of this ref, and only the second can be made wrong for ever. Answers what the ref holds
 * then: the tombstone, or the commit of a landing that was faster. Null: the host refused it.
 */
export async function layTombstone(ctx: Context, { batch, host }: LoadedBatch): Promise<HostCommit | null> {
  const adapter = ctx.hosts(host.host);
  const stone = await adapter.composeCommit(host, {
    parent: batch.parentCommit,
    members: [
      {
        head: batch.parentCommit,
        strategy: 'squash',
        message: `${inscription} batch ${batch.id}\n`,
        authorName: serviceIdentity.name,
        authorEmail: serviceIdentity.email,
      },
    ],
    batchCommit: 'linear',
    groupMessage: '',
    at: batch.createdAt.getTime(),
    keepRef: 'refs/interlock/tombstone',
  });
  if (stone.kind !== 'composed') return null;
  try {
    await adapter.updateRefs(host, [{ ref: landingRef(batch.id), from: null, to: stone.commit }]);
  } catch (error) {
    // A host that takes no such refs has no hanging update of one either.
    if (!(error instanceof RefMoved || error instanceof HostRefused)) throw error;
  }
  return await readLandingRef(ctx, host, batch.id);
}

export async function readLandingRef(
  ctx: Context,
  host: HostedRepository,
  batchId: string,
): Promise<HostCommit | null> {
  const adapter = ctx.hosts(host.host);
  const ref = await adapter.readRef(host, landingRef(batchId));
  if (ref === null) return null;
  const commit = await adapter.readCommit(host, ref.commit);
  // Something landed or never will: to call it open, because it cannot be read at this moment, would land it twice.
  if (commit === null) throw new HostUnavailable(`What ${landingRef(batchId)} holds cannot be read.`);
  return commit;
}

/** Told without any row, for a restored database has none. A landing that only looks like one would change nothing. */
export async function isTombstone(ctx: Context, host: HostedRepository, commit: HostCommit): Promise<boolean> {
  const [parent, other] = commit.parents;
  if (!commit.message.startsWith(inscription) || commit.authorEmail !== serviceIdentity.email) return false;
  if (parent === undefined || other !== undefined) return false;
  return (await ctx.hosts(host.host).readCommit(host, parent))?.tree === commit.tree;
}
