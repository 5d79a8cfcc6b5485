// The failure of a command: a sentence that says what to do, and an exit code for scripts.
import type { Outcome } from '../../src/platform/exit-codes.ts';

export type { Outcome };

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly outcome: Outcome;
  /** The API's code, or a code of the command line in the same style. */
  readonly code: string;
  /** The name of the input at fault, as in the API. Null: the failure names none. */
  readonly field: string | null;
  constructor(
    outcome: Outcome,
    message: string,
    more: { readonly code?: string; readonly field?: string | null } = {},
  ) {
    super(message);
    this.outcome = outcome;
    this.code = more.code ?? outcome.toUpperCase();
    this.field = more.field ?? null;
  }
}
