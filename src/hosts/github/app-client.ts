// GitHub's API as an App itself, for what no installation may ask.
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/core';
import type { GitHubApp } from './app.ts';
import { bound, type ClientOptions, keepBudget } from './client.ts';

export type AppRequest = Octokit['request'];

/** Its budget is the App's own. */
export function createAppClient(
  { db, clock }: Pick<ClientOptions, 'db' | 'clock'>,
  accountId: string,
  app: GitHubApp,
): AppRequest {
  const octokit = new Octokit({
    baseUrl: app.apiUrl,
    authStrategy: createAppAuth,
    auth: { appId: app.id, privateKey: app.privateKey },
    userAgent: 'interlock',
  });
  bound(octokit);
  keepBudget(octokit, { db, owner: { accountId, installationId: `app ${app.id}` }, now: () => clock().getTime() });
  return octokit.request;
}
