// Calls GitHub's API for one App, outside of any repository: as the App itself, or as one of its installations.
import { HostUnavailable } from '../port.ts';
import { ForbiddenAtGitHub, NotFoundAtGitHub, readFailedCall, undecodable } from './answers.ts';
import type { GitHubApp } from './app.ts';
import type { Purpose } from './budget.ts';
import { type ClientOptions, applyBudget, SharedBudget } from './client.ts';
import { createOctokit, type Octokit } from './octokit.ts';

export type AppRequest = Octokit['request'];

interface AppCaller {
  readonly accountId: string;
  readonly app: GitHubApp;
  /** Left out: the App itself makes the calls, and they count against the rate limit of the App. */
  readonly installationId?: string;
  readonly purpose: Purpose;
}

export function createAppClient(
  { db, clock }: Pick<ClientOptions, 'db' | 'clock'>,
  { accountId, app, installationId, purpose }: AppCaller,
): AppRequest {
  const as = installationId === undefined ? { app } : { app, installationId };
  const octokit = createOctokit({ apiUrl: app.apiUrl, as });
  const owner = { accountId, installationId: installationId ?? `app ${app.id}` };
  const now = (): number => clock().getTime();
  applyBudget(octokit, new SharedBudget({ db, owner, now }), { now });
  return octokit.request.defaults({ request: { purpose } }) as AppRequest;
}

/** Whether a call failed because GitHub knows no such App. The App was deleted there, and its installations with it. */
export function isAppGone(error: unknown): boolean {
  return error instanceof NotFoundAtGitHub && error.message.includes('Integration not found');
}

/** Whether a call failed because GitHub refuses the private key of the App. */
export function isKeyRefused(error: unknown): boolean {
  const failed = error instanceof HostUnavailable ? readFailedCall(error.cause) : null;
  return failed?.status === 401 && undecodable.test(failed.message);
}

/** Whether a read failed because the object does not exist, or the App may not read it. */
export function isHidden(error: unknown): boolean {
  return error instanceof NotFoundAtGitHub || error instanceof ForbiddenAtGitHub;
}
