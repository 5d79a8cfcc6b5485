// How a repository is named to a host, and the errors by which a host refuses a request.

/** The name and the address that a commit carries as its author or its committer. */
export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** Names a repository to a host. `id` is ours, `owner`/`name` the host's. */
export interface HostRepository {
  readonly accountId: string;
  readonly id: string;
  readonly owner: string;
  readonly name: string;
}

/** A compare-and-set failed: nothing of the update was applied. */
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
/** The host could not be reached or read; nothing is known of what it did. */
export class HostUnavailable extends Error {
  /** When the host takes requests again, in milliseconds since the epoch. Null: it did not say. */
  readonly retryAt: number | null;

  constructor(message: string, options: ErrorOptions & { readonly retryAt?: number } = {}) {
    super(message, options);
    this.retryAt = options.retryAt ?? null;
  }
}
/**
 * A commit that was made here, or was read here before, is neither at the host nor on this machine any more. Waiting
 * does not bring it back, so a batch that needs it must be built again.
 */
export class CommitMissing extends HostUnavailable {
  readonly commit: string;

  constructor(commit: string, options: ErrorOptions = {}) {
    super(`The commit ${commit} is not there any more.`, options);
    this.name = 'CommitMissing';
    this.commit = commit;
  }
}
/** The host refused for good, with its message. */
export class HostRefused extends Error {}

/**
 * The instant until which a host has asked to wait, as the error of a call says. Of several errors, the latest instant
 * counts. Null: no host has asked.
 */
export function retryAtOf(error: unknown): number | null {
  if (error instanceof HostUnavailable) return error.retryAt;
  const within = error instanceof AggregateError ? error.errors : error instanceof Error ? [error.cause] : [];
  const instants = within.flatMap((each: unknown) => (each === undefined ? [] : (retryAtOf(each) ?? [])));
  return instants.length === 0 ? null : Math.max(...instants);
}
