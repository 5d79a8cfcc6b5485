import { isDeepStrictEqual } from 'node:util';
import { isSameProvider } from '../../domain/releases/release.ts';
import type { Context } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import { longestName, requireReleaseName } from '../../domain/releases/name.ts';
import type { Transaction } from '../../platform/database.ts';
import { recordUserAction, requireScope, type Secrets } from '../accounts/index.ts';
import { appendEvents } from '../events/index.ts';
import { loadRepository, type RepositoryName } from '../repositories/index.ts';
import { wakeRunningBuilds } from './deployments.wake.ts';
import { loadReleaseProject } from './projects.reads.ts';
import {
  changedSecret,
  checkedProvider,
  checkedSeconds,
  namesSecret,
  type ProviderRequest,
} from './provider.settings.ts';
import { ReleaseProjectEntity } from './releases.entities.ts';
import { lockUndeletedRepository } from './releases.locks.ts';

const defaultBuildTimeoutSec = 3600;

export interface NewReleaseProject {
  readonly name: string;
  readonly repository: RepositoryName;
  readonly build?: ProviderRequest | null;
  readonly buildTimeoutSec?: number | null;
}

/** Throws CONFLICT if the account has a release project with this name, unless the repository of that project was deleted. */
export async function createReleaseProject(ctx: Context, secrets: Secrets, input: NewReleaseProject): Promise<void> {
  requireScope(ctx, 'release:write');
  const name = requireReleaseName(input.name, 'input.name');
  const build = input.build ? checkedProvider(input.build, 'input.build') : null;
  const buildTimeoutSec = checkedSeconds(input.buildTimeoutSec ?? defaultBuildTimeoutSec, 'input.buildTimeoutSec');
  const repository = await loadRepository(ctx, input.repository, 'release:write');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await lockUndeletedRepository(tx, repository.id);
    await freeName(ctx, tx, name);
    const [row] = await tx.query<{ id: string }>(
      `insert into release_project (account_id, name, repository_id, build_provider, build_timeout_sec, created_at)
       values ($1, $2, $3, $4, $5, $6) on conflict (account_id, name) do nothing returning id`,
      [
        ctx.accountId,
        name,
        repository.id,
        build === null || build.kind === 'none' ? null : JSON.stringify(build),
        buildTimeoutSec,
        ctx.clock().toISOString(),
      ],
    );
    if (row === undefined) throw new DomainError('CONFLICT', `A release project ${name} already exists.`, 'input.name');
    if (input.build) {
      const owner = { accountId: ctx.accountId, kind: 'project', id: row.id } as const;
      await tx.send('update release_project set build_secret = $3 where account_id = $1 and id = $2', [
        ctx.accountId,
        row.id,
        changedSecret(secrets, owner, { request: input.build, before: null, sealed: null }),
      ]);
    }
    await appendEvents(ctx, tx, [
      { repositoryId: repository.id, action: 'release_project_created', payload: { project: name } },
    ]);
    await recordUserAction(ctx, tx, { action: 'release_project_created', target: name });
  });
}

/** Renames the project of a deleted repository that has the name. The project and its history can still be read. */
async function freeName(ctx: Context, tx: Transaction, name: string): Promise<void> {
  // The new name may be taken too. Then the project keeps its name, and the creation is refused with CONFLICT.
  const free = `left(p.name, ${longestName - 40}) || ' (deleted ' || p.id || ')'`;
  await tx.send(
    `update release_project p set name = ${free}
     from repository r
     where p.account_id = $1 and p.name = $2 and r.account_id = p.account_id and r.id = p.repository_id
       and r.deleted_at is not null
       and not exists (select from release_project o where o.account_id = p.account_id and o.name = ${free})`,
    [ctx.accountId, name],
  );
}

export interface ReleaseProjectChange {
  readonly project: string;
  /** Null: candidates are not built. */
  readonly build?: ProviderRequest | null;
  readonly buildTimeoutSec?: number | null;
}

/** Fields that are left out do not change. A running build continues with the changed settings. */
export async function updateReleaseProject(
  ctx: Context,
  secrets: Secrets,
  change: ReleaseProjectChange,
): Promise<void> {
  requireScope(ctx, 'release:write');
  const settings = change.build ? checkedProvider(change.build, 'input.build') : null;
  const timeoutSec = change.buildTimeoutSec ?? null;
  if (timeoutSec !== null) checkedSeconds(timeoutSec, 'input.buildTimeoutSec');
  const project = await loadReleaseProject(ctx, change.project, 'release:write');
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await lockUndeletedRepository(tx, project.repositoryId);
    await tx.query('select 1 from release_project where account_id = $1 and id = $2 for no key update', [
      ctx.accountId,
      project.id,
    ]);
    const of = { id: project.id, accountId: ctx.accountId };
    const row = await tx.em.findOneOrFail(ReleaseProjectEntity, of, { refresh: true });
    const settingsBefore = [row.buildTimeoutSec, row.buildProvider ?? null];
    if (timeoutSec !== null) {
      row.buildTimeoutSec = timeoutSec;
      await wakeRunningBuilds(ctx, tx, row.id);
    }
    if (change.build !== undefined) {
      const before = row.buildProvider ?? null;
      row.buildProvider = settings?.kind === 'none' ? null : settings;
      if (!isSameProvider(before ?? { kind: 'none' }, settings ?? { kind: 'none' }))
        row.buildProviderSince = ctx.clock();
      const request = change.build ?? { kind: 'none' };
      const owner = { accountId: ctx.accountId, kind: 'project', id: row.id } as const;
      const sealed = row.buildSecret ? Buffer.from(row.buildSecret) : null;
      row.buildSecret = changedSecret(secrets, owner, { request, before, sealed });
    }
    const isSame = isDeepStrictEqual(settingsBefore, [row.buildTimeoutSec, row.buildProvider ?? null]);
    if (isSame && !namesSecret(change.build)) return;
    await appendEvents(ctx, tx, [
      { repositoryId: project.repositoryId, action: 'release_project_updated', payload: { project: project.name } },
    ]);
    await recordUserAction(ctx, tx, { action: 'release_project_updated', target: project.name });
  });
}
