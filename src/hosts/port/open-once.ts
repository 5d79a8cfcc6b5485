// Opens a pull request that may be open already: an earlier attempt may have ended before it recorded the pull request,
// and another process may be opening it at this moment.
import type { HostClient } from './host-client.ts';
import type { HostPullRequest } from './pull-requests.ts';
import { HostRefused } from './repository.ts';

type NewPullRequest = Parameters<HostClient['openPullRequest']>[0];

/**
 * Returns the open pull request of the two branches, and opens it if there is none. A host refuses a second one. The
 * refusal counts only if there is still none afterwards. Throws HostRefused.
 */
export async function openOnce(
  client: Pick<HostClient, 'findOpenPullRequests' | 'openPullRequest'>,
  wanted: NewPullRequest,
): Promise<HostPullRequest> {
  const find = async (): Promise<HostPullRequest | undefined> =>
    (await client.findOpenPullRequests(wanted.headBranch)).find(({ baseBranch }) => baseBranch === wanted.baseBranch);
  const known = await find();
  if (known !== undefined) return known;
  try {
    return await client.openPullRequest(wanted);
  } catch (error) {
    const opened = error instanceof HostRefused ? await find() : undefined;
    if (opened === undefined) throw error;
    return opened;
  }
}
