// Reads landing refs, and writes tombstones. A landing ref is written once: either with the landed commit, or with a
// tombstone, after which the batch can never land.
import type { Context } from '../../../context.ts';
import {
  hostClient,
  type HostCommit,
  HostRefused,
  HostUnavailable,
  RefMoved,
  type HostedRepository,
} from '../../../hosts/port.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';

export const landingRefs = 'refs/interlock/landings/';

export function landingRef(batchId: string): string {
  return `${landingRefs}${batchId}`;
}

const messagePrefix = 'Nothing lands under this number: batch ';

/**
 * Writes the tombstone of a landing before the landing is given up. Without it, a worker that has passed the gate and
 * is delayed before its call could still land as soon as somebody pushes the base back. The worker's update requires
 * the old value of the base and the absence of the landing ref. Only the second condition can be made false for ever.
 * Returns the commit of the landing ref afterwards: the tombstone, or the commit of a landing that was faster. Null:
 * the host refused the ref.
 */
export async function writeTombstone(ctx: Context, { batch, host }: LoadedBatch): Promise<HostCommit | null> {
  const client = hostClient(ctx, host);
  const author = client.identity();
  const tombstone = await client.composeCommit({
    parent: batch.parentCommit,
    members: [
      {
        head: batch.parentCommit,
        strategy: 'squash',
        message: `${messagePrefix}${batch.id}\n`,
        authorName: author.name,
        authorEmail: author.email,
      },
    ],
    batchCommit: 'linear',
    groupMessage: '',
    at: batch.createdAt.getTime(),
    keepRef: 'refs/interlock/tombstone',
  });
  if (tombstone.kind !== 'composed') return null;
  try {
    await client.updateRefs([{ ref: landingRef(batch.id), from: null, to: tombstone.commit }]);
  } catch (error) {
    // If the host refuses landing refs, a delayed landing cannot make its landing ref either.
    if (!(error instanceof RefMoved || error instanceof HostRefused)) throw error;
  }
  return await readLandingRef(ctx, host, batch.id);
}

export async function readLandingRef(
  ctx: Context,
  host: HostedRepository,
  batchId: string,
): Promise<HostCommit | null> {
  const client = hostClient(ctx, host);
  const ref = await client.readRef(landingRef(batchId));
  if (ref === null) return null;
  const commit = await client.readCommit(ref.commit);
  // The batch has landed or never will. If it counted as not landed because its commit cannot be read now, it would
  // land twice.
  if (commit === null) throw new HostUnavailable(`The commit of ${landingRef(batchId)} cannot be read.`);
  return commit;
}

/**
 * Whether a commit is a tombstone. The commit alone decides. Rows are not used, because a restored database may lack
 * them. The author is not used, because the service may be renamed at a host. A batch whose commit would look like a
 * tombstone is not built.
 */
export async function isTombstone(ctx: Context, host: HostedRepository, commit: HostCommit): Promise<boolean> {
  const [parent, other] = commit.parents;
  if (!commit.message.startsWith(messagePrefix) || !/^[0-9]+\n?$/.test(commit.message.slice(messagePrefix.length)))
    return false;
  if (parent === undefined || other !== undefined) return false;
  return (await hostClient(ctx, host).readCommit(parent))?.tree === commit.tree;
}
