// Finds out what a restored database lacks about its repositories. Reads the database and the repositories, and changes
// neither.
import { systemContext, type Context, type Ports } from '../../../context.ts';
import { batchOfBotBranch } from '../facts/bot-branches.ts';
import { hostClient, toHostedRepository, type HostedRepository } from '../../../hosts/port.ts';
import { RepositoryEntity, type RepositoryRow } from '../../repositories/repositories.entities.ts';
import { botBranch } from '../store/batch.rows.ts';
import { QueueEntity } from '../store/queue.entities.ts';
import { ensureQueue } from '../store/queue.locks.ts';
import { landingRefs } from '../facts/landing-refs.ts';
import { type FoundLanding, type QueueSurvey, surveyQueue } from './recovery.queue-survey.ts';
import { findUnknownLandings, type UnknownLanding } from '../facts/unknown-landings.ts';

const branches = 'refs/heads/';
const numberedRefs = [
  [landingRefs, landingRefs],
  ['refs/interlock/builds/', 'refs/interlock/builds/'],
  [branches, `${branches}${botBranch('')}`],
] as const;

export interface StrayBranch {
  readonly ref: string;
  readonly commit: string;
}

export interface RepositorySurvey {
  readonly ctx: Context;
  readonly host: HostedRepository;
  readonly repository: string;
  readonly isActive: boolean;
  readonly queues: readonly QueueSurvey[];
  /** Branches of bot pull requests whose batch is not known. */
  readonly strays: readonly StrayBranch[];
}

/** A repository that is not recovered, such as one whose App was uninstalled at GitHub. */
interface LeftRepository {
  /** Its name. */
  readonly repository: string;
  /** Why its code host cannot be read or refused a change. */
  readonly reason: string;
  /** The queues of an inactive repository land nothing. */
  readonly isActive: boolean;
}

export interface Survey {
  readonly repositories: readonly RepositorySurvey[];
  readonly left: readonly LeftRepository[];
  /** The highest id of a batch in any ref of any repository; '0' if there is none. */
  readonly highestBatch: string;
  /** Whether there is evidence that the database is older than a repository. */
  readonly isNeeded: boolean;
}

/** A repository that cannot be read does not keep the others from being recovered. */
export async function surveyInstallation(ports: Ports): Promise<Survey> {
  const rows = await ports.db.system.query<{ account_id: string; id: string }>(
    'select account_id, id from repository where deleted_at is null order by id',
  );
  const repositories: RepositorySurvey[] = [];
  const left: LeftRepository[] = [];
  let highest = 0n;
  for (const { account_id, id } of rows) {
    const ctx = systemContext(ports, account_id);
    const row = await ctx.db.transaction(account_id, async (tx) => await tx.em.findOneOrFail(RepositoryEntity, { id }));
    try {
      for (const batch of await readBatchNumbers(ctx, toHostedRepository(row)))
        highest = batch > highest ? batch : highest;
      repositories.push(await surveyRepository(ctx, row));
    } catch (error) {
      left.push({ repository: nameOf(row), isActive: row.active, reason: reasonOf(error) });
    }
  }
  const assigned = await readHighestAssigned(ports);
  const isOlder = repositories.some(
    ({ queues, strays }) =>
      strays.length > 0 || queues.some(({ isHalted, landings }) => isHalted || landings.length > 0),
  );
  return { repositories, left, highestBatch: String(highest), isNeeded: isOlder || highest > assigned };
}

function nameOf({ owner, name }: RepositoryRow): string {
  return `${owner}/${name}`;
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function readHighestAssigned(ports: Ports): Promise<bigint> {
  return await ports.db.system.transaction(async (query) => {
    // The sequences belong to the user that connects and that ran the migrations. Statements normally run in a role
    // that may not read sequences.
    await query('set local role none');
    const [row] = await query<{ highest: string | null }>(
      `select pg_sequence_last_value(pg_get_serial_sequence('batch', 'id')::regclass)::text as highest`,
    );
    return BigInt(row?.highest ?? 0);
  });
}

async function readBatchNumbers(ctx: Context, host: HostedRepository): Promise<bigint[]> {
  const ids: string[] = [];
  for (const [folder, prefix] of numberedRefs) {
    for (const { ref } of await hostClient(ctx, host).listRefs(folder))
      if (ref.startsWith(prefix)) ids.push(ref.slice(prefix.length));
  }
  return ids.filter((id) => /^\d{1,18}$/.test(id)).map(BigInt);
}

async function surveyRepository(ctx: Context, row: RepositoryRow): Promise<RepositorySurvey> {
  const host = toHostedRepository(row);
  const unknown = await findUnknownLandings(ctx, host);
  const rows = await ctx.db.transaction(ctx.accountId, async (tx) => {
    // Every landing belongs to a queue. If its queue is not known, it is recorded in the queue of the default branch.
    if (unknown.length > 0) await ensureQueue(ctx, tx, { repositoryId: row.id, baseBranch: row.defaultBranch });
    return await tx.em.find(QueueEntity, { repositoryId: row.id }, { orderBy: { id: 'asc' } });
  });
  const unassigned = new Map(unknown.map((landing) => [landing.commit, landing]));
  const queues: QueueSurvey[] = [];
  for (const queue of rows) queues.push(await surveyQueue(ctx, { host, row, queue, unknown: unassigned }));
  return {
    ctx,
    host,
    repository: nameOf(row),
    isActive: row.active,
    queues: await withOrphans(ctx, host, queues, {
      defaultBranch: row.defaultBranch,
      orphans: [...unassigned.values()],
    }),
    strays: await findStrays(ctx, host),
  };
}

/** Adds the landings on branches that were deleted or have no queue. They are recorded without pull requests. */
async function withOrphans(
  ctx: Context,
  host: HostedRepository,
  queues: readonly QueueSurvey[],
  { defaultBranch, orphans }: { readonly defaultBranch: string; readonly orphans: readonly UnknownLanding[] },
): Promise<QueueSurvey[]> {
  const found: FoundLanding[] = [];
  for (const { ref, commit } of orphans) {
    const read = await hostClient(ctx, host).readCommit(commit);
    if (read !== null) found.push({ ref, commit: read, merges: [] });
  }
  return queues.map((queue) =>
    queue.baseBranch === defaultBranch ? { ...queue, landings: [...queue.landings, ...found] } : queue,
  );
}

async function findStrays(ctx: Context, host: HostedRepository): Promise<StrayBranch[]> {
  // The refs are read before the rows, because the row of a batch is written before its branch is made.
  const refs = await hostClient(ctx, host).listRefs(branches);
  const batches = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ id: string; branch: string | null }>(
        `select b.id, bot.branch from batch b
         left join bot_pull_request bot on bot.account_id = b.account_id and bot.batch_id = b.id and bot.closed_at is null
         where b.account_id = $1 and b.repository_id = $2 and (b.cleaned_up_at is null or bot.idle)`,
        [ctx.accountId, host.id],
      ),
  );
  const known = new Set(batches.map(({ id, branch }) => `${branches}${branch ?? botBranch(id)}`));
  // At other hosts than the local one, people may push branches whose names begin with `mq-`.
  const isBuildBranch = (ref: string): boolean => {
    const branch = ref.slice(branches.length);
    return batchOfBotBranch(branch) !== null || (host.host === 'local' && branch.startsWith('mq-'));
  };
  return refs.filter(({ ref }) => isBuildBranch(ref) && !known.has(ref));
}
