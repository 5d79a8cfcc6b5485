// One transaction marks a repository as deleted, and keeps its row and the rows that history refers to. Later steps,
// which may be repeated, remove the contents from the host and the disk (docs/adr/0034-delays.md).
import { systemContext, type Context, type Ports } from '../../context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import { activeStatuses } from '../../domain/releases/deployment.status.ts';
import { hostClient } from '../../hosts/port.ts';
import type { Transaction } from '../../platform/database.ts';
import { eraseRows, planRepository, readCatalogue } from '../../platform/erasure/index.ts';
import { passFailpoint } from '../../platform/failpoints.ts';
import { recordUserAction, requireScope } from '../accounts/index.ts';
import { appendEvents } from '../events/index.ts';
import { deletionChannel, forgetNames } from './known-repositories.ts';
import { RepositoryEntity, type RepositoryRow } from './repositories.entities.ts';
import { lockRepository } from './repositories.locks.ts';
import { loadRepository, type RepositoryName } from './repositories.reads.ts';
import { isUnfinished } from './repositories.service.ts';

const candidates = 'select id from release_candidate where account_id = $1 and repository_id = $2';
const queues = 'select id from queue where account_id = $1 and repository_id = $2';
const projects = 'select id from release_project where account_id = $1 and repository_id = $2';
const environments = `select id from environment where account_id = $1 and project_id in (${projects})`;
const runbooks = 'select id from runbook where account_id = $1 and repository_id = $2';
const verifications = 'select id from verification where account_id = $1 and repository_id = $2';

/** Kinds of work that a deletion would interrupt, each with its name in the singular and the plural. */
const underWay: readonly (readonly [one: string, several: string, rows: string])[] = [
  ['landing', 'landings', `intent where account_id = $1 and state = 'started' and queue_id in (${queues})`],
  ['build', 'builds', 'batch where account_id = $1 and repository_id = $2 and cleaned_up_at is null'],
  ['check', 'checks', `local_check_run where account_id = $1 and repository_id = $2 and state = 'running'`],
  [
    'deployment',
    'deployments',
    `deployment where account_id = $1 and candidate_id in (${candidates}) and status = any($3)`,
  ],
  [
    'release candidate',
    'release candidates',
    `release_candidate where account_id = $1 and repository_id = $2 and status = 'building'`,
  ],
  [
    'runbook',
    'runbooks',
    `runbook b where account_id = $1 and repository_id = $2 and (in_progress > 0 or queued > 0 or supervised_until is not null
       or exists (select from runbook_commit c where c.account_id = $1 and c.runbook_id = b.id and c.state = 'made'))`,
  ],
  ['preview', 'previews', 'verification where account_id = $1 and repository_id = $2 and next_look_at is not null'],
];

/** SQL that ends freezes. */
const freezeStatements = [
  'update repository set next_freeze_change_at = null where account_id = $1 and id = $2',
  `update environment set next_freeze_change_at = null where account_id = $1 and project_id in (${projects})`,
  `update freeze_rule set deleted_at = now() where account_id = $1 and deleted_at is null
     and (repository_id = $2 or environment_id in (${environments}))`,
];

/**
 * SQL that voids planned work, stops timers, ends freezes, and deletes the rights, links and secrets of a deleted
 * repository, except the secrets of providers.
 */
const releaseStatements = [
  `update intent set state = 'void', concluded_at = now() where account_id = $1 and state = 'planned' and queue_id in (${queues})`,
  `update local_check_run set state = 'completed', conclusion = 'cancelled', completed_at = now()
     where account_id = $1 and repository_id = $2 and state = 'queued'`,
  'update runbook set next_look_at = null where account_id = $1 and repository_id = $2',
  'update release_candidate set git_look_at = null where account_id = $1 and repository_id = $2',
  ...freezeStatements,
  'delete from preview_secret_grant where account_id = $1 and repository_id = $2',
  'delete from embed_link where account_id = $1 and repository_id = $2',
  'delete from permission_grant where account_id = $1 and repository_id = $2',
  'delete from slack_destination where account_id = $1 and repository_id = $2',
  `update preview_registration set secrets = null, ended_at = now(), end_reason = 'deregistered'
     where account_id = $1 and repository_id = $2 and ended_at is null`,
];

/**
 * Deletes the secrets of providers. `markDeleted` keeps these secrets, because Interlock needs them to stop running
 * deployments and builds.
 */
const providerSecrets = [
  'update release_project set build_secret = null where account_id = $1 and repository_id = $2',
  `update environment set provider_secret = null where account_id = $1 and project_id in (${projects})`,
];

const atOnce = 5_000;
const logs = [
  ['deployment_log', `candidate_id in (${candidates})`],
  [
    'deployment_log',
    `deployment_id in (select id from deployment where account_id = $1 and candidate_id in (${candidates}))`,
  ],
  ['runbook_log', `runbook_id in (${runbooks})`],
  ['verification_log', `verification_id in (${verifications})`],
] as const;

/**
 * Deletes an inactive repository. Afterwards another repository may have the name, and the history can be read by the
 * id of the deleted repository. Throws CONFLICT if the repository is active or has work under way. Needs `admin`.
 */
export async function deleteRepository(ctx: Context, name: RepositoryName): Promise<RepositoryRow> {
  requireScope(ctx, 'admin');
  const { id } = await loadRepository(ctx, name, 'admin');
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const repository = await lockRepository(ctx, tx, id);
    if (repository.deletedAt) throw notFound('Repository');
    await requireIdle(ctx, tx, repository);
    await markDeleted(ctx, tx, repository);
    for (const statement of providerSecrets) await tx.query(statement, [ctx.accountId, id]);
    await recordUserAction(ctx, tx, { action: 'repository_deleted', target: `${name.owner}/${name.name}` });
    // `removeDeletedRepositories` repeats a failed removal.
    tx.afterCommit(async () => await removeContents(ctx, repository));
    return repository;
  });
}

/**
 * Marks a repository as deleted, so that another repository may have its name. The caller locks the repository's row.
 * After the commit the caller removes the contents of the repository and the secrets of its providers.
 */
export async function markDeleted(ctx: Context, tx: Transaction, repository: RepositoryRow): Promise<void> {
  const { accountId, id, owner, name } = repository;
  repository.deletedAt = ctx.clock();
  // The row of a deleted repository stays. A row with `deactivatedAt` is not taken for an unfinished creation
  // (`isUnfinished`), which would be erased.
  repository.deactivatedAt ??= ctx.clock();
  await appendEvents(ctx, tx, [{ repositoryId: id, action: 'repository_deleted', payload: { owner, name } }]);
  for (const statement of releaseStatements)
    await tx.query(statement, [accountId, id].slice(0, parametersOf(statement)));
  await tx.query('select pg_notify($1, $2)', [deletionChannel, id]);
  tx.afterCommit(() => forgetNames(ctx.db));
}

/**
 * Removes a repository whose creation was not completed, and its row. Such a repository was never used and has no
 * events. If the process dies before the end, `removeDeletedRepositories` completes the removal. Returns false if the
 * creation was completed: then the repository stays.
 */
export async function removeUnfinishedRepository(ctx: Context, id: string): Promise<boolean> {
  const repository = await ctx.db.transaction(ctx.accountId, async (tx) => {
    const row = await lockRepository(ctx, tx, id);
    if (!isUnfinished(row)) return null;
    row.deletedAt ??= ctx.clock();
    await tx.query('select pg_notify($1, $2)', [deletionChannel, id]);
    tx.afterCommit(() => forgetNames(ctx.db));
    return row;
  });
  if (repository === null) return false;
  await removeContents(ctx, repository);
  return true;
}

async function requireIdle(ctx: Context, tx: Transaction, repository: RepositoryRow): Promise<void> {
  const { id, active } = repository;
  const called = `The repository ${repository.owner}/${repository.name}`;
  if (active)
    throw new DomainError(
      'CONFLICT',
      `${called} is active: deactivate it by setRepositoryActive with active: false, then delete it`,
      'input.repository',
    );
  const found = await listUnderWay(ctx, tx, id);
  if (found.length > 0)
    throw new DomainError(
      'CONFLICT',
      `${called} has ${new Intl.ListFormat('en').format(found)} under way: cancel them or wait for their end, then delete it`,
      'input.repository',
    );
}

/** Lists the work that a deletion would interrupt, such as `2 builds`. */
export async function listUnderWay(ctx: Context, tx: Transaction, repositoryId: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [one, several, rows] of underWay) {
    const text = `select count(*)::int as count from ${rows}`;
    const values = [ctx.accountId, repositoryId, activeStatuses].slice(0, parametersOf(text));
    const [{ count } = { count: 0 }] = await tx.query<{ count: number }>(text, values);
    if (count > 0) found.push(`${count} ${count === 1 ? one : several}`);
  }
  return found;
}

function parametersOf(text: string): number {
  return Math.max(...[...text.matchAll(/\$(\d)/g)].map(([, number]) => Number(number)));
}

/** Removes a repository from its host, and its logs from the database. Idempotent. */
export async function removeContents(ctx: Context, repository: RepositoryRow): Promise<void> {
  const { accountId, id } = repository;
  await passFailpoint('repository:deleted');
  await hostClient(ctx, repository).removeRepository();
  await passFailpoint('repository:removed_from_host');
  if (isUnfinished(repository)) return await eraseRow(ctx, repository);
  for (const [table, condition] of logs) {
    const text = `delete from ${table} where id = any(array(
      select id from ${table} where account_id = $1 and ${condition} limit ${atOnce})) returning 1`;
    for (;;) {
      const removed = await ctx.db.transaction(accountId, async (tx) => await tx.query(text, [accountId, id]));
      if (removed.length < atOnce) break;
    }
  }
  await ctx.db.transaction(accountId, async (tx) => {
    // During an upgrade an older process, which ends no freezes, may have deleted the repository.
    for (const statement of freezeStatements) await tx.send(statement, [accountId, id]);
    await tx.send('update repository set removed_at = $3 where account_id = $1 and id = $2', [
      accountId,
      id,
      ctx.clock().toISOString(),
    ]);
  });
}

/** Erases the row of a repository whose creation was not completed, and the rows that refer to this row. */
async function eraseRow({ accountId, db }: Context, { id }: RepositoryRow): Promise<void> {
  const { query } = db.system;
  await eraseRows(query, planRepository(await readCatalogue(query), ['event', 'erasure']), [accountId, id]);
}

/** Completes interrupted deletions of all accounts. */
export async function removeDeletedRepositories(ports: Ports): Promise<void> {
  const rows = await ports.db.system.query<{ accountId: string; id: string }>(
    `select account_id as "accountId", id from repository where deleted_at is not null and removed_at is null order by id`,
  );
  const failures: unknown[] = [];
  for (const { accountId, id } of rows) {
    const ctx = systemContext(ports, accountId);
    try {
      const repository = await ctx.db.load(accountId, RepositoryEntity, id);
      if (repository !== null) await removeContents(ctx, repository);
    } catch (error) {
      // If one repository cannot be removed, the others are removed nevertheless.
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Deleted repositories could not be removed.');
}
