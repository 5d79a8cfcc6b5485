// How many affected targets may be stored (interface 8). The number for a pull request is checked here, before anything
// is written. The database checks the number for an account at the commit (migrations/0005_queue.sql).
import { DomainError } from '../../../domain/errors.ts';

const maxTargets = 100_000;

const field = 'pull_request.affected_targets';

export function checkTargets(targets: readonly string[] | null | undefined): void {
  if (targets && targets.length > maxTargets)
    throw new DomainError(
      'BAD_INPUT',
      `${field} must have at most 100,000 entries: name larger parts of the code base, such as packages for files.`,
      field,
    );
}

/**
 * Throws BAD_INPUT if the error is the database's refusal of too many targets, and otherwise throws the error itself.
 */
export function refuseTargetsBeyondBound(error: unknown): never {
  const { constraint } = (error ?? {}) as { readonly constraint?: unknown };
  if (constraint !== 'account_targets_bound') throw error;
  throw new DomainError(
    'BAD_INPUT',
    `${field} would make more than 1,000,000 for the account's unfinished pull requests: name larger parts of the code base, or close pull requests that are no longer wanted.`,
    field,
  );
}
