// How a pull request ends at GitHub once it has landed (ADR 0071): GitHub shows as merged what is reachable from its
// base. A squashed or rebased one is closed, and its last comment names the commit.
import type { Client } from './client.ts';
import { closeOpen } from './pull-requests.ts';
import { HostUnavailable, type CodeHost, type HostPullRequest, type HostRepository } from '../port.ts';

/** GitHub marks a pull request as merged a moment after its base was pushed. */
const markedWithinMs = 2 * 60_000;
const lookAgainMs = 5_000;

export function conclusionOperation(
  host: Pick<CodeHost, 'getPullRequest' | 'isAncestor' | 'upsertComment'>,
  client: Client,
  clock: () => Date,
) {
  /** Of a stack that landed together the upper ones keep the branches below as their bases: GitHub never marks them. */
  async function willBeMarked(repository: HostRepository, { headSha, baseTip }: HostPullRequest): Promise<boolean> {
    return baseTip !== null && (await host.isAncestor(repository, headSha, baseTip));
  }

  return {
    concludePullRequest: async (
      repository: HostRepository,
      number: number,
      { at, comment }: { readonly at: number; readonly comment: string },
    ): Promise<void> => {
      const seen = await host.getPullRequest(repository, number);
      if (seen === null || seen.state === 'merged') return;
      const now = clock().getTime();
      if (seen.state === 'open' && now - at < markedWithinMs && (await willBeMarked(repository, seen)))
        throw new HostUnavailable(`GitHub does not show #${number} as merged yet`, { retryAt: now + lookAgainMs });
      await host.upsertComment(repository, number, { key: 'landed', body: comment });
      if (seen.state === 'open') await closeOpen(client, repository, number);
    },
  } satisfies Partial<CodeHost>;
}
