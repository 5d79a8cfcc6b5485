// The servers on which Apps may be: GitHub's own servers, and servers that the operator permits. Interlock sends
// requests to these servers, so an account must not name any other address.
import { DomainError } from '../../domain/errors.ts';
import type { GitHubServer } from './setup.ts';

const githubCom = 'https://github.com';

/**
 * Accepts `https://github.com`, `https://<name>.ghe.com`, or one of `permitted`. Throws BAD_INPUT for any other server.
 * If `server` is null, returns the first permitted server, or GitHub.com if there is none.
 */
export function findServer(server: string | null, permitted: readonly string[]): GitHubServer {
  const webUrl = withoutSlash(server ?? permitted[0] ?? githubCom);
  const isKnown = webUrl === githubCom || isOfGitHub(webUrl) || permitted.map(withoutSlash).includes(webUrl);
  if (!isKnown)
    throw new DomainError(
      'BAD_INPUT',
      `input.server ${webUrl} is not permitted. The operator of Interlock can permit an Enterprise Server with GITHUB_SERVER.`,
      'input.server',
    );
  return serverAt(webUrl);
}

/** Returns a server with the address of its API. */
export function serverAt(server: string): GitHubServer {
  const webUrl = withoutSlash(server);
  if (webUrl === githubCom) return { webUrl, apiUrl: 'https://api.github.com' };
  if (isOfGitHub(webUrl)) return { webUrl, apiUrl: webUrl.replace('https://', 'https://api.') };
  return { webUrl, apiUrl: `${webUrl}/api/v3` };
}

export function isLoopback(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);
}

/** Whether a server is of Enterprise Cloud with data residency. */
function isOfGitHub(webUrl: string): boolean {
  return /^https:\/\/[a-z0-9-]+\.ghe\.com$/.test(webUrl);
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
