// Calls GitHub's API as the App itself, for requests that need the App's own credentials instead of an installation's.
import type { GitHubApp } from './app.ts';
import { type ClientOptions, applyBudget } from './client.ts';
import { createOctokit, type Octokit } from './octokit.ts';

export type AppRequest = Octokit['request'];

/** Makes a client of the App. Its requests count against the rate limit of the App, not of an installation. */
export function createAppClient(
  { db, clock }: Pick<ClientOptions, 'db' | 'clock'>,
  accountId: string,
  app: GitHubApp,
): AppRequest {
  const octokit = createOctokit({ apiUrl: app.apiUrl, as: { app } });
  applyBudget(octokit, { db, owner: { accountId, installationId: `app ${app.id}` }, now: () => clock().getTime() });
  return octokit.request;
}
