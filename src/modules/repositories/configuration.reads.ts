import type { Context } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import { requireScope } from '../accounts/index.ts';
import type { ConfigurationChange, ConfigurationRefusal } from './configuration.types.ts';
import type { ConfigurationRefusalRow } from './repositories.entities.ts';

export interface ChangesPage {
  /** One row more is read, to know whether there is a next page. */
  readonly size: number;
  readonly offset: number;
  /**
   * Only changes with a lower id are read: the id of the last change of the previous page, or the greatest possible id.
   */
  readonly before: string;
}

/** UTC days, both inclusive. Null: no limit. */
export interface Days {
  readonly start: string | null;
  readonly end: string | null;
}

/** The refusal of the configuration file that was read last. Null: that file was accepted. */
export async function readConfigurationRefusal(
  ctx: Context,
  repositoryId: string,
): Promise<ConfigurationRefusal | null> {
  requireScope(ctx, 'config:read');
  const [row] = await ctx.db.read<{ refusal: ConfigurationRefusalRow | null }>(ctx.accountId, {
    name: 'configuration_refusal',
    text: 'select configuration_refusal as refusal from repository where account_id = $1 and id = $2',
    values: [ctx.accountId, repositoryId],
  });
  const refusal = row?.refusal ?? null;
  if (refusal === null) return null;
  const { commit, by, errors, at } = refusal;
  return { commitSha: commit, ghUsername: by, errors: [...errors], refusedAt: new Date(at) };
}

interface Row {
  readonly id: string;
  readonly email: string | null;
  readonly ghUsername: string | null;
  readonly commitSha: string | null;
  readonly modifiedAt: Date;
  readonly diff: string;
}

/** Returns the newest changes first. */
export async function readConfigurationChanges(
  ctx: Context,
  repositoryId: string,
  { size, offset, before, start, end }: ChangesPage & Days,
): Promise<ConfigurationChange[]> {
  requireScope(ctx, 'config:read');
  if (start !== null && end !== null && start > end)
    throw new DomainError('BAD_INPUT', 'start must not be after end', 'start');
  const rows = await ctx.db.read<Row>(ctx.accountId, {
    name: 'configuration_changes',
    text: `select c.id, c.email, c.gh_username as "ghUsername", c.commit_sha as "commitSha", c.modified_at as "modifiedAt", c.diff
           from configuration_change c
           where c.account_id = $1 and c.repository_id = $2 and c.id < $3
             and ($4::date is null or c.modified_at >= $4::date::timestamp at time zone 'UTC')
             and ($5::date is null or c.modified_at < ($5::date + 1)::timestamp at time zone 'UTC')
           order by c.id desc limit $6::bigint + 1 offset $7::bigint`,
    values: [ctx.accountId, repositoryId, before, start, end, size, offset],
  });
  return rows.map(({ email, ghUsername, ...change }) => ({ ...change, modifiedBy: { email, ghUsername } }));
}
