// Makes every client of GitHub's API, so that each call has a time limit and the header with the version of the API, and
// an incomplete answer is an error.
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import { RequestError } from '@octokit/request-error';
import { inSpan } from '../../platform/tracing/index.ts';
import type { GitHubApp } from './app.ts';
import { createInstallationAuth } from './installation-auth.ts';

export type { Octokit } from '@octokit/core';

interface OctokitOptions {
  readonly apiUrl: string;
  /** The credentials of the calls. Left out: the calls are not authenticated. */
  readonly as?:
    | { readonly token: string }
    | {
        readonly app: Pick<GitHubApp, 'id' | 'privateKey'>;
        /** Left out: the App itself makes the calls. */
        readonly installationId?: string;
      };
  /** Whether Octokit logs nothing, because the caller reports failures. */
  readonly isSilent?: boolean;
  /** The time limit of one call, until its answer is read. */
  readonly timeoutMs?: number;
}

const callTimeoutMs = 20_000;
const silentLog = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export function createOctokit({ apiUrl, as, isSilent = false, timeoutMs = callTimeoutMs }: OctokitOptions): Octokit {
  const log = isSilent ? { log: silentLog } : {};
  const octokit = new Octokit({ baseUrl: apiUrl, userAgent: 'interlock', ...log, ...authOf(as, log) });
  octokit.hook.before('request', (call) => {
    call.request = { ...call.request, signal: AbortSignal.timeout(timeoutMs) };
    call.headers['x-github-api-version'] = '2022-11-28';
  });
  octokit.hook.after('request', (answer, call) => {
    if (call.method === 'HEAD' || isComplete(answer)) return;
    // Without an answer, the error counts as a failure of GitHub.
    throw new RequestError('The answer is incomplete', 500, { request: octokit.request.endpoint.parse(call) });
  });
  // At this point, the URL still has the placeholders of the route.
  octokit.hook.wrap('request', async (request, call) => {
    // The URL of GraphQL has no placeholders. For an Enterprise Server it contains the host, which is removed here.
    const route = call.url.replace(/^https?:\/\/[^/]+/, '');
    const attributes = { 'http.request.method': call.method, 'server.address': new URL(apiUrl).hostname };
    return await inSpan(
      `GitHub ${call.method} ${route}`,
      { kind: 'client', attributes },
      async () => await request(call),
    );
  });
  return octokit;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: unknown;
}

/**
 * Whether the body of a successful answer is complete, if it is JSON. If the connection breaks off in a body, Octokit
 * reports no error, and returns the body as an empty text.
 */
function isComplete({ status, headers, data }: Answer): boolean {
  if (status === 204 || status === 205) return true;
  const isJson = /^application\/(scim\+)?json\b/i.test(String(headers['content-type'] ?? ''));
  return !isJson || typeof data !== 'string';
}

function authOf(as: OctokitOptions['as'], log: object): object {
  if (as === undefined) return {};
  if ('token' in as) return { auth: as.token };
  const { app, installationId } = as;
  return {
    authStrategy: installationId === undefined ? createAppAuth : createInstallationAuth,
    auth: {
      appId: app.id,
      privateKey: app.privateKey,
      ...(installationId === undefined ? {} : { installationId }),
      ...log,
    },
  };
}
