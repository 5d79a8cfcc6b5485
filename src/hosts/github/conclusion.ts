// How a pull request ends at GitHub once it has landed (ADR 0071): GitHub shows as merged what is reachable from its base.
// A squashed or rebased one is closed, and its last comment names the commit.
import type { Client } from './client.ts';
import { closeOpen } from './pull-requests.ts';
import { HostUnavailable, type CodeHost, type HostRepository } from '../port.ts';

/** GitHub marks a pull request as merged a moment after its base was pushed. */
const markedWithinMs = 2 * 60_000;
const lookAgainMs = 5_000;

export function conclusionOperation(
  host: Pick<CodeHost, 'getPullRequest' | 'isAncestor' | 'upsertComment'>,
  client: Client,
  clock: () => Date,
) {
  return {
    concludePullRequest: async (
      repository: HostRepository,
      number: number,
      { mergeCommit, at, words }: { readonly mergeCommit: string; readonly at: number; readonly words: string },
    ): Promise<void> => {
      const seen = await host.getPullRequest(repository, number);
      if (seen === null || seen.state === 'merged') return;
      const now = clock().getTime();
      if (
        seen.state === 'open' &&
        now - at < markedWithinMs &&
        (await host.isAncestor(repository, seen.headSha, mergeCommit))
      )
        throw new HostUnavailable(`GitHub does not show #${number} as merged yet`, { retryAt: now + lookAgainMs });
      await host.upsertComment(repository, number, { key: 'landed', body: words });
      if (seen.state === 'open') await closeOpen(client, repository, number);
    },
  } satisfies Partial<CodeHost>;
}
