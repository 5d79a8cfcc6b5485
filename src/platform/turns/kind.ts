// What is driven by its row. A turn takes the row, reads what belongs to it, asks a pure decider and writes what is
// decided, until something is left to be done outside of the transaction, or to be waited for. A kind is a table with
// `drivenColumns`, its decider, and how its decisions are written and carried out.
import type { Context, Woken } from '../../context.ts';
import type { AfterTurn } from '../../domain/turns.ts';
import type { Transaction } from '../database.ts';
import type { DrivenRow } from './columns.ts';

/** The types of one kind. */
export interface KindTypes {
  /** The row that is driven, and the rows that belong to it. */
  readonly rows: unknown;
  /** What the decider of the kind decides by. */
  readonly situation: unknown;
  /** Decisions that need something from outside, or nothing at all. */
  readonly left: AfterTurn;
  /** Decisions that are writes. */
  readonly written: { readonly kind: string };
  /** What people read of a turn. */
  readonly shown: { readonly step: string };
  /** What carrying out takes beside the ports. */
  readonly by: {
    /** Aborted when this process can carry out no longer. What it supervises is stopped, and started by another. */
    readonly signal?: AbortSignal;
  };
}

export interface Kind<T extends KindTypes> {
  /** The workflow that is woken for the row. */
  whose(id: string): Woken;
  /** Locks the row, and reads the rows that belong to it. */
  lock(ctx: Context, tx: Transaction, id: string): Promise<T['rows']>;
  rowOf(rows: T['rows']): DrivenRow;
  /** What a turn does before it asks for the first time. Left out: nothing. */
  prepare?(ctx: Context, tx: Transaction, rows: T['rows']): Promise<T['rows']>;
  /** Reads the present situation, in a transaction that holds the row. */
  read(ctx: Context, tx: Transaction, rows: T['rows']): Promise<T['situation']>;
  decide(situation: T['situation'], now: number): T['left'] | T['written'];
  /** Writes a decision. Returns the rows as they are afterwards. */
  write(ctx: Context, tx: Transaction, rows: T['rows'], step: T['written']): Promise<T['rows']>;
  show(ctx: Context, tx: Transaction, turn: Decided<T>): Promise<T['shown']>;
  /** Runs a change of the rows, and announces its result as a whole. Left out: each write announces itself. */
  change?<Result>(ctx: Context, tx: Transaction, rows: T['rows'], work: () => Promise<Result>): Promise<Result>;
}

export interface Decided<T extends KindTypes> {
  readonly rows: T['rows'];
  readonly situation: T['situation'];
  readonly step: T['left'];
}

export async function changeRows<T extends KindTypes, Result>(
  ctx: Context,
  tx: Transaction,
  { kind, rows }: { readonly kind: Kind<T>; readonly rows: T['rows'] },
  work: () => Promise<Result>,
): Promise<Result> {
  return kind.change === undefined ? await work() : await kind.change(ctx, tx, rows, work);
}

const leftKinds: ReadonlySet<string> = new Set<AfterTurn['kind']>(['call', 'supervise', 'wait', 'ended']);

export function isLeft<T extends KindTypes>(step: T['left'] | T['written']): step is T['left'] {
  return leftKinds.has(step.kind);
}
