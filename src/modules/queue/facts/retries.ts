// Retries of failed checks: planned in a turn of the queue, carried out at the host, once for each commit and check.
// Until its new attempt ends a check counts as pending, for the planner and for admission alike.
import type { Context } from '../../../context.ts';
import { contextOf, decideRetries, withUndecided, type Retry } from '../../../domain/queue/evidence/check-retry.ts';
import type { Configuration } from '../../../domain/configuration/index.ts';
import type { BuildState, QueueRules } from '../../../domain/queue/model/snapshot.ts';
import { HostRefused, type CodeHost } from '../../../hosts/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { appendEvents } from '../../events/index.ts';
import { RepositoryEntity } from '../../repositories/repositories.entities.ts';
import { loadBuilds, recordChecks } from './build.records.ts';
import { configurationOf } from '../store/configuration.cache.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { hosted, type HostedRepository } from '../store/hosted-repository.ts';
import { finishIntent } from '../store/intents.finish.ts';
import { QueueEntity, type IntentRow } from '../store/queue.entities.ts';
import { changeQueue } from '../store/queue.locks.ts';
import type { QueueWork } from '../store/status.writer.ts';

/** Builds as they are judged: a failed check that is tried again, or is about to be, is pending in them. */
export async function loadJudgedBuilds(
  ctx: Context,
  tx: Transaction,
  wanted: Parameters<typeof loadBuilds>[2],
  rules: QueueRules,
): Promise<BuildState[]> {
  const builds = await loadBuilds(ctx, tx, wanted);
  const { repositoryId, at = null } = wanted;
  const retries = rules.retriableChecks === null ? [] : await loadRetries(ctx, tx, { repositoryId, builds, at });
  const now = (at ?? ctx.clock()).getTime();
  return builds.map((build) => withUndecided(build, decideRetries(build, { rules, retries, now }).undecided));
}

async function loadRetries(
  ctx: Context,
  tx: Transaction,
  of: { readonly repositoryId: string; readonly builds: readonly BuildState[]; readonly at: Date | null },
): Promise<Retry[]> {
  return await tx.query<Retry>(
    `select commit, name, attempt, case when started_at <= $4 then state else 'planned' end as state,
            case when started_at <= $4 then extract(epoch from started_at)::float8 * 1000 end as "startedAt"
     from check_retry where account_id = $1 and repository_id = $2 and commit = any($3) and planned_at <= $4`,
    [ctx.accountId, of.repositoryId, of.builds.map((build) => build.commit), of.at?.toISOString() ?? 'infinity'],
  );
}

/** Plans what is due, and answers when to look again although nothing wakes the queue. */
export async function planRetries(work: QueueWork, rules: QueueRules): Promise<number | null> {
  if (rules.retriableChecks === null) return null;
  const { ctx, tx, queue, now } = work;
  const commits = await readFailedCommits(work);
  if (commits.length === 0) return null;
  const builds = await loadBuilds(ctx, tx, { repositoryId: queue.repositoryId, commits, trees: [] });
  const retries = await loadRetries(ctx, tx, { repositoryId: queue.repositoryId, builds, at: null });
  const ends: number[] = [];
  for (const build of builds) {
    const outlook = decideRetries(build, { rules, retries, now: now.getTime() });
    for (const check of outlook.due) await planRetry(work, { commit: build.commit, ...check });
    if (outlook.until !== null) ends.push(outlook.until);
  }
  return ends.length === 0 ? null : Math.min(...ends);
}

/** What the queue judges and a check has failed on: builds of live batches, and heads that were asked to merge. */
async function readFailedCommits({ ctx, tx, queue }: QueueWork): Promise<string[]> {
  const rows = await tx.query<{ commit: string }>(
    `select distinct c.commit from (${judgedCommits}) c (commit)
     where exists (select from check_result r where r.account_id = $1 and r.repository_id = $3 and r.commit = c.commit
                     and r.conclusion not in ('success', 'pending'))`,
    [ctx.accountId, queue.id, queue.repositoryId],
  );
  return rows.map((row) => row.commit);
}

const judgedCommits = `
  select tested_commit from batch where account_id = $1 and queue_id = $2 and state in ('making', 'building', 'landing')
  union all
  select head_sha from pull_request where account_id = $1 and queue_id = $2 and status in ('pending', 'queued', 'tagged')`;

async function planRetry(
  { ctx, tx, queue, now }: QueueWork,
  check: { readonly commit: string; readonly name: string; readonly attempt: number },
): Promise<void> {
  const planned = await tx.query(
    `insert into check_retry (account_id, repository_id, commit, name, attempt, planned_at) values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing returning 1`,
    [ctx.accountId, queue.repositoryId, check.commit, check.name, check.attempt, now.toISOString()],
  );
  if (planned.length === 0) return;
  await tx.query(
    `insert into intent (account_id, queue_id, kind, key, payload, planned_at) values ($1, $2, 'retry_check', $3, $4, $5)
     on conflict (account_id, queue_id, kind, key) do nothing`,
    [
      ctx.accountId,
      queue.id,
      `${check.commit}:${check.name}`,
      JSON.stringify({ commit: check.commit, name: check.name, attempt: check.attempt }),
      now.toISOString(),
    ],
  );
}

interface Planned {
  readonly commit: string;
  readonly name: string;
  readonly attempt: number;
}

/** Starts the new attempt, unless one is there already: an earlier try may have died after it, or a person was faster. */
export async function carryOutRetry(ctx: Context, intent: IntentRow): Promise<void> {
  const planned = intent.payload as unknown as Planned;
  const { host, configuration } = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await tx.em.findOneOrFail(QueueEntity, { id: intent.queueId });
    const repository = await tx.em.findOneOrFail(RepositoryEntity, { id: queue.repositoryId });
    return { host: hosted(repository), configuration: configurationOf(repository) };
  });
  const adapter = ctx.hosts(host.host);
  const isStarted = await startAttempt(adapter, host, planned);
  await passFailpoint('retry:after_host');
  const context = isStarted ? await readContext(adapter, host, { ...planned, configuration }) : '';
  await concludeRetry(ctx, intent, { host, planned, isStarted, context });
  if (isStarted) await recordChecks(ctx, host, planned.commit);
  await finishIntent(ctx, intent);
}

async function startAttempt(
  adapter: CodeHost,
  host: HostedRepository,
  { commit, name, attempt }: Planned,
): Promise<boolean> {
  const report = await adapter.readChecks(host, commit);
  if (report.checks.some((check) => check.name === name && check.attempt > attempt)) return true;
  try {
    return (await adapter.rerunChecks(host, commit, [name])).includes(name);
  } catch (error) {
    if (error instanceof HostRefused) return false;
    throw error;
  }
}

const longestContext = 20_000;

async function readContext(
  adapter: CodeHost,
  host: HostedRepository,
  of: { readonly commit: string; readonly name: string; readonly configuration: Configuration },
): Promise<string> {
  const { context, context_file, retriable_checks } = of.configuration.merge_rules.flaky_retry;
  const says = contextOf(of.name, {
    context,
    contextFile: context_file,
    checks: retriable_checks.map((check) => ({
      name: check.name,
      context: check.context,
      contextFile: check.context_file,
    })),
  });
  if (says.contextFile === undefined) return says.context ?? '';
  const file = { commit: of.commit, path: says.contextFile, maxBytes: longestContext };
  return (await adapter.readFile(host, file))?.text ?? `${says.contextFile} is not there at this commit, or too long.`;
}

/** A retry the host refuses is none: the failure counts. */
async function concludeRetry(
  ctx: Context,
  intent: IntentRow,
  of: {
    readonly host: HostedRepository;
    readonly planned: Planned;
    readonly isStarted: boolean;
    readonly context: string;
  },
): Promise<void> {
  const { host, planned, isStarted, context } = of;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await changeQueue(ctx, tx, intent.queueId);
    const moved = await tx.query(
      `update check_retry set state = $5, started_at = $6, context = $7
       where account_id = $1 and repository_id = $2 and commit = $3 and name = $4 and state = 'planned' returning 1`,
      [
        ctx.accountId,
        host.id,
        planned.commit,
        planned.name,
        isStarted ? 'started' : 'refused',
        ctx.clock().toISOString(),
        context,
      ],
    );
    if (moved.length === 0 || !isStarted) return;
    const [batch] = await tx.query<{ id: string }>(
      `select id from batch where account_id = $1 and queue_id = $2 and tested_commit = $3 order by id desc limit 1`,
      [ctx.accountId, intent.queueId, planned.commit],
    );
    await appendEvents(ctx, tx, [
      {
        repositoryId: host.id,
        queueId: intent.queueId,
        batchId: batch?.id ?? null,
        action: 'check_retried',
        payload: { commit: planned.commit, check: planned.name, attempt: planned.attempt + 1, context },
      },
    ]);
  });
}
