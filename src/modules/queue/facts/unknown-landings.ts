// Finds landings at the host that have no row, and halts the queues of their repository. A restored database is older
// than its repositories: it lacks the landings since the backup. If such landings counted as pushes, the queue would
// build on them and land the same changes again. So a queue accepts a tip that it did not make only if every landing ref
// of the repository has its row (docs/adr/0012-outages.md).
import type { Context } from '../../../context.ts';
import { hostClient, type HostedRepository } from '../../../hosts/port.ts';
import { isTombstone, landingRefs } from './landing-refs.ts';
import { QueueEntity } from '../store/queue.entities.ts';
import { changeQueue } from '../store/queue.locks.ts';
import { startWork, finishWork, haltWork } from '../store/status.writer.ts';

/** The beginning of the halt reason of a queue whose database is older than its repository. */
export const restoredReason = 'DATABASE_RESTORED:';

export interface UnknownLanding {
  readonly ref: string;
  readonly commit: string;
}

/**
 * Returns the landing refs of the host that have no record. A landing ref has a record if there is a landing with its
 * commit, a started intent to land its batch, or a tombstone of its batch.
 */
export async function findUnknownLandings(
  ctx: Context,
  repository: HostedRepository,
): Promise<readonly UnknownLanding[]> {
  // The refs are read before the rows. The row of an intent is written before its landing ref, so every ref that is
  // read here already has its row.
  const refs = await hostClient(ctx, repository).listRefs(landingRefs);
  if (refs.length === 0) return [];
  const unknown = await ctx.db.read<{ ref: string; commit: string }>(ctx.accountId, {
    name: 'unknown_landings',
    text: `select seen.ref, seen.commit from unnest($3::text[], $4::text[]) with ordinality as seen (ref, commit, n)
       where not exists (select from landing l where l.account_id = $1 and l.repository_id = $2 and l.commit = seen.commit)
         and not exists (select from intent i join batch b on b.account_id = i.account_id and b.id = i.batch_id
                         where i.account_id = $1 and i.kind = 'land' and i.state = 'started'
                           and b.repository_id = $2 and $5 || b.id = seen.ref
                           and (b.commit = seen.commit or (i.payload->'passed'->>'byHost')::boolean))
         and not exists (select from batch b where b.account_id = $1 and b.repository_id = $2 and b.given_up and $5 || b.id = seen.ref)
       order by seen.n`,
    values: [ctx.accountId, repository.id, refs.map(({ ref }) => ref), refs.map(({ commit }) => commit), landingRefs],
  });
  const landings: UnknownLanding[] = [];
  for (const landing of unknown) {
    const commit = await hostClient(ctx, repository).readCommit(landing.commit);
    if (commit === null || !(await isTombstone(ctx, repository, commit))) landings.push(landing);
  }
  return landings;
}

/** Halts every queue of the repository if a landing has no row. Returns whether there is such a landing. */
export async function haltOnUnknownLandings(ctx: Context, repository: HostedRepository): Promise<boolean> {
  const unknown = await findUnknownLandings(ctx, repository);
  const [first] = unknown;
  if (first === undefined) return false;
  const others = unknown.length === 1 ? '' : `, and ${unknown.length - 1} more`;
  const reason = restoredHaltReason(`there is no record of the landing ${first.ref} at ${first.commit}${others}`);
  const running = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.em.find(QueueEntity, { repositoryId: repository.id, haltedReason: null }, { orderBy: { id: 'asc' } }),
  );
  for (const { id } of running) {
    await ctx.db.transaction(ctx.accountId, async (tx) => {
      const work = startWork(ctx, tx, await changeQueue(ctx, tx, id));
      if (!work.queue.haltedReason) haltWork(work, reason);
      await finishWork(work);
    });
  }
  return true;
}

export function restoredHaltReason(cause: string): string {
  return `${restoredReason} ${cause}: the database is older than the repository. Nothing lands until somebody runs: npm run recover -- --yes`;
}
