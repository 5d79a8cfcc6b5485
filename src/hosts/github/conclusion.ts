// Concludes a landed pull request at GitHub (ADR 0071). GitHub shows a pull request as merged if its head is reachable
// from its base branch. A squashed or rebased pull request is closed instead, and its last comment names the commit.
import type { Client } from './client.ts';
import { closePullRequest } from './pull-requests.ts';
import { HostRefused, HostUnavailable, type CodeHost, type HostPullRequest, type HostRepository } from '../port.ts';

/** How long GitHub may take after a push of the base branch until it shows a pull request as merged. */
const markedWithinMs = 2 * 60_000;
const retryAfterMs = 5_000;

export function conclusionOperation(
  host: Pick<CodeHost, 'getPullRequest' | 'isAncestor' | 'upsertComment'>,
  client: Client,
  clock: () => Date,
) {
  /**
   * Whether GitHub will show the pull request as merged. In a stack that landed together, the base branch of an upper
   * pull request is the head branch below it, so GitHub never shows the upper one as merged.
   */
  async function willBeMarked(repository: HostRepository, { headSha, baseTip }: HostPullRequest): Promise<boolean> {
    return baseTip !== null && (await host.isAncestor(repository, headSha, baseTip));
  }

  return {
    concludePullRequest: async (
      repository: HostRepository,
      number: number,
      { at, comment }: { readonly at: number; readonly comment: string },
    ): Promise<void> => {
      const seen = await host.getPullRequest(repository, number, { isForLanding: true });
      if (seen === null || seen.state === 'merged') return;
      const now = clock().getTime();
      if (seen.state === 'open' && now - at < markedWithinMs && (await willBeMarked(repository, seen)))
        throw new HostUnavailable(`GitHub does not show #${number} as merged yet`, { retryAt: now + retryAfterMs });
      let refusal: HostRefused | null = null;
      try {
        await host.upsertComment(repository, number, { key: 'landed', body: comment });
      } catch (error) {
        // GitHub refuses comments on a locked conversation. The pull request has landed, so it is closed all the same.
        if (!(error instanceof HostRefused)) throw error;
        refusal = error;
      }
      if (seen.state === 'open') await closePullRequest(client, repository, number);
      if (refusal !== null) throw refusal;
    },
  } satisfies Partial<CodeHost>;
}
