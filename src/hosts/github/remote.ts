// How git connects to GitHub: the URL of a repository and a token. The token is never in an argument, a URL or a file.
import type { HostRepository } from '../port.ts';
import type { InstallationToken } from './installation-auth.ts';

export interface Remote {
  readonly url: string;
  readonly token: InstallationToken;
  /**
   * Asks the API for the name of the repository. Throws HostUnavailable if the URL does not belong to the repository, for
   * example after a renaming. Landings do not need this call, because a push shows the same.
   */
  readonly confirmUrl: () => Promise<void>;
}

export interface WantedRemote {
  /**
   * Whether the token reaches all repositories of the installation, so that a read of many repositories needs one
   * token. What such a token reads may be of another repository (confirmed-refs.ts). By default, the token is limited
   * to the repository.
   */
  readonly isShared?: boolean;
  /** A token that GitHub has refused. The remote has another one. */
  readonly instead?: InstallationToken;
}

/** Finds the remote of a repository under its present name. The token is valid for at least ten more minutes. */
export type FindRemote = (repository: HostRepository, wanted?: WantedRemote) => Promise<Remote>;

/**
 * The environment variables for a proxy and for own certificates. git gets no other variables of the operator's
 * environment.
 */
const networkNames = [
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'NO_PROXY',
  'no_proxy',
  'GIT_SSL_CAINFO',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
] as const;

export function authorizationOf({ token }: Pick<Remote, 'token'>): string {
  return `Basic ${Buffer.from(`x-access-token:${token.token}`).toString('base64')}`;
}

/** The environment of a git command that connects to GitHub. */
export function remoteEnvironment(remote: Remote): Record<string, string> {
  const settings: readonly (readonly [string, string])[] = [
    [`http.${new URL(remote.url).origin}/.extraHeader`, `Authorization: ${authorizationOf(remote)}`],
    // For a renamed repository, GitHub answers with a redirect. The redirect is reported and not followed.
    ['http.followRedirects', 'false'],
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '60'],
  ];
  const network = networkNames.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(network),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
