// Freezes of environments and of base branches are rows of one table. The row of an ended freeze stays, so that past
// freezes can be shown.
import type { Context } from '../../context.ts';
import type { Span } from '../../domain/calendar/spans.ts';
import { DomainError } from '../../domain/errors.ts';
import { matchesGlob } from '../../domain/glob.ts';
import { describeFreeze, type Freeze, type FreezeInForce } from '../../domain/releases/freeze.ts';
import type { FreezeSource } from '../../domain/releases/release.ts';
import type { Transaction } from '../../platform/database.ts';

export interface StoredFreeze extends Freeze {
  readonly environmentId: string | null;
  readonly repositoryId: string | null;
  /** Null for the freeze of an environment. */
  readonly baseBranches: string | null;
}

export interface FreezeRecord {
  readonly id: string;
  readonly environmentId: string | null;
  readonly repositoryId: string | null;
  readonly baseBranches: string | null;
  readonly source: FreezeSource;
  readonly reason: string | null;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  readonly cronStart: string | null;
  readonly cronEnd: string | null;
  readonly timezone: string | null;
  readonly createdBy: string;
  readonly createdAt: number;
}

const epochMs = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

/** Columns of `freeze_rule f`. */
export const freezeColumns = `f.id, f.environment_id as "environmentId", f.repository_id as "repositoryId", f.base_branches as "baseBranches",
  f.source, f.reason, ${epochMs('f.starts_at')} as "startsAt", ${epochMs('f.ends_at')} as "endsAt", f.cron_start as "cronStart",
  f.cron_end as "cronEnd", f.timezone, f.created_by as "createdBy", ${epochMs('f.created_at')} as "createdAt"`;

export function toFreeze(row: FreezeRecord): StoredFreeze {
  const { id, environmentId, repositoryId, baseBranches, source, reason, createdBy, createdAt } = row;
  const { cronStart, cronEnd, timezone, startsAt, endsAt } = row;
  const isSchedule = cronStart !== null && cronEnd !== null && timezone !== null;
  const span = isSchedule ? { cronStart, cronEnd, timezone } : { startsAt: startsAt ?? createdAt, endsAt };
  return { id, environmentId, repositoryId, baseBranches, source, reason, createdBy, createdAt, span };
}

/** The freezes of an environment that no user has ended, newest first. */
export async function loadEnvironmentFreezes(
  tx: Transaction,
  { accountId, environmentId }: { readonly accountId: string; readonly environmentId: string },
): Promise<StoredFreeze[]> {
  const rows = await tx.query<FreezeRecord>(
    `select ${freezeColumns} from freeze_rule f
     where f.account_id = $1 and f.environment_id = $2 and f.deleted_at is null order by f.id desc`,
    [accountId, environmentId],
  );
  return rows.map(toFreeze);
}

/**
 * The freezes of a repository's base branches that no user has ended, newest first. With `at`: the freezes that existed
 * at this instant.
 */
export async function loadBranchFreezes(
  tx: Transaction,
  {
    accountId,
    repositoryId,
    at,
  }: { readonly accountId: string; readonly repositoryId: string; readonly at?: Date | null },
): Promise<StoredFreeze[]> {
  const exists = at ? 'f.created_at <= $3 and (f.deleted_at is null or f.deleted_at > $3)' : 'f.deleted_at is null';
  const rows = await tx.query<FreezeRecord>(
    `select ${freezeColumns} from freeze_rule f
     where f.account_id = $1 and f.repository_id = $2 and ${exists} order by f.id desc`,
    [accountId, repositoryId, ...(at ? [at.toISOString()] : [])],
  );
  return rows.map(toFreeze);
}

/** The freezes of a base branch. */
export function freezesOf<F extends Pick<StoredFreeze, 'baseBranches'>>(
  freezes: readonly F[],
  baseBranch: string,
): F[] {
  return freezes.filter(({ baseBranches }) => baseBranches !== null && matchesGlob(baseBranches, baseBranch));
}

/** The target of a freeze: an environment, or base branches of a repository. */
export type FreezeTarget =
  | { readonly environmentId: string }
  | { readonly repositoryId: string; readonly baseBranches: string };

export interface NewFreeze {
  readonly target: FreezeTarget;
  readonly source: FreezeSource;
  readonly reason: string | null;
  readonly span: Span;
  /** Absent: the acting user. */
  readonly createdBy?: string;
}

const maxFreezes = 100;

/**
 * The caller locks the row of the target. Throws BAD_INPUT if a user asks for the freeze and the target already has 100
 * freezes. A rollback is recorded in any case, and replaces its earlier freeze.
 */
export async function insertFreeze(
  ctx: Context,
  tx: Transaction,
  { target, source, reason, span, createdBy }: NewFreeze,
): Promise<StoredFreeze> {
  const environmentId = 'environmentId' in target ? target.environmentId : null;
  const repositoryId = 'repositoryId' in target ? target.repositoryId : null;
  if (source !== 'rollback') await requireRoomForFreeze(ctx, tx, { environmentId, repositoryId });
  const isOnce = 'startsAt' in span;
  const rows = await tx.query<FreezeRecord>(
    `insert into freeze_rule as f (account_id, environment_id, repository_id, base_branches, source, reason, starts_at, ends_at,
       cron_start, cron_end, timezone, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning ${freezeColumns}`,
    [
      ctx.accountId,
      environmentId,
      repositoryId,
      'baseBranches' in target ? target.baseBranches : null,
      source,
      reason,
      isOnce ? new Date(span.startsAt).toISOString() : null,
      isOnce && span.endsAt !== null ? new Date(span.endsAt).toISOString() : null,
      ...(isOnce ? [null, null, null] : [span.cronStart, span.cronEnd, span.timezone]),
      createdBy ?? ctx.actor.email ?? 'interlock',
      ctx.clock().toISOString(),
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('A freeze was not written.');
  return toFreeze(row);
}

async function requireRoomForFreeze(
  ctx: Context,
  tx: Transaction,
  { environmentId, repositoryId }: Pick<StoredFreeze, 'environmentId' | 'repositoryId'>,
): Promise<void> {
  const [counted] = await tx.query<{ n: number }>(
    `select count(*)::int as n from freeze_rule
     where account_id = $1 and deleted_at is null and (ends_at is null or ends_at > $4) and (environment_id = $2 or repository_id = $3)`,
    [ctx.accountId, environmentId, repositoryId, ctx.clock().toISOString()],
  );
  if ((counted?.n ?? 0) >= maxFreezes)
    throw new DomainError('BAD_INPUT', `An environment or a repository has at most ${maxFreezes} freezes`);
}

/** Ends freezes. The caller locks the row of the target. Returns the freezes that this call ended. */
export async function endFreezes(ctx: Context, tx: Transaction, ids: readonly string[]): Promise<StoredFreeze[]> {
  const rows = await tx.query<FreezeRecord>(
    `update freeze_rule f set deleted_at = $3 where f.account_id = $1 and f.id = any($2::bigint[]) and f.deleted_at is null
     returning ${freezeColumns}`,
    [ctx.accountId, ids, ctx.clock().toISOString()],
  );
  return rows.map(toFreeze);
}

/** The payload of an event about a freeze. */
export function freezeFacts({ id, source, reason, createdBy, span, baseBranches }: StoredFreeze): object {
  const isOnce = 'startsAt' in span;
  return {
    freeze: id,
    source,
    reason,
    by: createdBy,
    baseBranches,
    startsAt: isOnce ? new Date(span.startsAt).toISOString() : null,
    endsAt: isOnce && span.endsAt !== null ? new Date(span.endsAt).toISOString() : null,
    ...(!isOnce && span),
  };
}

/** The payload of an event about a target that is frozen from now on. */
export function frozenFacts(frozen: FreezeInForce<StoredFreeze>): object {
  const { freeze, until } = frozen;
  const { id, source, reason, createdBy } = freeze;
  return {
    freeze: id,
    source,
    reason,
    by: createdBy,
    until: until === null ? null : new Date(until).toISOString(),
    sentence: describeFreeze(frozen),
  };
}
