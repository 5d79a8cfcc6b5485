import type { Outcome } from '../platform/exit-codes.ts';

/**
 * An error that stops a start or a program. Its message is one line that names the cause and what to do. It is shown
 * without a stack trace.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
  /** Determines the exit code of a program. `npm start`, servers and workers end with 1 in any case. */
  readonly outcome: Outcome;

  constructor(message: string, outcome: Outcome = 'refused') {
    super(message);
    this.outcome = outcome;
  }
}
