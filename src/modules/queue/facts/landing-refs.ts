// The ref of a landing is written once: with the landed commit, or with a tombstone after which nothing lands.
import type { Context } from '../../../context.ts';
import { hostClient, type HostCommit, HostRefused, HostUnavailable, RefMoved } from '../../../hosts/port.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import type { HostedRepository } from '../store/hosted-repository.ts';

export const landingRefs = 'refs/interlock/landings/';

export function landingRef(batchId: string): string {
  return `${landingRefs}${batchId}`;
}

const messagePrefix = 'Nothing lands under this number: batch ';

/**
 * Takes the ref of a landing before the landing is given up. A worker that passed the gate earlier and is delayed
 * before its call could otherwise still land, as soon as somebody pushes the base back. Its update requires the base's
 * old value and the absence of this ref, and only the second condition can be broken for ever. Returns what the ref
 * holds afterwards: the tombstone, or the commit of a faster landing. Null: the host refused the ref.
 */
export async function layTombstone(ctx: Context, { batch, host }: LoadedBatch): Promise<HostCommit | null> {
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
    // A host that refuses such refs cannot have a delayed update of one either.
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
  // The landing happened or never will. If it were called open because the ref cannot be read now, it would land twice.
  if (commit === null) throw new HostUnavailable(`What ${landingRef(batchId)} holds cannot be read.`);
  return commit;
}

/**
 * Recognised without any row, because a restored database has none, and without its author, because the service may be
 * renamed at a host. A real landing that looks like a tombstone would change nothing.
 */
export async function isTombstone(ctx: Context, host: HostedRepository, commit: HostCommit): Promise<boolean> {
  const [parent, other] = commit.parents;
  if (!commit.message.startsWith(messagePrefix) || !/^[0-9]+\n?$/.test(commit.message.slice(messagePrefix.length)))
    return false;
  if (parent === undefined || other !== undefined) return false;
  return (await hostClient(ctx, host).readCommit(parent))?.tree === commit.tree;
}
