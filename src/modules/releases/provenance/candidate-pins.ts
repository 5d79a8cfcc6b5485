// Prepares new candidates. A ref pins the candidate's commit, so that a forced push to its branch does not lose the
// commit. Then `reachBase` finds which commits of the base branches the candidate contains. The reconciler repeats
// both.
import { systemContext, type Context, type Ports } from '../../../context.ts';
import { hostClient, type HostedRepository, RefMoved } from '../../../hosts/port.ts';
import { queuesThatMerged } from './provenance.reads.ts';
import { reachBase } from './reach.ts';

const maxAtOnce = 20;
/** After how long a candidate is tried again, if the first try failed or its process was killed. */
const againMs = 60_000;
const pins = 'refs/interlock/candidates/';

interface DueCandidate extends Omit<HostedRepository, 'id'> {
  readonly id: string;
  readonly repositoryId: string;
  readonly commit: string;
}

/** SQL: whether `lookAtNewCandidates` would find a candidate. */
export const candidatesAreDue = 'exists (select from release_candidate where git_look_at <= $1)';

/**
 * Prepares the new candidates. A process that takes a candidate postpones the due time of the candidate, so that no
 * other process takes it too.
 */
export async function lookAtNewCandidates(ports: Ports): Promise<void> {
  const now = ports.clock();
  const due = await ports.db.system.query<DueCandidate>(
    `with taken as (
       update release_candidate c set git_look_at = $2
       from (select account_id, id from release_candidate where git_look_at <= $1 order by git_look_at limit $3
             for no key update skip locked) due
       where c.account_id = due.account_id and c.id = due.id returning c.account_id, c.id, c.repository_id, c.commit)
     select t.account_id as "accountId", t.id, t.commit, r.id as "repositoryId", r.owner, r.name, r.host
     from taken t join repository r on r.account_id = t.account_id and r.id = t.repository_id order by t.id`,
    [now.toISOString(), new Date(now.getTime() + againMs).toISOString(), maxAtOnce],
  );
  for (const { id, repositoryId, commit, ...of } of due) {
    const repository = { ...of, id: repositoryId };
    const ctx = systemContext(ports, of.accountId);
    try {
      await pin(ctx, repository, { id, commit });
      await reachAll(ctx, repository, id);
      await ctx.db.transaction(ctx.accountId, async (tx) => {
        await tx.send('update release_candidate set git_look_at = null where account_id = $1 and id = $2', [
          ctx.accountId,
          id,
        ]);
      });
    } catch (error) {
      ports.log.warn({ error: String(error), candidate: id }, 'A release candidate could not be examined with git.');
    }
  }
}

/**
 * Restores lost pins, and examines the candidates again after base branches have moved. The next pass continues with
 * the candidates that this pass does not reach.
 */
export async function reconcileReleases(ctx: Context, repository: HostedRepository): Promise<void> {
  const candidates = await ctx.db.read<{ id: string; commit: string }>(ctx.accountId, {
    name: 'release_candidates_to_pin',
    text: 'select id, commit from release_candidate where account_id = $1 and repository_id = $2 and git_look_at is null',
    values: [ctx.accountId, repository.id],
  });
  if (candidates.length === 0) return;
  const refs = await hostClient(ctx, repository).listRefs(pins);
  const pinned = new Map(refs.map(({ ref, commit }) => [ref, commit]));
  const lost = candidates.filter(({ id, commit }) => pinned.get(`${pins}${id}`) !== commit);
  if (lost.length > 0) {
    await ctx.db.transaction(ctx.accountId, async (tx) => {
      await tx.send(
        'update release_candidate set git_look_at = $3 where account_id = $1 and id = any ($2::bigint[]) and git_look_at is null',
        [ctx.accountId, lost.map(({ id }) => id), ctx.clock().toISOString()],
      );
    });
  }
  await reachAll(ctx, repository, null);
}

async function reachAll(ctx: Context, repository: HostedRepository, candidateId: string | null): Promise<void> {
  for (const queueId of await queuesThatMerged(ctx, repository.id))
    await reachBase(ctx, { repository, queueId, candidateId });
}

// A ref with the same id may be left from a candidate that was lost when the database was restored. The new pin
// replaces it.
async function pin(
  ctx: Context,
  repository: HostedRepository,
  { id, commit }: { readonly id: string; readonly commit: string },
): Promise<void> {
  const client = hostClient(ctx, repository);
  const ref = `${pins}${id}`;
  const there = await client.readRef(ref);
  if (there?.commit === commit || (await client.readCommit(commit)) === null) return;
  try {
    await client.updateRefs([{ ref, from: there?.commit ?? null, to: commit }]);
  } catch (error) {
    // Another process has pinned the candidate in the meantime.
    if (!(error instanceof RefMoved)) throw error;
  }
}
