// What failures of git at GitHub mean to the port.
import { GitFailed } from '../git/index.ts';
import { HostUnavailable, type HostRepository } from '../port.ts';
import { refusalMessage, TokenRefused } from './remote-refs.ts';

/** The error output of git. Empty: the error does not come from git. */
export function stderrOf(error: unknown): string {
  if (error instanceof GitFailed) return error.stderr;
  return error instanceof HostUnavailable && error.cause !== undefined ? stderrOf(error.cause) : '';
}

/** The token of a command of git does not reach the repository. */
export class AccessRefused extends HostUnavailable {}

/** Whether git reports that GitHub does not have an object. */
export function isUnknownCommit(error: unknown): boolean {
  const message = error instanceof Error ? error.message : '';
  return /not our ref|couldn't find remote ref|unadvertised object|bad object|did not send all necessary objects/i.test(
    message,
  );
}

/**
 * Turns failures of git at GitHub into errors of the port. A lost access counts as an outage, so that started work is
 * retried.
 */
export function asHostError(
  error: unknown,
  { owner, name: repositoryName }: Pick<HostRepository, 'owner' | 'name'>,
): unknown {
  if (!(error instanceof GitFailed)) return error;
  const message = error.stderr.trim();
  const name = `${owner}/${repositoryName}`;
  if (isUnknownCommit(error)) return new HostUnavailable(message, { cause: error });
  if (/Authentication failed|returned error: 401|could not read Username/i.test(message))
    return new TokenRefused(refusalMessage(name, 401), { cause: error });
  if (/repository was archived/i.test(message))
    return new HostUnavailable(
      `${name} is archived at GitHub: unarchive it in its settings there, and activate it here`,
      {
        cause: error,
      },
    );
  const status = statusOf(message);
  if (status === 403 || status === 404) return new AccessRefused(refusalMessage(name, status), { cause: error });
  return new HostUnavailable(status === null ? error.message : refusalMessage(name, status), { cause: error });
}

/** The HTTP status of GitHub's answer, from the message of git. Null: the message does not show the status. */
function statusOf(message: string): number | null {
  if (/repository '.*' not found|returned error: 404/i.test(message)) return 404;
  if (/unable to update url base from redirection|returned error: 30\d/i.test(message)) return 301;
  return /returned error: 403/i.test(message) ? 403 : null;
}
