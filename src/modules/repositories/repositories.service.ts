import type { Context } from '../../context.ts';
import { isBranchName } from '../../domain/branch-name.ts';
import { defaultConfigurationYaml } from '../../domain/configuration/keys.ts';
import { DomainError } from '../../domain/errors.ts';
import { HostUnavailable, isLocalHost } from '../../hosts/port.ts';
import { withoutMarks } from '../../platform/database.ts';
import { recordUserAction, requireAction, requireScope } from '../accounts/index.ts';
import { appendEvents } from '../events/index.ts';
import { configurationHash } from './configuration.service.ts';
import type { RepositoryRow } from './repositories.entities.ts';
import { changeQueues, lockRepository } from './repositories.locks.ts';
import { findRepository, loadRepository, type RepositoryName } from './repositories.reads.ts';

export interface NewRepository extends RepositoryName {
  readonly host: 'local';
  readonly defaultBranch?: string | null | undefined;
}

// GitHub's rule for handles. Handles of managed users end in an underscore and the short code of their enterprise.
const ownerPattern = /^[A-Za-z0-9](?:[A-Za-z0-9]|[-_](?=[A-Za-z0-9])){0,38}$/;
/**
 * Words that no owner may have as name. Pages of a repository are at `/<owner>/<name>`, and these words begin addresses
 * of Interlock itself.
 */
const ownAddresses = new Set([
  'activity',
  'api',
  'assets',
  'docs',
  'embed',
  'git',
  'github',
  'graphiql',
  'graphql',
  'healthz',
  'metrics',
  'previews',
  'readyz',
  'releases',
  'runbooks',
  'schema',
  'session',
  'settings',
]);
const namePattern = /^(?!\.{1,2}$)(?!.*\.git$)[A-Za-z0-9._-]{1,100}$/i;
/** What a default branch needs besides the rules of every branch. */
const defaultBranchPattern = /^[^\s\p{Cc}]{1,200}$/u;

/**
 * Creates an empty repository on the host, with the default configuration. Throws CONFLICT if the account has a
 * repository with this name. Needs `admin`.
 */
export async function createRepository(ctx: Context, input: NewRepository): Promise<RepositoryRow> {
  requireScope(ctx, 'admin');
  // A repetition carries on with the row and the repository of a creation that was not completed.
  const begun = await withoutMarks(async () => {
    const repository = await beginRepository(ctx, input);
    await makeOnHost(ctx, repository);
    return repository;
  });
  return await completeRepository(ctx, begun);
}

/**
 * Returns an inactive row, which is not used until `completeRepository`. If an earlier attempt stopped, returns the row
 * of that attempt. Throws CONFLICT if the account has a repository with this name, and NOT_SUPPORTED if this
 * installation cannot keep repositories of the local host.
 */
export async function beginRepository(ctx: Context, input: NewRepository): Promise<RepositoryRow> {
  const defaultBranch = checkedNames(input);
  const known = await findRepository(ctx, input);
  if (known !== null && !isUnfinished(known)) throw alreadyExists(input);
  const host = ctx.hosts(input.host);
  const refusal = isLocalHost(host) ? host.refusesRepositories : null;
  if (refusal !== null) throw new DomainError('NOT_SUPPORTED', refusal, 'input.host');
  const repository = known ?? (await insertRepository(ctx, input, defaultBranch));
  // Another call may have completed the repository meanwhile.
  if (!isUnfinished(repository)) throw alreadyExists(input);
  return repository;
}

/** Whether the creation of the repository began and was not completed. */
export function isUnfinished({ active, deactivatedAt }: Pick<RepositoryRow, 'active' | 'deactivatedAt'>): boolean {
  return !active && !deactivatedAt;
}

const alreadyExists = ({ owner, name }: RepositoryName): DomainError =>
  new DomainError('CONFLICT', `A repository ${owner}/${name} already exists.`, 'input.name');

/**
 * Activates a repository after its creation on the host. Throws CONFLICT if another call completed its creation
 * meanwhile.
 */
export async function completeRepository(
  ctx: Context,
  { id, defaultBranch }: Pick<RepositoryRow, 'id' | 'defaultBranch'>,
): Promise<RepositoryRow> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const row = await lockRepository(ctx, tx, id);
    if (!isUnfinished(row)) throw alreadyExists(row);
    Object.assign(row, { active: true, defaultBranch });
    await appendEvents(ctx, tx, [
      {
        repositoryId: row.id,
        action: 'repository_created',
        payload: { owner: row.owner, name: row.name, host: row.host },
      },
    ]);
    await recordUserAction(ctx, tx, {
      action: 'repository_created',
      target: `${row.owner}/${row.name}`,
    });
    return row;
  });
}

function checkedNames({ owner, name, defaultBranch }: NewRepository): string {
  const branch = defaultBranch ?? 'main';
  if (!ownerPattern.test(owner)) {
    throw new DomainError(
      'BAD_INPUT',
      'input.owner must have 1 to 39 letters and digits, with single hyphens or underscores between them',
      'input.owner',
    );
  }
  if (ownAddresses.has(owner.toLowerCase()))
    throw new DomainError(
      'BAD_INPUT',
      `input.owner must not be ${owner}: addresses of Interlock begin with this word`,
      'input.owner',
    );
  if (!namePattern.test(name)) {
    throw new DomainError(
      'BAD_INPUT',
      'input.name must have 1 to 100 letters, digits, dots, hyphens and underscores, and not end in .git',
      'input.name',
    );
  }
  if (!isBranchName(branch) || !defaultBranchPattern.test(branch))
    throw new DomainError('BAD_INPUT', 'input.defaultBranch must be a branch name', 'input.defaultBranch');
  return branch;
}

async function insertRepository(
  ctx: Context,
  { owner, name, host }: NewRepository,
  defaultBranch: string,
): Promise<RepositoryRow> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await tx.send(
      `insert into repository (account_id, owner, name, host, default_branch, active, configuration_yaml, configuration_hash, created_at)
       values ($1, $2, $3, $4, $5, false, $6, $7, $8) on conflict (account_id, owner, name) where deleted_at is null do nothing`,
      [
        ctx.accountId,
        owner,
        name,
        host,
        defaultBranch,
        defaultConfigurationYaml,
        configurationHash(defaultConfigurationYaml),
        ctx.clock().toISOString(),
      ],
    );
  });
  return await loadRepository(ctx, { owner, name }, 'admin');
}

async function makeOnHost(ctx: Context, { id, owner, name, host, defaultBranch }: RepositoryRow): Promise<void> {
  try {
    await ctx.hosts(host).ensureRepository({ accountId: ctx.accountId, id, owner, name }, { defaultBranch });
  } catch (error) {
    if (error instanceof HostUnavailable)
      throw new DomainError('HOST_UNAVAILABLE', 'The code host could not be reached. Try again.');
    throw error;
  }
}

/**
 * Activates or deactivates a repository. The caller has checked the permissions. Throws CONFLICT for a
 * repository whose creation was not completed.
 */
export async function changeActivity(ctx: Context, repositoryId: string, active: boolean): Promise<RepositoryRow> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const repository = await lockRepository(ctx, tx, repositoryId);
    if (repository.active === active) return repository;
    if (active && !repository.deactivatedAt)
      throw new DomainError('CONFLICT', 'The repository was not created completely: call createRepository again.');
    Object.assign(repository, { active, deactivatedAt: active ? null : ctx.clock() });
    const action = active ? 'repository_activated' : 'repository_deactivated';
    await appendEvents(ctx, tx, [{ repositoryId, action }]);
    await recordUserAction(ctx, tx, { action, target: `${repository.owner}/${repository.name}` });
    await changeQueues(ctx, tx, repositoryId);
    return repository;
  });
}

/** Throws the same errors as a pause, for a caller that only previews the pause. */
export async function requireMayPause(ctx: Context, name: RepositoryName): Promise<RepositoryRow> {
  requireAction(ctx, 'pause');
  return await loadRepository(ctx, name, 'queue:pause');
}

/**
 * Pauses a repository, or ends its pause. Nothing in a paused repository is validated or merged, whatever the pauses of
 * its base branches say (interface 4.1).
 */
export async function pauseRepository(
  ctx: Context,
  input: { readonly repository: RepositoryName; readonly paused: boolean },
): Promise<RepositoryRow> {
  const { id } = await requireMayPause(ctx, input.repository);
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const repository = await lockRepository(ctx, tx, id);
    if (repository.paused === input.paused) return repository;
    repository.paused = input.paused;
    const action = input.paused ? 'repository_paused' : 'repository_unpaused';
    await appendEvents(ctx, tx, [{ repositoryId: id, action }]);
    await recordUserAction(ctx, tx, { action, target: `${repository.owner}/${repository.name}` });
    await changeQueues(ctx, tx, id);
    return repository;
  });
}
