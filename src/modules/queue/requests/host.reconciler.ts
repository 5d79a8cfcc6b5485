// Compares a whole repository with its host from time to time, because events of hosts may be lost. Branches and pull
// requests that differ are read again.
import type { Context } from '../../../context.ts';
import { isManagedBranch } from '../../../domain/configuration/index.ts';
import { hostClient, RefMoved, type HostedRepository, type HostPullRequest } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { deleteBranch } from '../builds/bot-pull-requests.ts';
import { findAbandonedBots, findAbandonedBranches, withoutBots } from '../facts/bot-branches.ts';
import { recordChecks } from '../facts/build.records.ts';
import { followComments } from './commands.service.ts';
import { configurationOf } from '../store/rules-in-force.ts';
import { readConfigurationFile } from '../../repositories/index.ts';
import { syncBase } from '../facts/base-branches.ts';
import { withTipAsHead, hasFacts, hasHostState, type SeenPullRequest } from '../host-sync/pull-request.facts.ts';
import { syncPullRequest } from '../host-sync/pull-requests.ts';
import { PullRequestEntity, QueueEntity, type PullRequestRow } from '../store/queue.entities.ts';

/**
 * Compares the rows of a repository with its host: the base branches that have a queue, all open pull requests, and the
 * comments. If a read fails, the others continue, and the errors are thrown at the end.
 */
export async function reconcileRepository(
  ctx: Context,
  repository: HostedRepository,
  options: { readonly isNew: boolean } = { isNew: false },
): Promise<void> {
  const { bases, open, misplaced, unfinished, hinted } = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await readKnown(ctx, tx, repository.id),
  );
  const failures: unknown[] = [];
  const attempt = async (step: () => Promise<unknown>): Promise<void> =>
    void (await step().catch((error: unknown) => failures.push(error)));
  await attempt(async () => await readConfigurationFile(ctx, repository.id));
  for (const base of bases) await attempt(async () => await syncBase(ctx, repository, base));
  const opened = await hostClient(ctx, repository).listOpenPullRequests();
  for (const bot of await findAbandonedBots(ctx, repository, opened))
    await attempt(async () => await closeAbandonedBot(ctx, repository, bot));
  await attempt(async () => await deleteAbandonedBranches(ctx, repository));
  const seen = new Map(
    (await withoutBots(ctx, repository, opened)).map((pullRequest) => [pullRequest.number, withTipAsHead(pullRequest)]),
  );
  const numbers = new Set([...seen.keys(), ...open.keys()]);
  // Pull requests with a hint that is due soon are left out. Reading them twice would delay the other hints.
  for (const number of [...numbers].filter((each) => !hinted.has(each)).toSorted((a, b) => a - b)) {
    const atHost = seen.get(number);
    const recorded = open.get(number);
    if (atHost === undefined || recorded === undefined || !isSame(recorded, atHost) || misplaced.has(number))
      await attempt(async () => await syncPullRequest(ctx, repository, number, { announceOpened: !options.isNew }));
    else if (unfinished.has(recorded.headSha))
      await attempt(async () => await recordChecks(ctx, repository, recorded.headSha));
  }
  await attempt(async () => await followComments(ctx, repository.id));
  if (failures.length > 0)
    throw new AggregateError(
      failures,
      `Parts of the repository could not be compared with the code host: ${failures.join('; ')}`,
    );
}

/**
 * A text that changes with everything that a comparison reads, at the host and in the rows. If it is the same as before
 * a comparison that found all in order, another comparison would change nothing. Null: the repository has open pull
 * requests or release candidates, or its host gives no stamp.
 */
export async function readIdleStamp(ctx: Context, repository: HostedRepository): Promise<string | null> {
  const atHost = await hostClient(ctx, repository).readIdleStamp();
  if (atHost === null) return null;
  // PostgreSQL changes the `xmin` of a row with every update.
  const [row] = await ctx.db.read<{ rows: string | null }>(ctx.accountId, {
    name: 'idle_stamp',
    text: `select r.xmin || ' ' || coalesce((select string_agg(q.id || ':' || q.xmin, ' ' order by q.id) from queue q
                                             where q.account_id = r.account_id and q.repository_id = r.id), '') as rows
           from repository r where r.account_id = $1 and r.id = $2
             and not exists (select from pull_request p where p.account_id = $1 and p.repository_id = $2
                             and p.status in ('open', 'pending', 'queued', 'tagged', 'blocked'))
             and not exists (select from release_candidate c where c.account_id = $1 and c.repository_id = $2)`,
    values: [ctx.accountId, repository.id],
  });
  return row === undefined ? null : `${row.rows} ${atHost}`;
}

async function closeAbandonedBot(ctx: Context, repository: HostedRepository, bot: HostPullRequest): Promise<void> {
  await hostClient(ctx, repository).closePullRequest(bot.number);
  await deleteBranch(ctx, repository, bot.headBranch);
}

async function deleteAbandonedBranches(ctx: Context, repository: HostedRepository): Promise<void> {
  for (const { ref, commit } of await findAbandonedBranches(ctx, repository))
    await hostClient(ctx, repository)
      .updateRefs([{ ref, from: commit, to: null }])
      .catch((error: unknown) => {
        // Somebody else has moved or deleted the branch.
        if (!(error instanceof RefMoved)) throw error;
      });
}

const soonMs = 60_000;

interface Known {
  readonly bases: readonly string[];
  readonly open: ReadonlyMap<number, PullRequestRow>;
  /** Numbers of pull requests that may belong to another queue by now. */
  readonly misplaced: ReadonlySet<number>;
  /** Heads of pull requests, in line or pending, whose checks may still run. */
  readonly unfinished: ReadonlySet<string>;
  /** Numbers of pull requests that have a hint due within a minute. */
  readonly hinted: ReadonlySet<number>;
}

async function readKnown(ctx: Context, tx: Transaction, repositoryId: string): Promise<Known> {
  const queues = await tx.em.find(QueueEntity, { accountId: ctx.accountId, repositoryId });
  const rows = await tx.em.find(PullRequestEntity, {
    accountId: ctx.accountId,
    repositoryId,
    status: { $nin: ['merged', 'closed'] },
  });
  const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: repositoryId });
  const configuration = configurationOf(repository);
  const baseOf = new Map(queues.map((queue) => [queue.id, queue.baseBranch]));
  // A pull request whose base branch is not managed may belong to another queue under the present configuration.
  const misplaced = rows.filter(({ baseBranch, queueId }) => {
    const isManaged = isManagedBranch(configuration, baseBranch, repository.defaultBranch);
    const isAlone = isManaged || !configuration.merge_rules.auto_detect_stacks;
    return !isAlone || baseOf.get(queueId ?? '') !== baseBranch;
  });
  const running = await tx.query<{ commit: string }>(
    `select b.commit from pull_request p
     join build b on b.account_id = p.account_id and b.repository_id = p.repository_id and b.commit = p.head_sha and b.finished_at is null
     where p.account_id = $1 and p.repository_id = $2 and p.status in ('pending', 'queued', 'tagged')`,
    [ctx.accountId, repositoryId],
  );
  const hints = await tx.query<{ subject: string }>(
    `select subject from host_hint where account_id = $1 and repository_id = $2 and kind = 'pull_request' and due_at <= $3`,
    [ctx.accountId, repositoryId, new Date(ctx.clock().getTime() + soonMs).toISOString()],
  );
  return {
    bases: queues.map((queue) => queue.baseBranch),
    open: new Map(rows.map((row) => [row.number, row])),
    misplaced: new Set(misplaced.map((row) => row.number)),
    unfinished: new Set(running.map(({ commit }) => commit)),
    hinted: new Set(hints.map(({ subject }) => Number(subject))),
  };
}

function isSame(row: PullRequestRow, seen: SeenPullRequest): boolean {
  return hasFacts(row, seen) && row.headSha === seen.headSha && seen.state === 'open' && hasHostState(row, seen);
}
