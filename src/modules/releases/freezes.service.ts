// Freezes and unfreezes environments, each in one transaction that locks the environment's row. Once a freeze is
// committed, no deployment to the environment starts unless it is forced. Deployments that have started continue. The
// environments of a deleted repository cannot be frozen any more, and a freeze that is left there can be ended.
import type { Context } from '../../context.ts';
import type { RecurringSpan } from '../../domain/calendar/spans.ts';
import { notFound } from '../../domain/errors.ts';
import { isOver } from '../../domain/releases/freeze.ts';
import type { Transaction } from '../../platform/database.ts';
import { dryRun, tryOut } from '../../platform/dry-run.ts';
import { recordUserAction, requireAction } from '../accounts/index.ts';
import { appendEvents } from '../events/index.ts';
import {
  checkedReason,
  checkedSchedule,
  checkedSpan,
  deleteBranchFreeze,
  endFreezes,
  freezeFacts,
  insertFreeze,
  loadEnvironmentFreezes,
  maySeeInside,
  readFreeze,
  requireAtHostOf,
  type StoredFreeze,
} from '../repositories/index.ts';
import { announceFreeze, idsOf, namesOf } from './freezes.announce.ts';
import { impactOfFreeze, type FreezeImpactFacts } from './freezes.impact.ts';
import { loadEnvironment, readRepositoryOfEnvironment } from './projects.reads.ts';
import type { EnvironmentRow } from './releases.entities.ts';
import { changeEnvironment, lockUndeletedRepository } from './releases.locks.ts';

interface EnvironmentRef {
  readonly project: string;
  readonly environment: string;
}

export interface FreezeEnvironmentRequest extends EnvironmentRef {
  readonly reason?: string | null | undefined;
  /** Null: the freeze lasts until a user ends it. */
  readonly endsAt?: Date | null | undefined;
  readonly preview?: boolean;
}

/** A freeze that was created or ended, or that a preview would create or end. */
export interface FreezeAnswer {
  readonly freeze: StoredFreeze;
  /** Null unless a preview was requested. */
  readonly impact: FreezeImpactFacts | null;
}

/** Creates a manual freeze, which replaces an earlier manual freeze. */
export async function freezeEnvironment(ctx: Context, input: FreezeEnvironmentRequest): Promise<FreezeAnswer> {
  requireAction(ctx, 'freeze');
  const reason = checkedReason(input.reason);
  const span = checkedSpan(input.endsAt, ctx.clock());
  const { project, environment } = await loadEnvironment(ctx, input, 'release:write');
  const { changed, impact } = await underEnvironment(
    ctx,
    { id: environment.id, freezesIn: project.repositoryId, preview: input.preview },
    async (change) => {
      const { tx, row, freezes } = change;
      const now = ctx.clock().getTime();
      const replaced = freezes.filter(({ source }) => source === 'manual');
      await endFreezes(ctx, tx, idsOf(replaced));
      const freeze = await insertFreeze(ctx, tx, { target: { environmentId: row.id }, source: 'manual', reason, span });
      await record(ctx, change, { action: 'freeze_created', freeze });
      return { changed: freeze, replaces: replaced.find((each) => !isOver(each, now)) ?? null };
    },
  );
  return { freeze: changed, impact };
}

/** Creates a recurring freeze. */
export async function scheduleEnvironmentFreeze(
  ctx: Context,
  input: EnvironmentRef & {
    readonly schedule: RecurringSpan;
    readonly reason?: string | null | undefined;
    readonly preview?: boolean;
  },
): Promise<FreezeAnswer> {
  requireAction(ctx, 'freeze');
  const reason = checkedReason(input.reason);
  const span = checkedSchedule(input.schedule);
  const { project, environment } = await loadEnvironment(ctx, input, 'release:write');
  const { changed, impact } = await underEnvironment(
    ctx,
    { id: environment.id, freezesIn: project.repositoryId, preview: input.preview },
    async (change) => {
      const { tx, row } = change;
      const freeze = await insertFreeze(ctx, tx, {
        target: { environmentId: row.id },
        source: 'schedule',
        reason,
        span,
      });
      await record(ctx, change, { action: 'freeze_created', freeze });
      return { changed: freeze, replaces: null };
    },
  );
  return { freeze: changed, impact };
}

/** Ends the manual freezes and the freezes after rollbacks, and no freeze by a schedule. */
export async function unfreezeEnvironment(
  ctx: Context,
  input: EnvironmentRef & { readonly preview?: boolean },
): Promise<{ readonly deleted: number; readonly impact: FreezeImpactFacts | null }> {
  requireAction(ctx, 'freeze');
  const { environment } = await loadEnvironment(ctx, input, 'release:write');
  const { changed, impact } = await endWhere(
    ctx,
    { id: environment.id, preview: input.preview },
    ({ source }) => source !== 'schedule',
  );
  return { deleted: changed.length, impact };
}

/**
 * Ends a freeze of an environment or of base branches. Throws NOT_FOUND if there is no such freeze, or it has ended, or
 * GitHub hides its repository from the caller.
 * `impact` is null for base branches, because their impact is computed from a dry run of their queues.
 */
export async function deleteFreeze(
  ctx: Context,
  { id, preview }: { readonly id: string; readonly preview?: boolean },
): Promise<FreezeAnswer> {
  requireAction(ctx, 'freeze');
  const { environmentId = null, repositoryId = null } = (await readFreeze(ctx, id)) ?? {};
  const inside = environmentId === null ? repositoryId : await readRepositoryOfEnvironment(ctx, environmentId);
  if (inside === null || !(await maySeeInside(ctx, inside))) throw notFound('Freeze');
  if (repositoryId !== null) {
    const end = async (context: Context) => await deleteBranchFreeze(context, { id, repositoryId });
    const freeze = preview ? await tryOut(ctx, end) : await end(ctx);
    if (freeze !== null) return { freeze, impact: null };
  }
  if (environmentId !== null) {
    await requireAtHostOf(ctx, inside, 'release:write');
    const { changed, impact } = await endWhere(ctx, { id: environmentId, preview }, (each) => each.id === id);
    const [freeze] = changed;
    if (freeze !== undefined) return { freeze, impact };
  }
  throw notFound('Freeze');
}

interface Change {
  readonly tx: Transaction;
  readonly row: EnvironmentRow;
  readonly freezes: readonly StoredFreeze[];
}

interface ChangedEnvironment {
  readonly id: string;
  /** The id of the repository, if a freeze begins. Absent: freezes only end. */
  readonly freezesIn?: string;
  readonly preview?: boolean | undefined;
}

async function endWhere(
  ctx: Context,
  environment: ChangedEnvironment,
  isToEnd: (freeze: StoredFreeze) => boolean,
): Promise<Done<StoredFreeze[]>> {
  return await underEnvironment(ctx, environment, async (change) => {
    const now = ctx.clock().getTime();
    const open = change.freezes.filter((freeze) => isToEnd(freeze) && !isOver(freeze, now));
    const ended = await endFreezes(ctx, change.tx, idsOf(open));
    for (const freeze of ended) await record(ctx, change, { action: 'freeze_ended', freeze });
    return { changed: ended, replaces: null };
  });
}

interface Done<T> {
  readonly changed: T;
  /** Null unless a preview was requested. */
  readonly impact: FreezeImpactFacts | null;
}

async function underEnvironment<T>(
  ctx: Context,
  { id, freezesIn, preview }: ChangedEnvironment,
  work: (change: Change) => Promise<{ readonly changed: T; readonly replaces: StoredFreeze | null }>,
): Promise<Done<T>> {
  const act = async (tx: Transaction): Promise<Done<T>> => {
    if (freezesIn !== undefined) await lockUndeletedRepository(tx, freezesIn);
    const change = await startChange(ctx, tx, id);
    const { changed, replaces } = await work(change);
    await announceFreeze(ctx, tx, change.row);
    const facts = { environment: change.row, before: change.freezes, replaces };
    return { changed, impact: preview ? await impactOfFreeze(ctx, tx, facts) : null };
  };
  return preview ? await dryRun(ctx.db, ctx.accountId, act) : await ctx.db.transaction(ctx.accountId, act);
}

async function startChange(ctx: Context, tx: Transaction, environmentId: string): Promise<Change> {
  const row = await changeEnvironment(ctx, tx, environmentId);
  return { tx, row, freezes: await loadEnvironmentFreezes(tx, { accountId: ctx.accountId, environmentId }) };
}

async function record(
  ctx: Context,
  { tx, row }: Change,
  { action, freeze }: { readonly action: 'freeze_created' | 'freeze_ended'; readonly freeze: StoredFreeze },
): Promise<void> {
  const { repositoryId, ...names } = await namesOf(ctx, tx, row.id);
  await appendEvents(ctx, tx, [
    { repositoryId, environmentId: row.id, action, payload: { ...names, ...freezeFacts(freeze) } },
  ]);
  await recordUserAction(ctx, tx, { action, target: `${names.project}/${names.environment}` });
}
