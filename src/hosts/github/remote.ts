// How git reaches GitHub: the address of a repository, and a token that never stands in an argument, an address or a
// file.
import type { HostRepository } from '../port.ts';

export interface Remote {
  readonly url: string;
  readonly token: string;
}

/**
 * The remote of a repository as it is named now, with a token that is good for ten more minutes at least. `isRefused`:
 * GitHub has refused the last one, and another one is made.
 */
export type FindRemote = (repository: HostRepository, options?: { readonly isRefused?: boolean }) => Promise<Remote>;

/**
 * What a proxy and the certificates of a company are named by. git is run with nothing else of the operator's
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

export function authorizationOf({ token }: Remote): string {
  return `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
}

/** The environment of one git command that talks to GitHub. */
export function remoteEnvironment(remote: Remote): Record<string, string> {
  const settings: readonly (readonly [string, string])[] = [
    [`http.${new URL(remote.url).origin}/.extraHeader`, `Authorization: ${authorizationOf(remote)}`],
    // A renamed repository answers with a redirect: it is to be seen, not followed.
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
