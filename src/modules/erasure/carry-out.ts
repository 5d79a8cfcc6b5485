// Carries erasures out. Every step may be repeated, so that another process can continue after a process has died.
import { systemContext, type Ports } from '../../context.ts';
import { passFailpoint } from '../../platform/failpoints.ts';
import { eraseRows, planAccount, planRepository, readCatalogue } from '../../platform/erasure/index.ts';
import { removeContents } from '../repositories/index.ts';
import { RepositoryEntity } from '../repositories/repositories.entities.ts';
import { remainingTablesOfAccount, remainingTablesOfRepository } from './erasure.service.ts';

interface OpenErasure {
  readonly id: string;
  readonly accountId: string;
  readonly repositoryId: string | null;
}

/** How long running work has time to stop before its rows are deleted. */
const graceSec = 60;
const leaseSec = 15 * 60;

/** Carries out the erasures that are due. `graceSec`: how old a request must be. */
export async function carryOutErasures(ports: Ports, options: { readonly graceSec?: number } = {}): Promise<void> {
  const failures: unknown[] = [];
  const due = await ports.db.system.query<OpenErasure>(
    `update erasure set leased_until = $1::timestamptz + make_interval(secs => ${leaseSec})
     where finished_at is null and requested_at <= $1::timestamptz - make_interval(secs => $2)
       and coalesce(leased_until, '-infinity') < $1
     returning id::text, account_id::text as "accountId", repository_id::text as "repositoryId"`,
    [ports.clock().toISOString(), options.graceSec ?? graceSec],
  );
  for (const erasure of due) {
    try {
      await carryOut(ports, erasure);
      await conclude(ports, erasure, 'finished_at = now()');
    } catch (error) {
      failures.push(error);
      await conclude(ports, erasure, 'leased_until = null');
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'An erasure failed, and is tried again in a minute.');
}

async function conclude(ports: Ports, { id }: OpenErasure, change: string): Promise<void> {
  await ports.db.system.query(`update erasure set ${change} where id = $1`, [id]);
}

async function carryOut(ports: Ports, { accountId, repositoryId }: OpenErasure): Promise<void> {
  const { query } = ports.db.system;
  const repositories =
    repositoryId === null
      ? await query<{ id: string }>('select id::text from repository where account_id = $1 order by id', [accountId])
      : [{ id: repositoryId }];
  const ctx = systemContext(ports, accountId);
  for (const { id } of repositories) {
    const repository = await ctx.db.load(accountId, RepositoryEntity, id);
    if (repository !== null) await removeContents(ctx, repository);
  }
  await passFailpoint('erasure:contents_removed');
  const catalogue = await readCatalogue(query);
  if (repositoryId === null) {
    await eraseRows(query, planAccount(catalogue, remainingTablesOfAccount), [accountId]);
    return;
  }
  await emptyEvents(ports, accountId, repositoryId);
  await passFailpoint('erasure:events_emptied');
  await eraseRows(query, planRepository(catalogue, remainingTablesOfRepository), [accountId, repositoryId]);
  // Work that was under way may have written events until its rows were deleted.
  await emptyEvents(ports, accountId, repositoryId);
  await query(
    `update account_targets a set stored = coalesce((
       select sum(stored_targets(p.affected_targets, p.awaited)) from pull_request p where p.account_id = a.account_id), 0)
     where a.account_id = $1`,
    [accountId],
  );
}

/**
 * Empties the events of a repository. An event keeps only its position and its instant. An event that gets its position
 * at the same time is emptied after that, because it is chosen by its key: a row that is chosen by its place in the table
 * would be passed over.
 */
async function emptyEvents({ db }: Ports, accountId: string, repositoryId: string): Promise<void> {
  for (;;) {
    const emptied = await db.system.query(
      `update event e set repository_id = null, queue_id = null, pull_request_id = null, batch_id = null,
         environment_id = null, candidate_id = null, deployment_id = null, runbook_id = null, verification_id = null,
         registration_id = null, action = 'repository_deleted', actor = null, payload = '{"owner": "", "name": ""}'
       where e.id = any(array(
         select id from event where account_id = $1 and repository_id = $2 limit 2000)) and e.repository_id = $2
       returning 1`,
      [accountId, repositoryId],
    );
    if (emptied.length === 0) return;
  }
}
