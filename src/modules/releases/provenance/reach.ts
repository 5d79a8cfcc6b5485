// Finds which commits of a base branch each candidate contains. A candidate whose commit is on the base needs no call
// to git. For all other candidates, one call reads their commits beyond the base, and where these commits branched off.
// If this gives no sure answer for a candidate, a binary search finds the answer.
import type { Context } from '../../../context.ts';
import { nextProbe, traceOutside, traceReach, type ContainedPart } from '../../../domain/releases/reach.ts';
import { hostClient, type HostedRepository } from '../../../hosts/port.ts';
import { storeBaseChain } from './base-chain.ts';

/** The greatest number of candidates that one request examines, newest first. The next request examines the rest. */
const maxAtOnce = 1000;
/** The greatest number of candidates for which one request searches. */
const maxSearches = 10;
/** If the candidates have more commits beyond the base than this, a search is made for each candidate. */
const maxOwnCommits = 100_000;

export interface ReachRequest {
  readonly repository: HostedRepository;
  readonly queueId: string;
  /** Null: all candidates of the repository. */
  readonly candidateId: string | null;
}

interface Unreached {
  readonly id: string;
  readonly commit: string;
  /**
   * The position of the last commit of the base that the candidate is known to contain. Null: no such commit is known.
   */
  readonly position: number | null;
}

/**
 * Updates `candidate_reach`, which has the last commit of the base that each candidate contains. Returns false if there
 * are too many candidates for one request. The next call continues with the rest.
 */
export async function reachBase(ctx: Context, { repository, queueId, candidateId }: ReachRequest): Promise<boolean> {
  const length = await storeBaseChain(ctx, repository, queueId);
  const values = [ctx.accountId, queueId, repository.id, candidateId];
  if (length === 0 || (await readUnreached(ctx, values, length)).length === 0) return true;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.send(
      `insert into candidate_reach (account_id, queue_id, candidate_id, position, bounded)
       select c.account_id, b.queue_id, c.id, b.position, true
       from release_candidate c join base_commit b on b.account_id = c.account_id and b.queue_id = $2 and b.commit = c.commit
       where c.account_id = $1 and c.repository_id = $3 and ($4::bigint is null or c.id = $4)
       on conflict (account_id, queue_id, candidate_id) do nothing`,
      values,
    );
  });
  const unreached = await readUnreached(ctx, values, length);
  const base = { repository, queueId, length };
  const isReached = await reachTogether(ctx, base, unreached.slice(0, maxAtOnce));
  return isReached && unreached.length <= maxAtOnce;
}

async function readUnreached(ctx: Context, values: readonly unknown[], length: number): Promise<Unreached[]> {
  return await ctx.db.read<Unreached>(ctx.accountId, {
    name: 'release_candidates_unreached',
    text: `select c.id, c.commit, r.position
           from release_candidate c
           left join candidate_reach r on r.account_id = c.account_id and r.queue_id = $2 and r.candidate_id = c.id
           where c.account_id = $1 and c.repository_id = $3 and ($4::bigint is null or c.id = $4)
             and (r.position is null or (not r.bounded and r.position < $5::integer))
           order by c.id desc limit $6::integer + 1`,
    values: [...values, length, maxAtOnce],
  });
}

interface Base {
  readonly repository: HostedRepository;
  readonly queueId: string;
  readonly length: number;
}

interface Reach {
  readonly candidateId: string;
  readonly position: number;
}

/** Returns false if some candidates must wait for the next request. */
async function reachTogether(ctx: Context, base: Base, candidates: readonly Unreached[]): Promise<boolean> {
  if (candidates.length === 0) return true;
  const traced = await trace(ctx, base, candidates);
  const reaches: Reach[] = [];
  let searches = 0;
  for (const candidate of candidates) {
    const { has, isSure } = traced(candidate.commit);
    const known = Math.max(has, candidate.position ?? 0);
    const isSearched = !isSure && known < base.length;
    if (isSearched && ++searches > maxSearches) continue;
    const position = isSearched ? await search(ctx, base, { commit: candidate.commit, known }) : known;
    reaches.push({ candidateId: candidate.id, position });
  }
  await writeReaches(ctx, base, reaches);
  return searches <= maxSearches;
}

async function trace(
  ctx: Context,
  { repository, queueId, length }: Base,
  candidates: readonly Unreached[],
): Promise<(commit: string) => ContainedPart> {
  const tip = await commitAt(ctx, queueId, length);
  const to = [...new Set(candidates.map(({ commit }) => commit))];
  const range = { to, limit: maxOwnCommits };
  const ancestry = tip === null ? null : await hostClient(ctx, repository).listAncestry({ ...range, from: tip });
  const beyond = ancestry ?? [];
  const own = new Set(beyond.map(({ commit }) => commit));
  const outside = [...to, ...beyond.flatMap(({ parents }) => parents)].filter((commit) => !own.has(commit));
  const positions = await positionsOf(ctx, queueId, outside);
  const traced = traceReach(beyond, positions);
  return (commit) => traced.get(commit) ?? traceOutside(positions.get(commit));
}

async function search(
  ctx: Context,
  { repository, queueId, length }: Base,
  { commit, known }: { readonly commit: string; readonly known: number },
): Promise<number> {
  let found = { has: known, lacks: length + 1 };
  for (;;) {
    const probe = nextProbe(found, known);
    if (probe === null) return found.has;
    const probed = await commitAt(ctx, queueId, probe);
    const isThere = probed !== null && (await hostClient(ctx, repository).isAncestor(probed, commit));
    found = isThere ? { ...found, has: probe } : { ...found, lacks: probe };
  }
}

/** The position of a commit on the base branch. Null: the commit is not among the known commits of the base. */
export async function positionOf(ctx: Context, queueId: string, commit: string): Promise<number | null> {
  return (await positionsOf(ctx, queueId, [commit])).get(commit) ?? null;
}

async function positionsOf(ctx: Context, queueId: string, commits: readonly string[]): Promise<Map<string, number>> {
  const rows = await ctx.db.read<{ commit: string; position: number }>(ctx.accountId, {
    name: 'base_commit_positions',
    text: 'select commit, position from base_commit where account_id = $1 and queue_id = $2 and commit = any ($3::text[])',
    values: [ctx.accountId, queueId, commits],
  });
  return new Map(rows.map(({ commit, position }) => [commit, position]));
}

async function commitAt(ctx: Context, queueId: string, position: number): Promise<string | null> {
  const [row] = await ctx.db.read<{ commit: string }>(ctx.accountId, {
    name: 'base_commit_at',
    text: 'select commit from base_commit where account_id = $1 and queue_id = $2 and position = $3',
    values: [ctx.accountId, queueId, position],
  });
  return row?.commit ?? null;
}

async function writeReaches(ctx: Context, { queueId, length }: Base, reaches: readonly Reach[]): Promise<void> {
  if (reaches.length === 0) return;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    // If two requests write at the same time, the greater position wins, because its request has read a longer base.
    // Both lock the rows in the same order, to prevent deadlocks.
    await tx.send(
      `insert into candidate_reach as known (account_id, queue_id, candidate_id, position, bounded)
       select $1, $2, candidate, position, position < $5::integer
       from unnest($3::bigint[], $4::integer[]) as reach (candidate, position) order by candidate
       on conflict (account_id, queue_id, candidate_id) do update set position = excluded.position, bounded = excluded.bounded
       where not known.bounded and known.position <= excluded.position`,
      [
        ctx.accountId,
        queueId,
        reaches.map(({ candidateId }) => candidateId),
        reaches.map(({ position }) => position),
        length,
      ],
    );
  });
}
