// Pull requests that stand on others, as rows: what is below one, and what that means for its admission and its commit.
import type { Context } from '../../../context.ts';
import type { Configuration } from '../../../domain/configuration/index.ts';
import { ownMessage, stackMessage, type MessageSource } from '../../../domain/queue/requests/message.ts';
import { deepestStack, findJoined, waitsForBelow } from '../../../domain/queue/requests/stacks.ts';
import { isQueued, isTerminal } from '../../../domain/queue/model/status.ts';
import { strategyOf } from '../../../domain/queue/landing/merge-strategy.ts';
import type { MergeStrategy, PullRequestStatus } from '../../../domain/queue/model/snapshot.ts';
import type { Transaction } from '../../../platform/database.ts';
import { PullRequestEntity, type PullRequestRow } from '../store/queue.entities.ts';
import { writeStatus, type QueueWork } from '../store/status.writer.ts';

interface Standing {
  readonly belowId?: string | null;
}

export interface Below {
  readonly id: string;
  readonly number: number;
  readonly status: PullRequestStatus;
  /** The one that landed, once it has. */
  readonly head: string;
}

/** What those stand on, by id. Flush before: it reads past the unit of work. */
export async function readBelow(
  ctx: Context,
  tx: Transaction,
  standing: readonly Standing[],
): Promise<ReadonlyMap<string, Below>> {
  const ids = [...new Set(standing.flatMap(({ belowId }) => belowId ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await tx.query<Below>(
    `select p.id, p.number, p.status, coalesce(m.pinned_head, p.head_sha) as head
     from pull_request p left join landed_member m on m.account_id = p.account_id and m.pull_request_id = p.id
     where p.account_id = $1 and p.id = any($2::bigint[])`,
    [ctx.accountId, ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** What must be before it in line. Null: it stands on nothing, or on what is merged. */
export function openBelow(below: ReadonlyMap<string, Below>, belowId: string | null | undefined): string | null {
  if (!belowId || below.get(belowId)?.status === 'merged') return null;
  return belowId;
}

/** Why it cannot be in line. Null: what it stands on is, or is merged, or it stands on nothing. */
export function obstacleBelow(
  below: ReadonlyMap<string, Pick<Below, 'number' | 'status'>>,
  belowId: string | null | undefined,
): string | null {
  const found = belowId ? below.get(belowId) : undefined;
  if (found === undefined || isQueued(found.status) || found.status === 'merged') return null;
  return waitsForBelow(found);
}

/** Its base branch is another one's head, and it stands in the queue of the branch at the bottom. */
export function isInStack(configuration: Configuration, { belowId }: Standing): boolean {
  return configuration.merge_rules.auto_detect_stacks && Boolean(belowId);
}

/** The head below it that has landed, while its own branch does not contain what landed. */
export async function readLandedBelow(ctx: Context, row: PullRequestRow): Promise<string | null> {
  const [below] = (await ctx.db.transaction(ctx.accountId, async (tx) => await readBelow(ctx, tx, [row]))).values();
  return below?.status === 'merged' ? below.head : null;
}

/** What it stands on and is not merged, the lowest first. */
export async function loadBelow({ tx, queue }: QueueWork, row: PullRequestRow): Promise<PullRequestRow[]> {
  const found: PullRequestRow[] = [];
  for (let id = row.belowId; id && found.length < deepestStack; id = found[0]?.belowId) {
    const below = await tx.em.findOneOrFail(PullRequestEntity, { id });
    if (isTerminal(below.status) || below.queueId !== queue.id) break;
    found.unshift(below);
  }
  return found;
}

export function pendAbove(work: QueueWork, row: PullRequestRow, below: PullRequestRow): void {
  writeStatus(work, row, 'pend', { code: null, text: waitsForBelow(below) });
}

interface Member {
  readonly row: PullRequestRow;
  readonly source: MessageSource;
}

export interface PlannedLayer {
  readonly strategy: MergeStrategy;
  readonly belowHead: string | null;
  readonly joinsNext: boolean;
}

/** How each of them, one on top of the other, is merged. */
export async function planLayers(
  { ctx, tx }: QueueWork,
  rows: readonly PullRequestRow[],
  configuration: Configuration,
): Promise<PlannedLayer[]> {
  const { merge_strategy } = configuration.merge_rules;
  const below = await readBelow(ctx, tx, rows);
  const strategies = rows.map((row) => strategyOf(row.labels, merge_strategy));
  const joined = findJoined(
    rows.map(({ id, belowId }, place) => ({
      id,
      below: belowId ?? null,
      strategy: strategies[place] ?? merge_strategy.name,
    })),
    { useSeparateCommits: merge_strategy.use_separate_commits_for_stack },
  );
  return rows.map(({ belowId }, place) => ({
    strategy: strategies[place] ?? merge_strategy.name,
    belowHead: belowId ? (below.get(belowId)?.head ?? null) : null,
    joinsNext: joined[place] ?? false,
  }));
}

/** How each member of a batch becomes a commit; those of a stack may share one. */
export async function planCommits<M extends Member>(
  work: QueueWork,
  members: readonly M[],
  configuration: Configuration,
): Promise<(M & PlannedLayer & { readonly message: string })[]> {
  const { merge_commit } = configuration.merge_rules;
  const layers = await planLayers(
    work,
    members.map(({ row }) => row),
    configuration,
  );
  const commits: (M & PlannedLayer & { readonly message: string })[] = [];
  let carried: MessageSource[] = [];
  for (const [place, member] of members.entries()) {
    const layer = layers[place];
    if (layer === undefined) continue;
    const { joinsNext } = layer;
    const message = joinsNext
      ? ownMessage(member.source, merge_commit)
      : stackMessage(member.source, carried, merge_commit);
    carried = joinsNext ? [...carried, member.source] : [];
    commits.push({ ...member, ...layer, message });
  }
  return commits;
}
