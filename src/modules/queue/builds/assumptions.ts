// Composes the commit on which the members of a speculative build are merged: the parent commit with one layer for each
// assumed pull request. Speculative builds of a line share most of their layers. So composing starts from the existing
// commit that has the most of the layers, and a line needs about one merge for each of its pull requests.
import { createHash } from 'node:crypto';
import type { Context } from '../../../context.ts';
import { hostClient, type CompositionMember, type CompositionResult, type Identity } from '../../../hosts/port.ts';
import type { BatchAssumptionRow, BatchMemberRow, BatchRow } from '../store/queue.entities.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';

type Layer = Pick<BatchMemberRow | BatchAssumptionRow, 'pinnedHead' | 'strategy' | 'belowHead' | 'joinsNext'>;

export type AssumedCommit =
  | { readonly kind: 'composed'; readonly commit: string }
  | Extract<CompositionResult, { kind: 'conflict' }>;

/**
 * Returns the commit on which the members are merged. For a conflict, `at` is the index of the pull request that
 * conflicts, among the assumed ones.
 */
export async function composeAssumedCommit(ctx: Context, loaded: LoadedBatch, at: number): Promise<AssumedCommit> {
  const { batch, host, assumed } = loaded;
  if (assumed.length === 0) return { kind: 'composed', commit: batch.parentCommit };
  const existing = await findExistingCommit(ctx, loaded);
  const missing = assumed.slice(existing.layers);
  if (missing.length === 0) return { kind: 'composed', commit: existing.commit };
  const client = hostClient(ctx, host);
  const author = client.identity();
  const composed = await client.composeCommit({
    parent: existing.commit,
    members: missing.map((row) => compositionOf(batch, row, author)),
    batchCommit: 'linear',
    groupMessage: '',
    at,
    keepRef: buildRef(batch),
  });
  if (composed.kind === 'conflict') return { ...composed, at: existing.layers + composed.at };
  return { kind: 'composed', commit: composed.commit };
}

export function buildRef({ id }: BatchRow): string {
  return `refs/interlock/builds/${id}`;
}

/** The composed commit never lands. Its message is for people who look at a build. */
function compositionOf(batch: BatchRow, row: BatchAssumptionRow, author: Identity): CompositionMember {
  return {
    head: row.pinnedHead,
    strategy: row.strategy,
    message: `Assume that ${row.pinnedHead} lands first\n\nBatch ${batch.id} is built on top of it.\n`,
    authorName: author.name,
    authorEmail: author.email,
    belowHead: row.belowHead ?? null,
    joinsNext: row.joinsNext,
  };
}

interface ExistingCommit {
  readonly commit: string;
  /** How many of the assumed pull requests the commit contains. */
  readonly layers: number;
}

async function findExistingCommit(ctx: Context, { batch, assumed, host }: LoadedBatch): Promise<ExistingCommit> {
  const digests = digestLayers(batch, assumed);
  const rows = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ content: string; commit: string }>(
        `select distinct on (content) content, commit from batch
         where account_id = $1 and queue_id = $2 and content = any($3) and commit is not null order by content, id`,
        [ctx.accountId, batch.queueId, digests],
      ),
  );
  const layersOf = new Map(digests.map((digest, index) => [digest, index + 1]));
  const [longest] = rows
    .map(({ content, commit }) => ({ commit, layers: layersOf.get(content) ?? 0 }))
    .sort((a, b) => b.layers - a.layers);
  // A ref at the host keeps the commit of each build. If the ref was deleted, the commit cannot be used.
  const exists = longest !== undefined && (await hostClient(ctx, host).readCommit(longest.commit)) !== null;
  return exists ? longest : { commit: batch.parentCommit, layers: 0 };
}

/**
 * Returns the digest by which other speculative builds find the commit of this batch. Null for a batch that is not a
 * speculative build, because the messages of its commits differ.
 */
export function digestContent({ batch, assumed, members }: LoadedBatch): string | null {
  return batch.sideBuild === 'speculative' ? (digestLayers(batch, [...assumed, ...members]).at(-1) ?? null) : null;
}

/** Returns the digest of the parent commit with the first layer, with the first two layers, and so on. */
function digestLayers({ parentCommit, strategy }: BatchRow, layers: readonly Layer[]): string[] {
  const digests: string[] = [];
  for (const layer of layers) {
    const content = [layer.pinnedHead, layer.strategy ?? strategy, layer.belowHead ?? null, layer.joinsNext];
    const below = digests.at(-1) ?? parentCommit;
    digests.push(
      createHash('sha256')
        .update(JSON.stringify([below, ...content]))
        .digest('base64'),
    );
  }
  return digests;
}
