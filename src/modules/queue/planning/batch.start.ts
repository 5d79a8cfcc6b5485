// Writes the batches that a turn starts: their members, how each member becomes a commit, and the pull requests that
// they assume. Three statements write all batches of a turn, because a queue may start hundreds of speculative builds
// at once while it is locked.
import type { Configuration } from '../../../domain/configuration/keys.ts';
import { DomainError } from '../../../domain/errors.ts';
import { groupMessage, type MessageSource, ownMessage, stackMessage } from '../../../domain/queue/requests/message.ts';
import type { MergeStrategy } from '../../../domain/queue/model/rules.ts';
import type { PinnedHead } from '../../../domain/queue/model/snapshot.ts';
import type { Decision } from '../../../domain/queue/model/decision.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';
import type { QueueWork } from '../store/status.writer.ts';
import { findSharedCommits } from '../../../domain/queue/requests/stacks.ts';
import { strategyOf } from '../../../domain/queue/landing/merge-strategy.ts';
import type { LoadedQueue } from './snapshot.loader.ts';
import { readPullRequestsBelow } from '../facts/stacks.ts';

export type StartBatch = Extract<Decision, { kind: 'StartBatch' }>;

/** The loaded row of a pull request that the plan refers to. */
export function pullRequestOf(loaded: Pick<LoadedQueue, 'pullRequests'>, id: string): PullRequestRow {
  const row = loaded.pullRequests.get(id);
  if (row === undefined)
    throw new DomainError('INTERNAL', `The plan refers to pull request ${id}, which is not in line.`);
  return row;
}

export async function startBatches(
  work: QueueWork,
  loaded: LoadedQueue,
  { decisions, configuration }: { readonly decisions: readonly StartBatch[]; readonly configuration: Configuration },
): Promise<void> {
  const { queue } = work;
  const starting = decisions.map((decision) => ({
    decision,
    rows: decision.members.map(({ pullRequest }) => pullRequestOf(loaded, pullRequest)),
  }));
  const ids = await insertBatches(work, { starting, loaded, configuration });
  const members: object[] = [];
  const assumptions: object[] = [];
  for (const [at, { decision, rows }] of starting.entries()) {
    const batchId = ids[at] ?? '';
    members.push(...(await memberRows(work, { batchId, decision, rows, configuration })));
    const assumed = decision.assumes.map(({ pullRequest }) => pullRequestOf(loaded, pullRequest));
    assumptions.push(...(await assumptionRows(work, { batchId, decision, rows: assumed, configuration })));
    queue.nextPosition = Math.max(queue.nextPosition, decision.position + 1);
    work.events.push({
      repositoryId: queue.repositoryId,
      queueId: queue.id,
      batchId,
      action: 'batch_started',
      payload: {
        cause: decision.cause,
        pullRequests: rows.map(({ number }) => number),
        parentCommit: decision.parentCommit,
        ...(assumed.length > 0 && { assumes: assumed.map(({ number }) => number) }),
        ...(decision.restsOn.length > 0 && { restsOn: decision.restsOn }),
      },
    });
  }
  await insertMembers(work, members);
  if (assumptions.length > 0) await insertAssumptions(work, assumptions);
}

interface Starting {
  readonly decision: StartBatch;
  readonly rows: readonly PullRequestRow[];
}

/** Returns the ids of the new batches, in the order of `starting`. */
async function insertBatches(
  { ctx, tx, queue, now }: QueueWork,
  of: { readonly starting: readonly Starting[]; readonly loaded: LoadedQueue; readonly configuration: Configuration },
): Promise<readonly string[]> {
  const { rules } = of.loaded.snapshot;
  const rows = of.starting.map(({ decision, rows: members }) => ({
    position: decision.position,
    side_build: decision.sideBuild,
    cause: decision.cause,
    parent_batch_id: decision.parentBatch,
    parent_commit: decision.parentCommit,
    base_commit: decision.base,
    rests_on: decision.restsOn,
    group_message: groupMessage(members.map(messageSource), of.configuration.merge_rules.merge_commit),
  }));
  const made = await tx.query<{ id: string; position: number }>(
    `insert into batch (account_id, queue_id, repository_id, mode, strategy, batch_commit, build_keys_hash, created_at,
                        position, side_build, cause, parent_batch_id, parent_commit, base_commit, rests_on, group_message)
     select $1, $2, $3, $4, $5, $6, $7, $8, b.position, b.side_build, b.cause, b.parent_batch_id, b.parent_commit, b.base_commit, b.rests_on, b.group_message
     from jsonb_to_recordset($9::jsonb) as b (position bigint, side_build text, cause text, parent_batch_id bigint, parent_commit text, base_commit text, rests_on text[], group_message text)
     order by b.position returning id, position::float8 as position`,
    [
      ctx.accountId,
      queue.id,
      queue.repositoryId,
      // In no-queue mode the commit is composed as in parallel mode, because the head is not changed.
      rules.mode === 'serial' ? 'serial' : 'parallel',
      rules.strategy,
      rules.batchCommit,
      rules.buildKeysHash,
      now.toISOString(),
      JSON.stringify(rows),
    ],
  );
  const idOf = new Map(made.map(({ id, position }) => [position, id]));
  return rows.map(({ position }) => idOf.get(position) ?? '');
}

interface Layered {
  readonly batchId: string;
  readonly decision: StartBatch;
  readonly rows: readonly PullRequestRow[];
  readonly configuration: Configuration;
}

async function memberRows(work: QueueWork, { batchId, decision, rows, configuration }: Layered): Promise<object[]> {
  const { include_coauthors } = configuration.merge_rules.merge_commit;
  const commits = await planCommits(
    work,
    rows.map((row) => ({ row, source: messageSource(row) })),
    configuration,
  );
  return commits.map(({ row, message, strategy, belowHead, joinsNext }, ordinal) => ({
    ...layer(batchId, { ordinal, pinned: decision.members[ordinal] }),
    message,
    author_name: row.authorName,
    author_email: row.authorEmail,
    strategy,
    below_head: belowHead,
    joins_next: joinsNext,
    names_coauthors: include_coauthors && !row.mergeBody && strategy !== 'rebase',
  }));
}

async function assumptionRows(work: QueueWork, { batchId, decision, rows, configuration }: Layered): Promise<object[]> {
  const layers = await planLayers(work, rows, configuration);
  return layers.map(({ strategy, belowHead, joinsNext }, ordinal) => ({
    ...layer(batchId, { ordinal, pinned: decision.assumes[ordinal] }),
    strategy,
    below_head: belowHead,
    joins_next: joinsNext,
  }));
}

function layer(batchId: string, of: { readonly ordinal: number; readonly pinned: PinnedHead | undefined }): object {
  return {
    batch_id: batchId,
    ordinal: of.ordinal,
    pull_request_id: of.pinned?.pullRequest,
    pinned_head: of.pinned?.head,
  };
}

async function insertMembers({ ctx, tx }: QueueWork, rows: readonly object[]): Promise<void> {
  await tx.send(
    `insert into batch_member (account_id, batch_id, ordinal, pull_request_id, pinned_head, message, author_name, author_email, strategy, below_head, joins_next, names_coauthors)
     select $1, m.* from jsonb_to_recordset($2::jsonb) as m (batch_id bigint, ordinal int, pull_request_id bigint, pinned_head text, message text,
       author_name text, author_email text, strategy text, below_head text, joins_next boolean, names_coauthors boolean)`,
    [ctx.accountId, JSON.stringify(rows)],
  );
}

async function insertAssumptions({ ctx, tx }: QueueWork, rows: readonly object[]): Promise<void> {
  await tx.send(
    `insert into batch_assumption (account_id, batch_id, ordinal, pull_request_id, pinned_head, strategy, below_head, joins_next)
     select $1, a.* from jsonb_to_recordset($2::jsonb) as a (batch_id bigint, ordinal int, pull_request_id bigint, pinned_head text,
       strategy text, below_head text, joins_next boolean)`,
    [ctx.accountId, JSON.stringify(rows)],
  );
}

export function messageSource(row: PullRequestRow): MessageSource {
  return {
    number: row.number,
    title: row.title,
    body: row.body,
    mergeTitle: row.mergeTitle ?? null,
    mergeBody: row.mergeBody ?? null,
  };
}

interface Member {
  readonly row: PullRequestRow;
  readonly source: MessageSource;
}

interface PlannedLayer {
  readonly strategy: MergeStrategy;
  readonly belowHead: string | null;
  readonly joinsNext: boolean;
}

/** How each pull request is merged on top of the one before it. */
async function planLayers(
  { ctx, tx }: QueueWork,
  rows: readonly PullRequestRow[],
  configuration: Configuration,
): Promise<PlannedLayer[]> {
  const { merge_strategy } = configuration.merge_rules;
  const below = await readPullRequestsBelow(ctx, tx, rows);
  const strategies = rows.map((row) => strategyOf(row.labels, merge_strategy));
  const joined = findSharedCommits(
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

/** How each member of a batch becomes a commit. Members of the same stack may become one commit together. */
async function planCommits<M extends Member>(
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
  let joinedSources: MessageSource[] = [];
  for (const [place, member] of members.entries()) {
    const layer = layers[place];
    if (layer === undefined) continue;
    const { joinsNext } = layer;
    const message = joinsNext
      ? ownMessage(member.source, merge_commit)
      : stackMessage(member.source, joinedSources, merge_commit);
    joinedSources = joinsNext ? [...joinedSources, member.source] : [];
    commits.push({ ...member, ...layer, message });
  }
  return commits;
}
