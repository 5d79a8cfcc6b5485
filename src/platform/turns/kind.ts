// Kinds of rows that are driven by turns. A turn locks the row, reads the rows that belong to it, calls a pure decider,
// and writes the decision. It repeats this until the decision is to do work outside of the transaction, or to wait. A
// kind consists of a table with `drivenColumns`, a decider, and functions that write and carry out the decisions.
import type { Context, Woken } from '../../context.ts';
import type { AfterTurn } from '../../domain/turns.ts';
import type { Transaction } from '../database.ts';
import type { DrivenRow } from './columns.ts';

/** The types of one kind. */
export interface KindTypes {
  /** The row that is driven, and the rows that belong to it. */
  readonly rows: unknown;
  /** The input of the decider. */
  readonly situation: unknown;
  /** Decisions after which the turn ends: to do work outside of the transaction, to wait, or that the row has ended. */
  readonly left: AfterTurn;
  /** Decisions that the turn itself writes. */
  readonly written: { readonly kind: string };
  /** How a turn is shown to people. */
  readonly shown: { readonly step: string };
  /** What carrying out work needs besides the context. */
  readonly by: {
    /** Aborted when this process stops. The work that it supervises is stopped, and another process starts it again. */
    readonly signal?: AbortSignal;
  };
}

export interface Kind<T extends KindTypes> {
  /** The workflow that is woken for the row. */
  whose(id: string): Woken;
  /** Locks the row, and reads the rows that belong to it. */
  lock(ctx: Context, tx: Transaction, id: string): Promise<T['rows']>;
  rowOf(rows: T['rows']): DrivenRow;
  /** Runs at the start of a turn, before the first decision. */
  prepare?(ctx: Context, tx: Transaction, rows: T['rows']): Promise<T['rows']>;
  /** Reads the present situation, in the transaction that has locked the row. */
  read(ctx: Context, tx: Transaction, rows: T['rows']): Promise<T['situation']>;
  decide(situation: T['situation'], now: number): T['left'] | T['written'];
  /** Writes a decision. Returns the changed rows. */
  write(ctx: Context, tx: Transaction, decided: WrittenStep<T>): Promise<T['rows']>;
  show(ctx: Context, tx: Transaction, turn: DecidedTurn<T>): Promise<T['shown']>;
  /**
   * Runs a change of the rows, and writes the events about its overall result. Left out: each write does this itself.
   */
  change?<Result>(ctx: Context, tx: Transaction, changing: Changing<T, Result>): Promise<Result>;
}

/** A decision that the turn itself writes, and the rows that it changes. */
export interface WrittenStep<T extends KindTypes> {
  readonly rows: T['rows'];
  readonly step: T['written'];
}

export interface DecidedTurn<T extends KindTypes> {
  readonly rows: T['rows'];
  readonly situation: T['situation'];
  readonly step: T['left'];
}

/** Rows, and the work that changes them. */
export interface Changing<T extends KindTypes, Result> {
  readonly rows: T['rows'];
  readonly work: () => Promise<Result>;
}

export async function changeRows<T extends KindTypes, Result>(
  ctx: Context,
  tx: Transaction,
  { kind, rows, work }: Changing<T, Result> & { readonly kind: Kind<T> },
): Promise<Result> {
  return kind.change === undefined ? await work() : await kind.change(ctx, tx, { rows, work });
}

const leftKinds: ReadonlySet<string> = new Set<AfterTurn['kind']>(['call', 'supervise', 'wait', 'ended']);

export function endsTurn<T extends KindTypes>(step: T['left'] | T['written']): step is T['left'] {
  return leftKinds.has(step.kind);
}
