// How many affected targets may be stored (interface 8): of a pull request before anything is asked, of an account by
// the database, which counts at the commit (migrations/0026_target_bound.sql).
import { DomainError } from '../../../domain/errors.ts';

const most = 100_000;
const field = 'pull_request.affected_targets';

export function checkTargets(targets: readonly string[] | null | undefined): void {
  if (targets && targets.length > most)
    throw new DomainError(
      'BAD_INPUT',
      `${field} must have at most 100,000 entries: name larger parts of the code base, such as packages for files.`,
      field,
    );
}

/** Says in words what the database refused. */
export function tellTargetsBound(error: unknown): never {
  const { constraint } = (error ?? {}) as { readonly constraint?: unknown };
  if (constraint !== 'account_targets_bound') throw error;
  throw new DomainError(
    'BAD_INPUT',
    `${field} would make more than 1,000,000 for the account's unfinished pull requests: name larger parts of the code base, or close pull requests that are no longer wanted.`,
    field,
  );
}
