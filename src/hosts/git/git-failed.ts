import { HostUnavailable } from '../port.ts';

/** git ran and failed. */
export class GitFailed extends Error {
  constructor(
    readonly command: string,
    /** Null: git was killed by a signal. */
    readonly exitCode: number | null,
    readonly stderr: string,
  ) {
    super(
      `git ${command} ${exitCode === null ? 'was killed' : `exited with ${exitCode}`}: ${stderr.trim().slice(0, 2000)}`,
    );
    this.name = 'GitFailed';
  }
}

export function describeUnavailable(error: Error): string {
  return `git could not be run (${error.message}): is git on PATH, and does the repository's directory exist?`;
}

/**
 * Turns GitFailed into HostUnavailable, because callers handle only the errors of the port. A git command that failed may
 * have changed the repository.
 */
export function withHostErrors<Host extends object>(host: Host): Host {
  const guarded = Object.entries(host).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value];
    return [
      name,
      (...args: unknown[]) => {
        const result: unknown = value(...args);
        if (isIterable(result)) return withErrorsOfParts(result);
        return result instanceof Promise ? result.catch(rethrowAsHostError) : result;
      },
    ];
  });
  return Object.fromEntries(guarded) as Host;
}

function isIterable(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result;
}

async function* withErrorsOfParts(parts: AsyncIterable<unknown>): AsyncGenerator {
  try {
    yield* parts;
  } catch (error) {
    rethrowAsHostError(error);
  }
}

function rethrowAsHostError(error: unknown): never {
  throw error instanceof GitFailed ? new HostUnavailable(error.message, { cause: error }) : error;
}
