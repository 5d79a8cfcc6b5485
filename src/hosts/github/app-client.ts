// GitHub's API as an App itself, for what no installation may ask.
import type { GitHubApp } from './app.ts';
import { type ClientOptions, keepBudget } from './client.ts';
import { createOctokit, type Octokit } from './octokit.ts';

export type AppRequest = Octokit['request'];

/** Its budget is the App's own. */
export function createAppClient(
  { db, clock }: Pick<ClientOptions, 'db' | 'clock'>,
  accountId: string,
  app: GitHubApp,
): AppRequest {
  const octokit = createOctokit({ apiUrl: app.apiUrl, as: { app } });
  keepBudget(octokit, { db, owner: { accountId, installationId: `app ${app.id}` }, now: () => clock().getTime() });
  return octokit.request;
}
