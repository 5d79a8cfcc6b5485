// The demo's client, which has no special access: GraphQL and REST over HTTP with a token, and git over HTTP.
import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Runs git in a folder, with the token. */
export type RunGit = (folder: string, ...args: string[]) => Promise<string>;

export interface Client {
  graphql<Data>(query: string, variables?: Readonly<Record<string, unknown>>): Promise<Data>;
  rest<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
  readonly git: RunGit;
  readonly url: string;
}

const execute = promisify(execFile);

/** How many times a request is sent at most. */
const maxAttempts = 10;

/**
 * Waits as the answer says, and sends the request again: any request after 429, because the rate limit refuses a request
 * before it has an effect, and a GET request also after 503.
 */
async function fetchWithRetry(url: string, request: RequestInit, attemptsLeft = maxAttempts): Promise<Response> {
  const response = await fetch(url, request);
  const waitSec = Number(response.headers.get('retry-after') ?? Number.NaN);
  const isRetried = response.status === 429 || (response.status === 503 && request.method === 'GET');
  if (!isRetried || attemptsLeft === 1 || Number.isNaN(waitSec)) return response;
  await response.body?.cancel();
  await delay(waitSec * 1000);
  return await fetchWithRetry(url, request, attemptsLeft - 1);
}

export function createClient({ url, token }: { readonly url: string; readonly token: string }): Client {
  const authorization = `Bearer ${token}`;
  return {
    url,
    async graphql<Data>(query: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Data> {
      const response = await fetchWithRetry(`${url}/graphql`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      const answer = (await response.json()) as { data?: Data; errors?: readonly { message: string }[] };
      if (answer.errors !== undefined || answer.data === undefined)
        throw new Error(
          answer.errors?.map((error) => error.message).join('; ') ?? `GraphQL answered ${response.status}`,
        );
      return answer.data;
    },
    async rest<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
      const isText = typeof body === 'string';
      const response = await fetchWithRetry(`${url}${path}`, {
        method,
        headers: {
          authorization,
          ...(body === undefined ? {} : { 'content-type': isText ? 'application/yaml' : 'application/json' }),
        },
        ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      });
      const answer = (await response.json()) as Answer;
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${JSON.stringify(answer)}`);
      return answer;
    },
    git: createGitRunner(token),
  };
}

export function createGitRunner(token: string): RunGit {
  const settings = ['user.name=Demo', 'user.email=demo@interlock.local', 'credential.helper=', 'commit.gpgsign=false'];
  const identity = settings.flatMap((setting) => ['-c', setting]);
  // The token is passed in the environment. As an argument, it would show in the list of processes.
  const env = {
    ...process.env,
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(`token:${token}`).toString('base64')}`,
  };
  return async (folder, ...args) => {
    const { stdout } = await execute('git', [...identity, ...args], { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  };
}
