import type { Context } from '../../context.ts';
import { DomainError, notFound } from '../../domain/errors.ts';
import {
  changesOfEnvironment,
  type EnvironmentSettings,
  type SettingChange,
} from '../../domain/releases/environment.changes.ts';
import { requireReleaseName } from '../../domain/releases/name.ts';
import { isSameProvider, type EnvironmentTier } from '../../domain/releases/release.ts';
import type { Transaction } from '../../platform/database.ts';
import { dryRun } from '../../platform/dry-run.ts';
import { recordUserAction, requireAction, requireScope, type Secrets } from '../accounts/index.ts';
import { appendEvents } from '../events/index.ts';
import { readLine } from './deployments.history.ts';
import { readDeploymentsIn } from './deployments.reads.ts';
import type { Deployment } from './deployments.types.ts';
import { wakeRunningDeployments } from './deployments.wake.ts';
import { loadEnvironment, loadReleaseProject } from './projects.reads.ts';
import type { ReleaseProject } from './projects.types.ts';
import {
  changedSecret,
  checkedProvider,
  checkedSeconds,
  namesSecret,
  type ProviderRequest,
} from './provider.settings.ts';
import type { EnvironmentRow } from './releases.entities.ts';
import { changeEnvironment, lockUndeletedRepository } from './releases.locks.ts';

const defaultReportTimeoutSec = 3600;
const longestFreezeSec = 366 * 86_400;

export interface NewEnvironment {
  readonly project: string;
  readonly name: string;
  readonly tier?: EnvironmentTier | null;
  readonly position?: number | null;
  readonly provider: ProviderRequest;
  readonly reportTimeoutSec?: number | null;
  readonly freezeAfterRollback?: boolean | null;
  readonly freezeAfterRollbackSec?: number | null;
}

/** Throws CONFLICT if the project has an environment with this name, or if its repository was deleted. */
export async function createEnvironment(ctx: Context, secrets: Secrets, input: NewEnvironment): Promise<void> {
  requireScope(ctx, 'release:write');
  const name = requireReleaseName(input.name, 'input.name');
  const provider = checkedProvider(input.provider, 'input.provider');
  const reportTimeoutSec = checkedSeconds(input.reportTimeoutSec ?? defaultReportTimeoutSec, 'input.reportTimeoutSec');
  const freezeAfterRollbackSec = checkedFreeze(input.freezeAfterRollbackSec ?? null);
  const project = await loadReleaseProject(ctx, input.project, 'release:write');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await lockUndeletedRepository(tx, project.repositoryId);
    const order = await lockOrder(ctx, tx, project.id);
    const [row] = await tx.query<{ id: string }>(
      `insert into environment (account_id, project_id, name, position, tier, provider, report_timeout_sec,
         freeze_after_rollback, freeze_after_rollback_sec, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (account_id, project_id, name) do nothing returning id`,
      [
        ctx.accountId,
        project.id,
        name,
        order.length + 1,
        input.tier ?? 'other',
        JSON.stringify(provider),
        reportTimeoutSec,
        input.freezeAfterRollback ?? false,
        freezeAfterRollbackSec,
        ctx.clock().toISOString(),
      ],
    );
    if (row === undefined)
      throw new DomainError('CONFLICT', `${project.name} already has an environment ${name}.`, 'input.name');
    const owner = { accountId: ctx.accountId, kind: 'environment', id: row.id } as const;
    await tx.send('update environment set provider_secret = $3 where account_id = $1 and id = $2', [
      ctx.accountId,
      row.id,
      changedSecret(secrets, owner, { request: input.provider, before: null, sealed: null }),
    ]);
    await place(ctx, tx, { order, id: row.id, position: input.position ?? null });
    await record(ctx, tx, { action: 'environment_created', project, id: row.id, name });
  });
}

export interface EnvironmentChange extends Partial<Omit<NewEnvironment, 'project' | 'name' | 'provider'>> {
  readonly project: string;
  readonly environment: string;
  readonly provider?: ProviderRequest | null;
  readonly preview?: boolean;
}

/** What a change of an environment does. */
export interface EnvironmentImpact {
  readonly changes: readonly SettingChange[];
  /** The deployments in line that the new provider would carry out, the next first. */
  readonly affects: readonly Deployment[];
}

/**
 * Fields that are left out stay unchanged. Throws CONFLICT for a new provider while a deployment has the slot. Returns
 * what a dry run would change, or null after a change that was carried out.
 */
export async function updateEnvironment(
  ctx: Context,
  secrets: Secrets,
  change: EnvironmentChange,
): Promise<EnvironmentImpact | null> {
  requireAction(ctx, 'update_environment');
  const { project, environment } = await loadEnvironment(ctx, change, 'release:write');
  const act = async (tx: Transaction): Promise<{ readonly row: EnvironmentRow; readonly changes: SettingChange[] }> => {
    await lockUndeletedRepository(tx, project.repositoryId);
    const order = await lockOrder(ctx, tx, project.id);
    const row = await changeEnvironment(ctx, tx, environment.id);
    const before = await readSettings(ctx, tx, environment.id);
    applySettings(row, change);
    if (change.provider) changeProvider(ctx, secrets, { row, request: change.provider });
    await tx.em.flush();
    if (typeof change.reportTimeoutSec === 'number') await wakeRunningDeployments(ctx, tx, row.id);
    if (typeof change.position === 'number')
      await place(ctx, tx, { order, id: environment.id, position: change.position });
    const { id, name } = environment;
    const changes = changesOfEnvironment(before, await readSettings(ctx, tx, id));
    if (changes.length > 0 || namesSecret(change.provider))
      await record(ctx, tx, { action: 'environment_updated', project, id, name });
    return { row, changes };
  };
  if (!change.preview) {
    await ctx.db.transaction(ctx.accountId, act);
    return null;
  }
  return await dryRun(ctx.db, ctx.accountId, async (tx) => {
    const { row, changes } = await act(tx);
    const isRouted = changes.some(({ field }) => field === 'provider');
    const line = isRouted ? await readLine(ctx, tx, row) : [];
    return {
      changes,
      affects: await readDeploymentsIn(
        ctx,
        tx,
        line.map(({ id }) => id),
      ),
    };
  });
}

function applySettings(row: EnvironmentRow, change: EnvironmentChange): void {
  if (change.tier) row.tier = change.tier;
  if (typeof change.reportTimeoutSec === 'number')
    row.reportTimeoutSec = checkedSeconds(change.reportTimeoutSec, 'input.reportTimeoutSec');
  if (typeof change.freezeAfterRollback === 'boolean') row.freezeAfterRollback = change.freezeAfterRollback;
  if (change.freezeAfterRollbackSec !== undefined)
    row.freezeAfterRollbackSec = checkedFreeze(change.freezeAfterRollbackSec);
}

interface RecordedChange {
  readonly action: 'environment_created' | 'environment_updated';
  readonly project: ReleaseProject;
  readonly id: string;
  readonly name: string;
}

async function record(ctx: Context, tx: Transaction, { action, project, id, name }: RecordedChange): Promise<void> {
  const payload = { project: project.name, environment: name };
  await appendEvents(ctx, tx, [{ repositoryId: project.repositoryId, environmentId: id, action, payload }]);
  await recordUserAction(ctx, tx, { action, target: `${project.name}/${name}` });
}

async function readSettings(ctx: Context, tx: Transaction, id: string): Promise<EnvironmentSettings> {
  await tx.em.flush();
  const [settings] = await tx.query<EnvironmentSettings>(
    `select tier, position, provider, report_timeout_sec as "reportTimeoutSec", freeze_after_rollback as "freezeAfterRollback",
       freeze_after_rollback_sec as "freezeAfterRollbackSec"
     from environment where account_id = $1 and id = $2`,
    [ctx.accountId, id],
  );
  if (settings === undefined) throw notFound('Release environment');
  return settings;
}

function changeProvider(
  ctx: Context,
  secrets: Secrets,
  { row, request }: { readonly row: EnvironmentRow; readonly request: ProviderRequest },
): void {
  const provider = checkedProvider(request, 'input.provider');
  if (row.currentDeploymentId) {
    throw new DomainError(
      'CONFLICT',
      `${row.name} has a running deployment. Cancel the deployment, or change the provider after the deployment has ended.`,
      'input.provider',
    );
  }
  const owner = { accountId: ctx.accountId, kind: 'environment', id: row.id } as const;
  const sealed = row.providerSecret ? Buffer.from(row.providerSecret) : null;
  row.providerSecret = changedSecret(secrets, owner, { request, before: row.provider, sealed });
  if (!isSameProvider(row.provider, provider)) row.providerSince = ctx.clock();
  row.provider = provider;
}

/**
 * Locks the project's row, and returns the ids of its environments in their order. Without the lock, two environments
 * that are placed at the same time could get the same position.
 */
async function lockOrder(ctx: Context, tx: Transaction, projectId: string): Promise<readonly string[]> {
  const rows = await tx.query('select 1 from release_project where account_id = $1 and id = $2 for no key update', [
    ctx.accountId,
    projectId,
  ]);
  if (rows.length === 0) throw notFound('Release project');
  const order = await tx.query<{ id: string }>(
    'select id from environment where account_id = $1 and project_id = $2 order by position, id',
    [ctx.accountId, projectId],
  );
  return order.map(({ id }) => id);
}

/**
 * Puts an environment at its position, and moves the following environments by one. If `position` is null, the
 * environment comes last.
 */
async function place(
  ctx: Context,
  tx: Transaction,
  { order, id, position }: { readonly order: readonly string[]; readonly id: string; readonly position: number | null },
): Promise<void> {
  const others = order.filter((each) => each !== id);
  const max = others.length + 1;
  if (position !== null && (position < 1 || position > max))
    throw new DomainError('BAD_INPUT', `input.position must be between 1 and ${max}`, 'input.position');
  const placed = others.toSpliced((position ?? max) - 1, 0, id);
  await tx.send(
    `update environment e set position = wanted.position
     from unnest($2::bigint[]) with ordinality as wanted (id, position)
     where e.account_id = $1 and e.id = wanted.id and e.position <> wanted.position`,
    [ctx.accountId, placed],
  );
}

function checkedFreeze(seconds: number | null): number | null {
  const field = 'input.freezeAfterRollbackSec';
  if (seconds !== null && (seconds < 1 || seconds > longestFreezeSec))
    throw new DomainError('BAD_INPUT', `${field} must be between 1 and ${longestFreezeSec}`, field);
  return seconds;
}
