// Few points of GitHub's rate limit are left. Landings go on, and the reads of hints wait.
import { expect, test } from 'vitest';
import { HostUnavailable } from '../../../src/hosts/port.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { parallel } from '../../support/world.ts';
import { queueWorld, requiresTest, type QueueWorld } from './queue-world.ts';

/** Leaves 2 % of the points of GraphQL. */
async function spendPoints(w: QueueWorld): Promise<void> {
  await w.rows(
    "update host_budget set graphql_limit = 5000, graphql_left = 100, graphql_resets_at = now() + interval '2 hours'",
  );
}

test('a merge by GitHub goes on, if fewer points are left than are kept for landings', async () => {
  const byHost = parallel({ builds: 1, batch: 1, more: 'use_fast_forwarding: false\n' });
  await using w = await queueWorld({ configuration: `${byHost}${requiresTest}` });
  const number = await w.open('one', { one: '1\n' });
  const disarm = onFailpoint('landing:after_gate', async () => {
    await spendPoints(w);
    // Each process reads the points once a second.
    await expect
      .poll(
        async () =>
          await w.ctx
            .hosts('github')
            .getPullRequest(w.repository, number)
            .catch((error: unknown) => error),
      )
      .toBeInstanceOf(HostUnavailable);
  });
  await w.label(number);
  const isMerged = async (): Promise<boolean> =>
    (await w.person.pulls.get({ ...w.place, pull_number: number })).data.merged;
  await w.until(isMerged);
  disarm();
  await w.until(async () => (await w.rows("select 1 from pull_request where status = 'merged'")).length > 0);
});
