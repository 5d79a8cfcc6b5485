import { expect, it } from 'vitest';
import { HostUnavailable, toHostedRepository } from '../../src/hosts/port.ts';
import { reconcileRepository, storeHints } from '../../src/modules/queue/index.ts';
import { loadRepository } from '../../src/modules/repositories/index.ts';
import { RepositoryEntity } from '../../src/modules/repositories/repositories.entities.ts';
import { parallel, world, type World } from '../support/world.ts';
import { hostOf } from './stories.ts';

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

it('a bot branch that was made after the clean-up of its batch is deleted, unless it is used or has a commit of somebody else', async () => {
  await using w = await world({ configuration: parallel({ builds: 1 }), runsCi: false });
  const number = await w.open('tea', { tea: '1' });
  const isLive = async (): Promise<boolean> =>
    (await w.rows('select 1 from bot_pull_request where closed_at is null')).length > 0;
  await w.queue(number);
  await w.until(isLive);
  await w.dequeue(number);
  await w.until(async () => (await w.rows('select 1 from batch where cleaned_up_at is null')).length === 0);
  const [ended] = await w.rows<{ id: string; commit: string }>('select id, commit from batch');
  await w.queue(number);
  await w.until(isLive);
  const used = await w.git('for-each-ref', '--format=%(refname)', 'refs/heads/mq-*');
  await w.git('update-ref', `refs/heads/mq-bot-${ended?.id}`, ended?.commit ?? '');
  await w.git('update-ref', 'refs/heads/mq-bot-999', await w.git('rev-parse', 'refs/heads/tea'));
  await untilNoHint(w);
  await reconcileRepository(w.ctx, toHostedRepository(await loadRepository(w.ctx, w.repository)));
  expect((await w.git('for-each-ref', '--format=%(refname)', 'refs/heads/mq-*')).split('\n')).toEqual([
    used,
    'refs/heads/mq-bot-999',
  ]);
});

it('a bot pull request whose worker was killed before it wrote the row is closed, and a pull request of somebody else stays open', async () => {
  await using w = await world({ configuration: parallel({ builds: 1 }), runsCi: false });
  const number = await w.open('tea', { tea: '1' });
  const batches: { id: string; commit: string }[] = [];
  for (let nth = 0; nth < 2; nth += 1) {
    await w.queue(number);
    await w.until(async () => (await w.rows('select 1 from bot_pull_request where closed_at is null')).length > 0);
    await w.dequeue(number);
    await w.until(async () => (await w.rows('select 1 from batch where cleaned_up_at is null')).length === 0);
    batches.push(
      ...(await w.rows<{ id: string; commit: string }>('select id, commit from batch order by id desc limit 1')),
    );
  }
  const reopen = async (id: string | undefined, commit: string): Promise<number> => {
    const headBranch = `mq-bot-${id}`;
    await w.git('update-ref', `refs/heads/${headBranch}`, commit);
    const opened = { title: 'Bot', body: '', author: 'interlock[bot]', headBranch, baseBranch: 'main', draft: true };
    return (await w.service.localHost.openPullRequest(hostOf(w), opened)).number;
  };
  const abandoned = await reopen(batches[0]?.id, batches[0]?.commit ?? '');
  const elses = await reopen(batches[1]?.id, await w.git('rev-parse', 'refs/heads/tea'));
  await untilNoHint(w);
  await reconcileRepository(w.ctx, toHostedRepository(await loadRepository(w.ctx, w.repository)));
  const open = (await w.host.pullRequests()).filter(({ isOpen }) => isOpen);
  expect(open.map((each) => each.number).toSorted((a, b) => a - b)).toEqual([number, elses]);
  expect(abandoned).toBeLessThan(elses);
  expect(await w.git('for-each-ref', '--format=%(refname)', 'refs/heads/mq-*')).toBe(
    `refs/heads/mq-bot-${batches[1]?.id}`,
  );
});
