// Copies the state of a base branch at the host to its queue.
import type { Context } from '../../../context.ts';
import { isDeepStrictEqual as isEqual } from 'node:util';
import { isBranchRefusalHalt } from '../../../domain/queue/landing/host-rules.ts';
import { hostClient, HostUnavailable, type HostClient, type HostedRepository } from '../../../hosts/port.ts';
import { isQueueLanding, readLandingMembers } from '../store/intents.ts';
import { QueueEntity, type QueueRow } from '../store/queue.entities.ts';
import { changeQueue, ensureQueue } from '../store/queue.locks.ts';
import { startWork, finishWork, resumeWork, type QueueWork } from '../store/status.writer.ts';
import { haltOnUnknownLandings } from './unknown-landings.ts';

/** How often the host is read again because a row changed during the read. After this number, the last read counts. */
export const maxReads = 5;

/** What the row of a queue says about its base branch. */
type KnownBase = Pick<QueueRow, 'id' | 'baseTip' | 'hostRequiredChecks' | 'hostRules' | 'hostRulesUntil'>;

/**
 * Branches of a repository whose commits an import must keep: base branches on which something may have landed, because
 * their queues have had batches, and the heads and base branches of open pull requests.
 */
export async function listBranchesInUse(ctx: Context, repositoryId: string): Promise<readonly string[]> {
  const rows = await ctx.db.read<{ branch: string }>(ctx.accountId, {
    name: 'branches_in_use',
    text: `select base_branch as branch from queue q where account_id = $1 and repository_id = $2
           and exists (select from batch b where b.account_id = q.account_id and b.queue_id = q.id)
           union select unnest(array[base_branch, case when head_fork is null then head_branch else base_branch end])
           from pull_request where account_id = $1 and repository_id = $2 and status not in ('merged', 'closed')`,
    values: [ctx.accountId, repositoryId],
  });
  return rows.map(({ branch }) => branch);
}

/**
 * Reads the tip of a base branch and the checks that its protection requires. If Interlock did not land the tip,
 * somebody pushed it, and the queue plans again on the new tip. While a landing is under way, the outcome of the
 * landing decides the tip.
 *
 * The result is written only if the recorded tip has not changed since the read began. If it has changed, a landing was
 * concluded or another read was written in the meantime. The result may then be outdated, so the branch is read again.
 * The commit itself does not show its age, because a force push may bring back any commit.
 *
 * The host's rules are read again when the time for which they count is over, or when they may have changed
 * (`areRulesStale`). If only their time is over and they cannot be read, the known rules count: a host may show its
 * branches and not its rules, and a queue that does not know the tip lands nothing.
 */
export async function syncBase(
  ctx: Context,
  repository: HostedRepository,
  baseBranch: string,
  {
    areRulesStale,
    known = null,
  }: {
    readonly areRulesStale: boolean;
    /** The queue's row, if it has just been read. */
    readonly known?: KnownBase | null;
  } = { areRulesStale: false },
): Promise<void> {
  const client = hostClient(ctx, repository);
  const queueId =
    known?.id ??
    (await findQueue(ctx, repository.id, baseBranch)) ??
    (await ctx.db.transaction(
      ctx.accountId,
      async (tx) => await ensureQueue(ctx, tx, { repositoryId: repository.id, baseBranch }),
    ));
  for (let read = 1; read <= maxReads; read += 1) {
    const before = read === 1 && known !== null ? known : await ctx.db.load(ctx.accountId, QueueEntity, queueId);
    if (before === null) return;
    const tip = await client.readRef(`refs/heads/${baseBranch}`);
    const isKnown = !areRulesStale && (before.hostRulesUntil?.getTime() ?? 0) > ctx.clock().getTime();
    const { countsUntil, ...demands } =
      tip === null || isKnown
        ? { ...demandsOf(before), countsUntil: null }
        : await readDemands(ctx, client, baseBranch).catch((error: unknown) => {
            const doCount = !areRulesStale && Boolean(before.hostRules) && error instanceof HostUnavailable;
            if (!doCount) throw error;
            ctx.log.warn(
              { error: String(error), repository: `${repository.owner}/${repository.name}`, baseBranch },
              'The rules of a base branch cannot be read at its code host. The known rules count.',
            );
            return { ...demandsOf(before), countsUntil: null };
          });
    if (countsUntil !== null) await keepRulesUntil(ctx, queueId, countsUntil);
    const hasMoved = (before.baseTip ?? null) !== (tip?.commit ?? null);
    const isKept = isEqual(demandsOf(before), demands) && (!hasMoved || (await isQueueLanding(ctx, queueId)));
    // The base may have moved by a landing of Interlock that a restored database does not have. Such a landing is no
    // push.
    if (!isKept && hasMoved && (await haltOnUnknownLandings(ctx, repository))) return;
    if (!isKept && !(await keepBase(ctx, queueId, { before: before.baseTip ?? null, tip, demands }))) continue;
    if (tip === null) await keepDeletion(ctx, queueId);
    return;
  }
}

/**
 * Like `syncBase`, for the base branch of the queue in which a pull request is now. Returns the id of the queue. Null:
 * the pull request is in no queue, and nothing was read.
 */
export async function syncBaseOfPullRequest(
  ctx: Context,
  repository: HostedRepository,
  number: number,
): Promise<string | null> {
  const [queue] = await ctx.db.read<KnownBase & Pick<QueueRow, 'baseBranch'>>(ctx.accountId, {
    name: 'base_of_pull_request',
    text: `select q.id, q.base_branch as "baseBranch", q.base_tip as "baseTip", q.host_required_checks as "hostRequiredChecks", q.host_rules as "hostRules",
             q.host_rules_until as "hostRulesUntil"
           from pull_request p join queue q on q.account_id = p.account_id and q.id = p.queue_id
           where p.account_id = $1 and p.repository_id = $2 and p.number = $3`,
    values: [ctx.accountId, repository.id, number],
  });
  if (queue === undefined) return null;
  await syncBase(ctx, repository, queue.baseBranch, { areRulesStale: false, known: queue });
  return queue.id;
}

async function findQueue(ctx: Context, repositoryId: string, baseBranch: string): Promise<string | null> {
  const [queue] = await ctx.db.read<{ id: string }>(ctx.accountId, {
    name: 'queue_of_base',
    text: 'select id from queue where account_id = $1 and repository_id = $2 and base_branch = $3',
    values: [ctx.accountId, repositoryId, baseBranch],
  });
  return queue?.id ?? null;
}

interface BaseRead {
  /** The recorded tip when the read began. */
  readonly before: string | null;
  /** Null: the branch does not exist. Nothing is planned until it exists again. */
  readonly tip: { readonly commit: string; readonly tree: string } | null;
  readonly demands: Demands;
}

type Demands = Pick<QueueRow, 'hostRequiredChecks' | 'hostRules'>;

/** False: a landing or another read has written the tip since this read began. */
async function keepBase(ctx: Context, queueId: string, { before, tip, demands }: BaseRead): Promise<boolean> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const work = startWork(ctx, tx, await changeQueue(ctx, tx, queueId));
    const { queue } = work;
    const known = queue.baseTip ?? null;
    if (known !== before) return false;
    if (!isEqual(demandsOf(queue), demands)) {
      Object.assign(queue, demands);
      resumeIfRefused(work);
    }
    if (known !== (tip?.commit ?? null) && (await readLandingMembers(ctx, tx, queueId)).size === 0) {
      if (known !== null)
        work.events.push({
          repositoryId: queue.repositoryId,
          queueId,
          action: 'base_moved',
          payload: { from: known, to: tip?.commit ?? null },
        });
      // After a landing was given up or a halt has ended, no tip is known, and the branch may have moved.
      if (queue.managedFrom) queue.baseMovedAt = work.now;
      queue.managedFrom ??= tip?.commit ?? null;
      queue.baseTip = tip?.commit ?? null;
      queue.baseTree = tip?.tree ?? null;
    }
    await finishWork(work);
    return true;
  });
}

/** Ends the halt because the host refuses every landing. If the host still does, the next landing halts the queue again. */
function resumeIfRefused(work: QueueWork): void {
  if (isBranchRefusalHalt(work.queue.haltedReason)) resumeWork(work);
}

/**
 * Reads the rules of the host for a base branch again, because the host has reported that they changed. The report is
 * noted first: the changed rule may have refused a landing that is not recorded yet.
 */
export async function syncRules(ctx: Context, repository: HostedRepository, baseBranch: string): Promise<void> {
  await noteReportOfRules(ctx, repository.id, baseBranch);
  await syncBase(ctx, repository, baseBranch, { areRulesStale: true });
  const queueId = await findQueue(ctx, repository.id, baseBranch);
  const queue = queueId === null ? null : await ctx.db.load(ctx.accountId, QueueEntity, queueId);
  if (queue === null || !isBranchRefusalHalt(queue.haltedReason)) return;
  // The changed rule may be one that the host does not show.
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const work = startWork(ctx, tx, await changeQueue(ctx, tx, queue.id));
    resumeIfRefused(work);
    await finishWork(work);
  });
}

/** The planner does not read the instant of this report, so the queue's version stays the same. */
async function noteReportOfRules(ctx: Context, repositoryId: string, baseBranch: string): Promise<void> {
  await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.send(
        'update queue set rules_reported_at = $4 where account_id = $1 and repository_id = $2 and base_branch = $3',
        [ctx.accountId, repositoryId, baseBranch, ctx.clock().toISOString()],
      ),
  );
}

/**
 * Writes which landing is the newest one of the deleted branch. The recorded tip is null also after a landing was given
 * up or a halt has ended, so the tip alone does not show whether the deletion was noted. The planner does not read this
 * landing, so the queue's version stays the same.
 */
async function keepDeletion(ctx: Context, queueId: string): Promise<void> {
  await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.send(
        `update queue set last_deleted_landing_id = n.id
         from (select max(id) as id from landing where account_id = $1 and queue_id = $2) n
         where account_id = $1 and queue.id = $2 and base_tip is null and last_deleted_landing_id is distinct from n.id`,
        [ctx.accountId, queueId],
      ),
  );
}

/** How many of the newest landings are compared with the last commit of a deleted branch. */
const comparedLandings = 100;

/**
 * Writes that a base branch was deleted when it was at `commit`. Returns false if a landing on the branch is under way:
 * the deletion may have taken it away, and it is recorded later. Nothing is compared until then, so call this again. The
 * branch may have been made again since, and a read of its ref would show only a rewrite. The deletion took away the
 * landings that `commit` contains. Landings on the branch that was made again are not among them, so it does not matter
 * when the host reports the deletion. If the host cannot show `commit`, nothing is written, and the lost landings stay a violation of
 * `landed_tree`.
 */
export async function noteDeletion(
  ctx: Context,
  repository: HostedRepository,
  { baseBranch, commit }: { readonly baseBranch: string; readonly commit: string },
): Promise<boolean> {
  const client = hostClient(ctx, repository);
  // This comes before the landings are read, so that a landing that ends meanwhile is among them.
  const queueId = await findQueue(ctx, repository.id, baseBranch);
  if (queueId !== null && (await isQueueLanding(ctx, queueId))) return false;
  const landings = await ctx.db.read<{ queueId: string; id: string; commit: string }>(ctx.accountId, {
    name: 'landings_before_deletion',
    text: `select q.id as "queueId", l.id, l.commit from queue q join landing l on l.account_id = q.account_id and l.queue_id = q.id
           where q.account_id = $1 and q.repository_id = $2 and q.base_branch = $3 and l.id > coalesce(q.last_deleted_landing_id, 0)
           order by l.id desc limit ${comparedLandings}`,
    values: [ctx.accountId, repository.id, baseBranch],
  });
  if (landings.length === 0) return true;
  if (!landings.some((each) => each.commit === commit) && (await client.readCommit(commit)) === null) return true;
  for (const landing of landings) {
    if (landing.commit !== commit && !(await client.isAncestor(landing.commit, commit))) continue;
    await ctx.db.transaction(
      ctx.accountId,
      async (tx) =>
        await tx.send(
          `update queue set last_deleted_landing_id = $3
           where account_id = $1 and id = $2 and coalesce(last_deleted_landing_id, 0) < $3::bigint`,
          [ctx.accountId, landing.queueId, landing.id],
        ),
    );
    break;
  }
  return true;
}

/** What the host demands of commits on the base branch, as it was read last. */
export function demandsOf({ hostRequiredChecks, hostRules }: Demands): Demands {
  return { hostRequiredChecks, hostRules: hostRules ?? null };
}

async function readDemands(
  ctx: Context,
  client: HostClient,
  baseBranch: string,
): Promise<Demands & { readonly countsUntil: Date | null }> {
  const { requiredChecks, countsForMs = 0, ...rules } = await client.readBaseRules(baseBranch);
  return {
    hostRequiredChecks: [...requiredChecks].sort(),
    hostRules: rules,
    countsUntil: countsForMs === 0 ? null : new Date(ctx.clock().getTime() + countsForMs),
  };
}

/**
 * Writes until when the host's rules count. The planner does not read this time, so the queue's version stays the same.
 */
async function keepRulesUntil(ctx: Context, queueId: string, until: Date): Promise<void> {
  await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.send('update queue set host_rules_until = $3 where account_id = $1 and id = $2', [
        ctx.accountId,
        queueId,
        until,
      ]),
  );
}
