// Freezing and unfreezing environments, each in one transaction under the environment's row: once a freeze is answered,
// nothing is deployed there that was not begun.
import type { Context } from '../../context.ts';
import type { RecurringSpan } from '../../domain/calendar/spans.ts';
import { notFound } from '../../domain/errors.ts';
import { isOver } from '../../domain/releases/freeze.ts';
import type { Transaction } from '../../platform/database.ts';
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
  readFreeze,
  type StoredFreeze,
} from '../repositories/index.ts';
import { dryRunOr } from './deployments.impact.ts';
import { announceFreeze, idsOf, namesOf } from './freezes.announce.ts';
import { impactOfFreeze, type FreezeImpactFacts } from './freezes.impact.ts';
import { loadEnvironment } from './projects.reads.ts';
import type { EnvironmentRow } from './releases.entities.ts';
import { changeEnvironment } from './releases.locks.ts';

interface EnvironmentRef {
  readonly project: string;
  readonly environment: string;
}

export interface FreezeEnvironmentRequest extends EnvironmentRef {
  readonly reason?: string | null | undefined;
  /** Null: until somebody ends it. */
  readonly endsAt?: Date | null | undefined;
  readonly preview?: boolean;
}

/** A freeze by hand, and what it came to as its transaction sees it. */
export interface FreezeAnswer {
  readonly freeze: StoredFreeze;
  readonly impact: FreezeImpactFacts;
  readonly isPreview: boolean;
}

/** By hand, in the place of the one by hand that there is. */
export async function freezeEnvironment(ctx: Context, input: FreezeEnvironmentRequest): Promise<FreezeAnswer> {
  requireAction(ctx, 'freeze');
  const reason = checkedReason(input.reason);
  const span = checkedSpan(input.endsAt, ctx.clock());
  const { environment } = await loadEnvironment(ctx, input);
  return await dryRunOr(ctx, input.preview, async (tx) => {
    const change = await startChange(ctx, tx, environment.id);
    const { row, standing } = change;
    const now = ctx.clock().getTime();
    const replaced = standing.filter(({ source }) => source === 'manual');
    await endFreezes(ctx, tx, idsOf(replaced));
    const freeze = await insertFreeze(ctx, tx, { target: { environmentId: row.id }, source: 'manual', reason, span });
    await record(ctx, change, 'freeze_created', freeze);
    await announceFreeze(ctx, tx, row);
    const replaces = replaced.find((each) => !isOver(each, now)) ?? null;
    return { freeze, impact: await impactOfFreeze(ctx, tx, { environment: row, replaces }), isPreview: false };
  });
}

/** Again and again. */
export async function scheduleEnvironmentFreeze(
  ctx: Context,
  input: EnvironmentRef & { readonly schedule: RecurringSpan; readonly reason?: string | null | undefined },
): Promise<StoredFreeze> {
  requireAction(ctx, 'freeze');
  const reason = checkedReason(input.reason);
  const span = checkedSchedule(input.schedule);
  const { environment } = await loadEnvironment(ctx, input);
  return await underEnvironment(ctx, environment.id, async (change) => {
    const { tx, row } = change;
    const freeze = await insertFreeze(ctx, tx, { target: { environmentId: row.id }, source: 'schedule', reason, span });
    await record(ctx, change, 'freeze_created', freeze);
    return freeze;
  });
}

/** Ends the freezes by hand and after a rollback; schedules stay. Answers how many there were. */
export async function unfreezeEnvironment(ctx: Context, input: EnvironmentRef): Promise<number> {
  requireAction(ctx, 'freeze');
  const { environment } = await loadEnvironment(ctx, input);
  const ended = await endOf(ctx, environment.id, ({ source }) => source !== 'schedule');
  return ended.length;
}

/** Ends one, whatever made it and whatever is frozen by it. Throws NOT_FOUND when there is none, or it has ended. */
export async function deleteFreeze(ctx: Context, id: string): Promise<StoredFreeze> {
  requireAction(ctx, 'freeze');
  const freeze = await readFreeze(ctx, id);
  const { environmentId = null, repositoryId = null } = freeze ?? {};
  if (repositoryId !== null) {
    const ended = await deleteBranchFreeze(ctx, { id, repositoryId });
    if (ended !== null) return ended;
  }
  const [ended] = environmentId === null ? [] : await endOf(ctx, environmentId, (each) => each.id === id);
  if (ended === undefined) throw notFound('Freeze');
  return ended;
}

interface Change {
  readonly tx: Transaction;
  readonly row: EnvironmentRow;
  readonly standing: readonly StoredFreeze[];
}

async function endOf(
  ctx: Context,
  environmentId: string,
  isMeant: (freeze: StoredFreeze) => boolean,
): Promise<StoredFreeze[]> {
  return await underEnvironment(ctx, environmentId, async (change) => {
    const now = ctx.clock().getTime();
    const meant = change.standing.filter((freeze) => isMeant(freeze) && !isOver(freeze, now));
    const ended = await endFreezes(ctx, change.tx, idsOf(meant));
    for (const freeze of ended) await record(ctx, change, 'freeze_ended', freeze);
    return ended;
  });
}

async function underEnvironment<T>(
  ctx: Context,
  environmentId: string,
  work: (change: Change) => Promise<T>,
): Promise<T> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const change = await startChange(ctx, tx, environmentId);
    const done = await work(change);
    await announceFreeze(ctx, tx, change.row);
    return done;
  });
}

async function startChange(ctx: Context, tx: Transaction, environmentId: string): Promise<Change> {
  const row = await changeEnvironment(ctx, tx, environmentId);
  return { tx, row, standing: await loadEnvironmentFreezes(tx, { accountId: ctx.accountId, environmentId }) };
}

async function record(
  ctx: Context,
  { tx, row }: Change,
  action: 'freeze_created' | 'freeze_ended',
  freeze: StoredFreeze,
): Promise<void> {
  const { repositoryId, ...names } = await namesOf(ctx, tx, row.id);
  await appendEvents(ctx, tx, [
    { repositoryId, environmentId: row.id, action, payload: { ...names, ...freezeFacts(freeze) } },
  ]);
  await recordUserAction(ctx, tx, { action, target: `${names.project}/${names.environment}` });
}
