// Makes a restored database agree with its repositories, which are newer: it records later landings, restarts builds,
// and prevents ids and positions of events that were used since the backup from being used again. Every step may run
// twice, so that an interrupted run can be repeated (docs/adr/0012-outages.md).
import type { Context, Ports } from '../../../context.ts';
import { DomainError } from '../../../domain/errors.ts';
import { hostClient, RefMoved, type HostedRepository } from '../../../hosts/port.ts';
import { syncBase } from '../facts/base-branches.ts';
import { changeQueue } from '../store/queue.locks.ts';
import {
  reasonOf,
  surveyInstallation,
  type RepositorySurvey,
  type StrayBranch,
  type Survey,
} from './recovery.survey.ts';
import type { QueueSurvey } from './recovery.queue-survey.ts';
import { importQueue } from './recovery.import.ts';
import { startWork, finishWork } from '../store/status.writer.ts';
import { haltOnUnknownLandings, restoredReason } from '../facts/unknown-landings.ts';

// Each sequence is increased by this number, because ids may have been used since the backup. The number is far more
// than the ids that can be used between two backups, and far less than all ids.
const sequenceGap = 1_000_000;

/**
 * Halts the queues whose repositories have landings without a record, so that a running Interlock plans nothing there,
 * and starts a new epoch of the event log. Returns the epoch.
 */
export async function beginRecovery(ports: Ports, { repositories, highestBatch }: Survey): Promise<number> {
  for (const { ctx, host } of repositories) await haltOnUnknownLandings(ctx, host);
  return await startEpoch(ports, highestBatch);
}

/**
 * Makes the queues agree with the repositories and resumes the queues. Returns what the database lacked. A repository
 * that cannot be recovered, because its host refuses, does not hold up the others.
 */
export async function recoverRepositories(ports: Ports, epoch: number): Promise<Survey> {
  const survey = await surveyInstallation(ports);
  const recovered: RepositorySurvey[] = [];
  const left = [...survey.left];
  for (const repository of survey.repositories) {
    try {
      await recoverRepository(repository, epoch);
      recovered.push(repository);
    } catch (error) {
      left.push({ repository: repository.repository, isActive: repository.isActive, reason: reasonOf(error) });
    }
  }
  return { ...survey, repositories: recovered, left };
}

async function startEpoch(ports: Ports, highestBatch: string): Promise<number> {
  return await ports.db.system.transaction(async (query) => {
    const [row] = await query<{ epoch: number }>(
      'update installation set epoch = epoch + 1 returning epoch::float8 as epoch',
    );
    if (row === undefined) throw new DomainError('INTERNAL', 'The table installation has no row.');
    // The sequences belong to the user that connects and that ran the migrations. Statements normally run in a role
    // that may not set sequences.
    await query('set local role none');
    await query(
      `select setval(s.name, nextval(s.name) + $1)
       from (select pg_get_serial_sequence(format('%I', c.relname), a.attname)::regclass as name
             from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
             where a.attidentity <> '' and not a.attisdropped and c.relkind in ('r', 'p') and n.nspname = current_schema()) s`,
      [sequenceGap],
    );
    await query(
      `select setval(s.name, greatest(nextval(s.name), $1::bigint)) from (select pg_get_serial_sequence('batch', 'id')::regclass as name) s`,
      [highestBatch],
    );
    return row.epoch;
  });
}

async function recoverRepository({ ctx, host, queues, strays }: RepositorySurvey, epoch: number): Promise<void> {
  for (const queue of queues) await importQueue(ctx, queue);
  for (const stray of strays) await removeStray(ctx, host, stray);
  for (const { baseBranch } of queues) await syncBase(ctx, host, baseBranch);
  for (const queue of queues) await resume(ctx, queue, epoch);
}

async function removeStray(ctx: Context, host: HostedRepository, { ref, commit }: StrayBranch): Promise<void> {
  const client = hostClient(ctx, host);
  const branch = ref.slice('refs/heads/'.length);
  await client.cancelChecks(commit);
  for (const { number } of await client.findOpenPullRequests(branch)) await client.closePullRequest(number);
  try {
    await client.updateRefs([{ ref, from: commit, to: null }]);
  } catch (error) {
    if (!(error instanceof RefMoved && error.actual === null)) throw error;
  }
}

async function resume(ctx: Context, survey: QueueSurvey, epoch: number): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const work = startWork(ctx, tx, await changeQueue(ctx, tx, survey.queueId));
    const { queue } = work;
    const subject = { repositoryId: queue.repositoryId, queueId: queue.id };
    const merges = [...survey.landings.flatMap((landing) => landing.merges), ...survey.pushed];
    work.events.push({
      ...subject,
      action: 'database_recovered',
      payload: { epoch, landings: survey.landings.length, pullRequests: merges.map(({ number }) => number) },
    });
    // A halt by a person is not ended.
    if (queue.haltedReason?.startsWith(restoredReason)) {
      Object.assign(queue, { haltedReason: null, haltedAt: null });
      work.events.push({ ...subject, action: 'queue_resumed', payload: { reason: null } });
    }
    await finishWork(work);
  });
}
