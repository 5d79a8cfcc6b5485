import { createHash } from 'node:crypto';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import type { Context } from '../../context.ts';
import {
  configurationPath,
  findMergeCommits,
  isManagedBranch,
  type Configuration,
} from '../../domain/configuration/index.ts';
import { parseConfiguration } from '../../domain/configuration/parse.ts';
import type { Problem } from '../../domain/configuration/problem.ts';
import { plannerVersion } from '../../domain/queue/plan.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Transaction } from '../../platform/database.ts';
import { recordUserAction, requireAction } from '../accounts/index.ts';
import { appendEvents } from '../events/index.ts';
import { loadRepository, type RepositoryName } from './repositories.reads.ts';
import { ConfigurationChangeEntity, type RepositoryRow } from './repositories.entities.ts';
import { changeQueues, lockRepository } from './repositories.locks.ts';

export type ReplaceOutcome =
  | { readonly kind: 'accepted'; readonly repository: RepositoryRow }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

/** The author of a configuration: a user by API or dashboard, or a commit in the repository. */
export type ConfigurationAuthor =
  | { readonly email: string | null }
  | {
      readonly ghUsername: string | null;
      readonly commitSha: string;
      readonly blob: string;
      /** The version of the repository's row before the file was read. */
      readonly versionBefore: string | null;
    };

/** The repository has changed since the file was read, so this content may be older than the one in force. */
export class ConfigurationOvertaken extends Error {}

/**
 * PostgreSQL changes the `xmin` of a row with every update. The blob that was read last would not do instead, because a
 * change and its revert bring it back.
 */
export const repositoryVersion = 'select xmin::text as version from repository where account_id = $1 and id = $2';

/** The caller locks the repository's row, and has not changed it. */
export async function requireNotOvertaken(
  tx: Transaction,
  { accountId, id }: RepositoryRow,
  versionBefore: string | null,
): Promise<void> {
  const [row] = await tx.query<{ version: string }>(repositoryVersion, [accountId, id]);
  if ((row?.version ?? null) !== versionBefore) throw new ConfigurationOvertaken();
}

export interface Replacement {
  readonly repository: RepositoryName;
  readonly yaml: string;
  /** The hash of the document that is replaced. Null or absent: the document in force, whichever it is. */
  readonly expectedHash?: string | null | undefined;
}

/**
 * Replaces the whole configuration document. A refused document changes nothing. If the text does not change, no
 * history and no event are written. Throws CONFLICT if another document than the expected one is in force.
 */
export async function replaceConfiguration(
  ctx: Context,
  { repository, yaml, expectedHash }: Replacement,
): Promise<ReplaceOutcome> {
  requireAction(ctx, 'configure');
  const { id } = await loadRepository(ctx, repository, 'config:write');
  return await writeConfiguration(ctx, { repositoryId: id, yaml, author: { email: ctx.actor.email }, expectedHash });
}

/** The document may be in force already, because the request is a repetition. */
function requireExpected(
  { configurationHash: inForce }: Pick<RepositoryRow, 'configurationHash'>,
  { yaml, expectedHash = null }: Pick<Replacement, 'yaml' | 'expectedHash'>,
): void {
  if (expectedHash === null || expectedHash === inForce || configurationHash(yaml) === inForce) return;
  throw new DomainError(
    'CONFLICT',
    'The configuration has changed since it was read: input.expectedHash is not its hash. Read the configuration again, take its change into your text, and send its hash.',
    'input.expectedHash',
  );
}

/** Returns what `replaceConfiguration` would return, and writes nothing. */
export async function checkReplacement(ctx: Context, input: Replacement): Promise<ReplaceOutcome> {
  requireAction(ctx, 'configure');
  const repository = await loadRepository(ctx, input.repository, 'config:write');
  requireExpected(repository, input);
  const parsed = parseConfiguration(input.yaml);
  if (!parsed.ok) return { kind: 'refused', problems: parsed.problems };
  const problems = await ctx.db.transaction(
    ctx.accountId,
    async (tx) => await findHostProblems(ctx, tx, { repository, configuration: parsed.configuration }),
  );
  return problems.length === 0 ? { kind: 'accepted', repository } : { kind: 'refused', problems };
}

/**
 * The settings by which landings would break the code host's rules for base branches that have a queue, such as a rule
 * against merge commits.
 */
async function findHostProblems(
  ctx: Context,
  tx: Transaction,
  {
    repository: { id, defaultBranch },
    configuration,
  }: { readonly repository: Pick<RepositoryRow, 'id' | 'defaultBranch'>; readonly configuration: Configuration },
): Promise<readonly Problem[]> {
  const rows = await tx.query<{ baseBranch: string }>(
    `select base_branch as "baseBranch" from queue
     where account_id = $1 and repository_id = $2 and (host_rules->>'linear')::boolean order by base_branch`,
    [ctx.accountId, id],
  );
  const linear = rows.find(({ baseBranch }) => isManagedBranch(configuration, baseBranch, defaultBranch));
  const merges = linear && findMergeCommits(configuration);
  if (!merges) return [];
  const reason = `the code host takes no merge commits on ${linear.baseBranch}, and ${merges.what}: set ${merges.cure}, or remove the rule`;
  return [{ path: [...merges.key], reason, code: 'INVALID_VALUE', line: null, column: null }];
}

/**
 * Writes a configuration from any source: the API, the dashboard, or a push to the default branch. Checks no
 * permission.
 */
export async function writeConfiguration(
  ctx: Context,
  {
    repositoryId,
    yaml,
    author,
    expectedHash,
  }: Pick<Replacement, 'yaml' | 'expectedHash'> & {
    readonly repositoryId: string;
    readonly author: ConfigurationAuthor;
  },
): Promise<ReplaceOutcome> {
  const parsed = parseConfiguration(yaml);
  if (!parsed.ok) return { kind: 'refused', problems: parsed.problems };
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const repository = await lockRepository(ctx, tx, repositoryId);
    if ('blob' in author) {
      const isInForce =
        repository.configurationBlob === author.blob && (repository.configurationRefusal ?? null) === null;
      if (isInForce) return { kind: 'accepted', repository };
      await requireNotOvertaken(tx, repository, author.versionBefore);
    }
    requireExpected(repository, { yaml, expectedHash });
    const problems = await findHostProblems(ctx, tx, { repository, configuration: parsed.configuration });
    if (problems.length > 0) return { kind: 'refused', problems };
    if (repository.configurationYaml !== yaml) await recordChange(ctx, tx, { repository, yaml, author });
    if ('blob' in author) repository.configurationBlob = author.blob;
    repository.configurationRefusal = null;
    return { kind: 'accepted', repository };
  });
}

async function recordChange(
  ctx: Context,
  tx: Transaction,
  of: { readonly repository: RepositoryRow; readonly yaml: string; readonly author: ConfigurationAuthor },
): Promise<void> {
  const { repository, yaml, author } = of;
  const { id: repositoryId, owner, name } = repository;
  const modifiedAt = ctx.clock();
  const { ghUsername, commitSha } = 'commitSha' in author ? author : { ghUsername: null, commitSha: null };
  const change = {
    email: 'email' in author ? author.email : null,
    ghUsername,
    commitSha,
    diff: unifiedDiff(repository.configurationYaml, yaml),
  };
  repository.configurationYaml = yaml;
  repository.configurationHash = configurationHash(yaml);
  repository.plannerVersion = plannerVersion;
  tx.em.create(ConfigurationChangeEntity, { ...change, accountId: ctx.accountId, repositoryId, yaml, modifiedAt });
  await tx.em.flush();
  const payload = { ...change, owner, name, modifiedAt: modifiedAt.toISOString() };
  await appendEvents(ctx, tx, [{ repositoryId, action: 'config_change', payload }]);
  await recordUserAction(ctx, tx, { action: 'queue_config_changed', target: `${owner}/${name}` });
  await changeQueues(ctx, tx, repositoryId);
}

function unifiedDiff(before: string, after: string): string {
  return createTwoFilesPatch(configurationPath, configurationPath, before, after, undefined, undefined, {
    headerOptions: FILE_HEADERS_ONLY,
  });
}

export function configurationHash(yaml: string): string {
  return createHash('sha256').update(yaml).digest('hex');
}
