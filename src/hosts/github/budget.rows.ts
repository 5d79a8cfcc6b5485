// The row of an installation's budget. Each change locks the row, reads it and writes it in one short transaction.
import type { Database, Transaction } from '../../platform/database.ts';
import { type Allowance, type Budget, newBudget } from './budget.ts';

interface BudgetRow {
  readonly rest_limit: number | null;
  readonly rest_left: number | null;
  readonly rest_resets_at: Date | null;
  readonly graphql_limit: number | null;
  readonly graphql_left: number | null;
  readonly graphql_resets_at: Date | null;
  readonly minute_at: Date;
  readonly made_in_minute: number;
  readonly hour_at: Date;
  readonly made_in_hour: number;
  readonly paused_until: Date | null;
  readonly pause_sec: number;
}

const columns = `rest_limit, rest_left, rest_resets_at, graphql_limit, graphql_left, graphql_resets_at,
  minute_at, made_in_minute, hour_at, made_in_hour, paused_until, pause_sec`;

/** The owner of a budget. */
export interface BudgetOwner {
  readonly accountId: string;
  readonly installationId: string;
}

/** Null: no call was made yet. */
export async function readBudget(db: Database, owner: BudgetOwner): Promise<Budget | null> {
  const [row] = await db.read<BudgetRow>(owner.accountId, {
    name: 'host_budget',
    text: `select ${columns} from host_budget where account_id = $1 and installation_id = $2`,
    values: [owner.accountId, owner.installationId],
  });
  return row === undefined ? null : asBudget(row);
}

/**
 * Writes the budget that `change` returns for the present budget. If `change` returns the same object, nothing is
 * written.
 */
export async function changeBudget(
  db: Database,
  owner: BudgetOwner,
  { change, now }: { readonly change: (budget: Budget) => Budget; readonly now: number },
): Promise<void> {
  await db.transaction(owner.accountId, async (tx) => {
    const budget = await lockBudget(tx, owner, now);
    const changed = change(budget);
    if (changed !== budget) await writeBudget(tx, owner, changed);
  });
}

async function lockBudget(tx: Transaction, owner: BudgetOwner, now: number): Promise<Budget> {
  const keys = [owner.accountId, owner.installationId];
  const text = `select ${columns} from host_budget where account_id = $1 and installation_id = $2 for update`;
  const [found] = await tx.query<BudgetRow>(text, keys);
  if (found !== undefined) return asBudget(found);
  await tx.send(
    `insert into host_budget (account_id, installation_id, minute_at, hour_at) values ($1, $2, $3, $3)
     on conflict (account_id, installation_id) do nothing`,
    [...keys, new Date(now)],
  );
  const [made] = await tx.query<BudgetRow>(text, keys);
  return made === undefined ? newBudget(now) : asBudget(made);
}

async function writeBudget(tx: Transaction, owner: BudgetOwner, budget: Budget): Promise<void> {
  await tx.send(
    `update host_budget set rest_limit = $3, rest_left = $4, rest_resets_at = $5, graphql_limit = $6, graphql_left = $7,
       graphql_resets_at = $8, minute_at = $9, made_in_minute = $10, hour_at = $11, made_in_hour = $12, paused_until = $13,
       pause_sec = $14
     where account_id = $1 and installation_id = $2`,
    [
      owner.accountId,
      owner.installationId,
      ...allowanceValues(budget.rest),
      ...allowanceValues(budget.graphql),
      new Date(budget.minuteAt),
      budget.madeInMinute,
      new Date(budget.hourAt),
      budget.madeInHour,
      budget.pausedUntil === null ? null : new Date(budget.pausedUntil),
      budget.pauseSec,
    ],
  );
}

function allowanceValues(allowance: Allowance | null): readonly unknown[] {
  return allowance === null ? [null, null, null] : [allowance.limit, allowance.left, new Date(allowance.resetsAt)];
}

function asBudget(row: BudgetRow): Budget {
  return {
    rest: asAllowance(row.rest_limit, row.rest_left, row.rest_resets_at),
    graphql: asAllowance(row.graphql_limit, row.graphql_left, row.graphql_resets_at),
    minuteAt: instant(row.minute_at),
    madeInMinute: row.made_in_minute,
    hourAt: instant(row.hour_at),
    madeInHour: row.made_in_hour,
    pausedUntil: row.paused_until === null ? null : instant(row.paused_until),
    pauseSec: row.pause_sec,
  };
}

function asAllowance(limit: number | null, left: number | null, resetsAt: Date | null): Allowance | null {
  return limit === null || left === null || resetsAt === null ? null : { limit, left, resetsAt: instant(resetsAt) };
}

// Inside a transaction, instants are read as text.
function instant(value: Date | string): number {
  return new Date(value).getTime();
}
