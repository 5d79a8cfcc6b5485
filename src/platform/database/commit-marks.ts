// Marks that the transactions of a request leave when they commit. If the answer to a commit is lost with the
// connection, the mark says whether the transaction has committed.
import { AsyncLocalStorage } from 'node:async_hooks';

/** The part of a transaction that writes a mark. */
interface MarkedTransaction {
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface CommitMarks {
  readonly accountId: string;
  /** Called before the commit. Writes a mark if the transaction has changed or locked rows. Null: it has not. */
  set(tx: MarkedTransaction): Promise<number | null>;
  /** Whether the transaction with this mark has committed. */
  isCommitted(mark: number): Promise<boolean>;
}

const scopes = new AsyncLocalStorage<{ marks: CommitMarks | null }>();

/** Does `work`. Its transactions leave these marks. Null: they leave none until `markCommits` is called. */
export async function inMarkedScope<T>(marks: CommitMarks | null, work: () => Promise<T>): Promise<T> {
  return await scopes.run({ marks }, work);
}

/** The further transactions of this scope leave these marks. Does nothing outside of a scope. */
export function markCommits(marks: CommitMarks): void {
  const scope = scopes.getStore();
  if (scope !== undefined) scope.marks = marks;
}

/**
 * Does `work`. Its transactions leave no marks, so they must not be effects of the request: they copy what a code host
 * says, or a repetition of the request carries on after them.
 */
export async function withoutMarks<T>(work: () => Promise<T>): Promise<T> {
  return await scopes.run({ marks: null }, work);
}

/** The marks that a transaction of this account leaves here. Null: it leaves none. */
export function marksOf(accountId: string): CommitMarks | null {
  const marks = scopes.getStore()?.marks ?? null;
  return marks?.accountId === accountId ? marks : null;
}
