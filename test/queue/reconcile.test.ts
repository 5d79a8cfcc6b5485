import { expect, it } from 'vitest';
import { HostUnavailable, toHostedRepository } from '../../src/hosts/port.ts';
import { reconcileRepository, storeHints } from '../../src/modules/queue/index.ts';
import { RepositoryEntity } from '../../src/modules/repositories/repositories.entities.ts';
import { world, type World } from '../support/world.ts';

/** Waits until every hint is handled, because the comparison leaves a pull request to its waiting hint. */
const untilNoHint = async (w: World): Promise<void> =>
  await w.until(async () => (await w.rows('select 1 from host_hint')).length === 0);

it('if one pull request cannot be read, the others are nevertheless compared with the host', async () => {
  await using w = await world({ runsCi: false });
  const unreadable = await w.open('coffee', { coffee: '1' });
  const renamed = await w.open('tea', { tea: '1' });
  await untilNoHint(w);
  const host = w.service.localHost;
  const repository = await w.ctx.db.transaction(w.ctx.accountId, async (tx) =>
    toHostedRepository(await tx.em.findOneOrFail(RepositoryEntity, { id: w.repositoryId })),
  );
  // No event reports the new titles, so only a comparison finds them.
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

it('a comparison leaves a pull request to a hint that is due soon, so that the pull request is read once', async () => {
  await using w = await world({ runsCi: false });
  const number = await w.open('tea', { tea: '1' });
  await untilNoHint(w);
  const repository = await w.ctx.db.transaction(w.ctx.accountId, async (tx) =>
    toHostedRepository(await tx.em.findOneOrFail(RepositoryEntity, { id: w.repositoryId })),
  );
  await w.rows("update local_pull_request set title = 'Renamed'");
  const title = async (): Promise<unknown> => await w.rows('select title from pull_request');
  const hint = { accountId: w.ctx.accountId, repositoryId: w.repositoryId, kind: 'pull_request' } as const;
  const told = async (inSec: number): Promise<unknown> =>
    await storeHints(w.ctx.db.system.query, [
      { ...hint, subject: String(number), dueAt: new Date(Date.now() + inSec * 1_000) },
    ]);
  await told(30);
  await reconcileRepository(w.ctx, repository);
  expect(await title()).toEqual([{ title: 'Add tea' }]);
  await w.rows('delete from host_hint');
  await told(3600);
  await reconcileRepository(w.ctx, repository);
  expect(await title()).toEqual([{ title: 'Renamed' }]);
});
