// Limits the calls of an installation to one repository. After a repository was renamed or transferred, somebody may
// make another repository under its old name. So each call names the repository by GitHub's id, and the token of each
// call reaches only this repository. The token also limits pushes of git, whose address has the name (ADR 0071).
import { setTimeout as delay } from 'node:timers/promises';
import { createAppAuth } from '@octokit/auth-app';
import { RequestError } from '@octokit/request-error';

type AppAuthOptions = Parameters<typeof createAppAuth>[0];
type Hook = ReturnType<typeof createAppAuth>['hook'];
type Send = Parameters<Hook>[0];
type Call = Exclude<Parameters<Hook>[1], string>;

/** The options of `createAppAuth`, and GitHub's id of the repository. */
type RepositoryAuthOptions = AppAuthOptions & { readonly repositoryId: number };

const named = '/repos/{owner}/{repo}';
/** Some servers of GitHub refuse a token for a few seconds after another server has made it. */
const newTokenMs = 5_000;

/** A strategy of Octokit. `octokit.auth()` returns a token of the repository, and a new one with `refresh`. */
export function createRepositoryAuth({ repositoryId, ...options }: RepositoryAuthOptions) {
  const ofApp = createAppAuth(options);
  const readToken = async ({ refresh = false }: { readonly refresh?: boolean } = {}) =>
    await ofApp({ type: 'installation', repositoryIds: [repositoryId], refresh });

  const hook = async (send: Send, call: Call) => {
    if (call.url.endsWith('/access_tokens')) return await ofApp.hook(send, call);
    const { token, createdAt } = await readToken();
    const headers = { ...call.headers, authorization: `token ${token}` };
    return await whileNew(createdAt, async () => await send({ ...withId(call, repositoryId), headers }));
  };
  return Object.assign(readToken, { hook });
}

function withId(call: Call, repositoryId: number): Call {
  if (!call.url.startsWith(named)) return call;
  const { owner: _owner, repo: _repo, ...rest } = call;
  return {
    ...rest,
    url: call.url.replace(named, '/repositories/{repository_id}'),
    repository_id: repositoryId,
  };
}

/** Repeats a call that GitHub refuses because of its token, as long as the token is new. */
async function whileNew<Answer>(createdAt: string, call: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await call();
    } catch (error) {
      const isRefused = error instanceof RequestError && error.status === 401;
      if (!isRefused || Date.now() - Date.parse(createdAt) >= newTokenMs) throw error;
      await delay(attempt * 1_000);
    }
}
