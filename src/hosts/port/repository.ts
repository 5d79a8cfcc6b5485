// The name of a repository in calls to its host, and the errors of these calls.

/** The name and email address of the author or committer of a commit. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** A repository in calls to its host. Interlock gives the `id`; the host gives `owner` and `name`. */
export interface HostRepository {
  readonly accountId: string;
  readonly id: string;
  readonly owner: string;
  readonly name: string;
}

/** A compare-and-set failed. No part of the update was applied. */
export class RefMoved extends Error {
  readonly ref: string;
  readonly expected: string | null;
  readonly actual: string | null;

  constructor(ref: string, expected: string | null, actual: string | null) {
    super(`${ref} is ${actual ?? 'absent'}, expected ${expected ?? 'absent'}`);
    this.name = 'RefMoved';
    this.ref = ref;
    this.expected = expected;
    this.actual = actual;
  }
}
/** The host could not be reached, or its answer could not be read. It may have carried out the call. */
export class HostUnavailable extends Error {
  /** When the host accepts requests again, in milliseconds since the epoch. Null: the host did not say. */
  readonly retryAt: number | null;

  constructor(message: string, options: ErrorOptions & { readonly retryAt?: number } = {}) {
    super(message, options);
    this.retryAt = options.retryAt ?? null;
  }
}
/** This process stops while the call waits for its turn. The call was not made, and another process makes it. */
export class CallGivenBack extends HostUnavailable {
  constructor() {
    super('This process stops. Another process makes the call.');
  }
}
/** The service has no access to the repository any more, because its App was uninstalled or suspended. */
export class AppNotInstalled extends HostUnavailable {}
/**
 * A commit that this machine made or read before is now missing both at the host and on this machine. A retry does not
 * help: a batch that needs the commit must be built again.
 */
export class CommitMissing extends HostUnavailable {
  readonly commit: string;

  constructor(commit: string, options: ErrorOptions = {}) {
    super(`The commit ${commit} does not exist any more.`, options);
    this.name = 'CommitMissing';
    this.commit = commit;
  }
}
/**
 * Whether a call failed only because the host is away for a while. Null: another error. The missing of a commit is
 * permanent. `retryAt`: when the host accepts requests again, in milliseconds since the epoch. Null: it did not say.
 */
export function hostFailureOf(error: unknown): { readonly retryAt: number | null } | null {
  return error instanceof HostUnavailable && !(error instanceof CommitMissing) ? { retryAt: error.retryAt } : null;
}
/** The host refused the call, with its message. A retry does not help. */
export class HostRefused extends Error {}

/** The host refused a change of a branch, and would refuse every other change of the branch, whatever its commit. */
export class BranchRefused extends HostRefused {}

/**
 * The `retryAt` of an error, or of the errors inside it. The latest of several instants is returned. Null: no host has
 * asked to wait.
 */
export function retryAtOf(error: unknown): number | null {
  if (error instanceof HostUnavailable) return error.retryAt;
  const within = error instanceof AggregateError ? error.errors : error instanceof Error ? [error.cause] : [];
  const instants = within.flatMap((each: unknown) => (each === undefined ? [] : (retryAtOf(each) ?? [])));
  return instants.length === 0 ? null : Math.max(...instants);
}
