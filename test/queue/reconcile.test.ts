import { expect, it } from 'vitest';
import { HostUnavailable } from '../../src/hosts/port.ts';
import { hosted, reconcileRepository } from '../../src/modules/queue/index.ts';
import { RepositoryEntity } from '../../src/modules/repositories/repositories.entities.ts';
import { world } from '../support/world.ts';

it('a pull request that cannot be read keeps no other from being compared with the host', async () => {
  await using w = await world({ runsCi: false });
  const unreadable = await w.open('coffee', { coffee: '1' });
  const renamed = await w.open('tea', { tea: '1' });
  const host = w.service.localHost;
  const repository = await w.ctx.db.transaction(w.ctx.accountId, async (tx) =>
    hosted(await tx.em.findOneOrFail(RepositoryEntity, { id: w.repositoryId })),
  );
  // Reported by nobody: only a comparison finds it.
  await w.rows("update local_pull_request set title = 'Renamed ' || number");
  const ctx = {
    ...w.ctx,
    hosts: () => ({
      ...host,
      getPullRequest: async (at: Parameters<typeof host.getPullRequest>[0], number: number) => {
        if (number === unreadable) throw new HostUnavailable('The host hangs.');
        return await host.getPullRequest(at, number);
      },
    }),
  };
  await expect(reconcileRepository(ctx, repository)).rejects.toThrow('The host hangs.');
  const titles = await w.rows('select number, title from pull_request order by number');
  expect(titles).toEqual([
    { number: unreadable, title: 'Add coffee' },
    { number: renamed, title: `Renamed ${renamed}` },
  ]);
});
