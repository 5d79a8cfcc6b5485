// Authenticates the calls of an installation. One token of the installation serves all calls of the API and all reads
// of refs. After a repository was renamed or transferred, somebody may make another repository under its old name. So
// each call names its repository by GitHub's id. Only git needs the name, so fetches and pushes use a token that is
// limited to the repository (ADR 0071).
import { setTimeout as delay } from 'node:timers/promises';
import { createAppAuth } from '@octokit/auth-app';
import { LRUCache } from 'lru-cache';
import { type FailedCall, isOutOfReach, lacksPermission, readFailedCall } from './answers.ts';

type AppAuthOptions = Parameters<typeof createAppAuth>[0];
type Hook = ReturnType<typeof createAppAuth>['hook'];
type Send = Parameters<Hook>[0];
type Call = Exclude<Parameters<Hook>[1], string>;

/** The options of `createAppAuth`, and what Octokit gives to a strategy. */
type InstallationAuthOptions = AppAuthOptions & {
  readonly installationId: string;
  readonly request: NonNullable<AppAuthOptions['request']>;
};

export interface InstallationToken {
  readonly token: string;
  /** By the clock of this machine, in milliseconds since 1970. */
  readonly madeAt: number;
  /** By the clock of GitHub, in milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface WantedToken {
  /** GitHub's id of the only repository that the token reaches. Left out: all repositories of the installation. */
  readonly repositoryId?: string;
  /** A token that GitHub refused, or that ends too early. Another one is returned. */
  readonly instead?: InstallationToken;
}

const named = '/repos/{owner}/{repo}';
/** GitHub's tokens are valid for an hour. */
const tokenAgeMs = 59 * 60_000;
const maxTokens = 15_000;
/** Some servers of GitHub refuse a token for a few seconds after another server has made it. */
const newTokenMs = 5_000;
/** The shortest time between two new tokens because the old one lacked a permission. */
const renewEveryMs = 60_000;

/**
 * A strategy of Octokit. `octokit.auth()` takes a WantedToken and returns an InstallationToken. The tokens are not made
 * by `createAppAuth`, because all its instances in a process share a request for a token by the id of the installation,
 * which is not unique among servers of GitHub.
 */
export function createInstallationAuth({ installationId, ...options }: InstallationAuthOptions) {
  const ofApp = createAppAuth(options);
  const requestToken = async (repositoryId: string): Promise<InstallationToken> => {
    const { data } = await options.request('POST /app/installations/{installation_id}/access_tokens', {
      installation_id: Number(installationId),
      ...(repositoryId === '' ? {} : { repository_ids: [Number(repositoryId)] }),
    });
    return { token: data.token, madeAt: Date.now(), expiresAt: Date.parse(data.expires_at) };
  };
  const tokens = new LRUCache<string, InstallationToken>({
    max: maxTokens,
    ttl: tokenAgeMs,
    fetchMethod: requestToken,
  });
  const readToken = async ({ repositoryId = '', instead }: WantedToken = {}): Promise<InstallationToken> => {
    const isKept = instead === undefined || tokens.peek(repositoryId)?.token !== instead.token;
    const found = await tokens.fetch(repositoryId, { forceRefresh: !isKept });
    if (found === undefined) throw new Error('The request for a token of GitHub was given up.');
    return found;
  };
  let renewedAt = 0;
  /** GitHub does not say whether a token gets the permissions that the App was given after the token was made. */
  const mayGetPermission = (): boolean => {
    if (Date.now() - renewedAt < renewEveryMs) return false;
    renewedAt = Date.now();
    return true;
  };
  const isTokenAtFault = (failed: FailedCall | null): boolean =>
    failed !== null && (failed.status === 401 || (isOutOfReach(failed) && mayGetPermission()));

  const hook = async (send: Send, call: Call) => {
    if (call.url.endsWith('/access_tokens')) return await ofApp.hook(send, call);
    const first = await readToken();
    const sendWith = async (token: InstallationToken) => {
      const headers = { ...call.headers, authorization: `token ${token.token}` };
      return await whileNew(token, async () => await send({ ...withId(call), headers }));
    };
    try {
      const answer = await sendWith(first);
      if (!lacksPermission(answer.data) || !mayGetPermission()) return answer;
    } catch (error) {
      if (!isTokenAtFault(readFailedCall(error))) throw error;
    }
    // GitHub refused the token before it did anything, so the call is made once more with another one.
    return await sendWith(await readToken({ instead: first }));
  };
  return Object.assign(readToken, { hook });
}

/** The call with GitHub's id of the repository, which the setting `repositoryId` of the request has, instead of the name. */
function withId(call: Call): Call {
  const { repositoryId } = (call.request ?? {}) as { readonly repositoryId?: string };
  if (!call.url.startsWith(named)) return call;
  if (repositoryId === undefined) throw new Error(`The call ${call.url} has no id of its repository.`);
  const { owner: _owner, repo: _repo, ...rest } = call;
  return {
    ...rest,
    url: call.url.replace(named, '/repositories/{repository_id}'),
    repository_id: repositoryId,
  };
}

/** Repeats a call that GitHub refuses because of its token, as long as the token is new. */
async function whileNew<Answer>({ madeAt }: InstallationToken, call: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await call();
    } catch (error) {
      if (readFailedCall(error)?.status !== 401 || Date.now() - madeAt >= newTokenMs) throw error;
      await delay(attempt * 1_000);
    }
}
