// The host is read without a lock, so an older read may be written last.
import { toHostedRepository } from '../../src/hosts/port.ts';
import { describe, expect, it } from 'vitest';
import { syncPullRequest } from '../../src/modules/queue/index.ts';
import { loadRepository } from '../../src/modules/repositories/index.ts';
import type { Context } from '../../src/context.ts';
import { parallel, world, type World } from '../support/world.ts';
import { expectLandedOnce, statuses } from './stories.ts';

/** A context in which `meanwhile` runs while the first read of a pull request has not returned yet. */
function slowReader(w: World, meanwhile: () => Promise<void>): Context {
  const { localHost } = w.service;
  let reads = 0;
  const slow = {
    ...localHost,
    getPullRequest: async (...args: Parameters<typeof localHost.getPullRequest>) => {
      const seen = await localHost.getPullRequest(...args);
      reads += 1;
      if (reads === 1) await meanwhile();
      return seen;
    },
  };
  return { ...w.ctx, hosts: () => slow };
}

describe('a slow read of the host', () => {
  it.each(['block', 'requeue'])(
    'does not set the head back after a push and a new request to merge (%s)',
    async (onCommitAdded) => {
      await using w = await world({
        configuration: parallel({ builds: 1, more: `on_commit_added: ${onCommitAdded}\n` }),
      });
      const number = await w.open('a', { 'a.txt': '1\n' });
      let pushed = '';
      const slow = slowReader(w, async () => {
        pushed = await w.commit('a', { 'a.txt': '2\n' });
        await w.queue(number);
      });
      await syncPullRequest(slow, toHostedRepository(await loadRepository(w.ctx, w.repository)), number);
      expect(await w.status(number)).toMatchObject({ status: 'queued', head_sha: pushed });
      await w.settled(number);
      await expectLandedOnce(w, number);
      expect(await w.git('show', 'main:a.txt')).toBe('2');
    },
  );

  it('does not reopen a pull request that was closed meanwhile', async () => {
    await using w = await world({ configuration: parallel({ builds: 1 }) });
    const number = await w.open('a', { 'a.txt': '1\n' });
    const slow = slowReader(w, async () => {
      await w.host.close(number);
      await w.service.drain();
    });
    await syncPullRequest(slow, toHostedRepository(await loadRepository(w.ctx, w.repository)), number);
    expect(await statuses(w, number)).toEqual(['closed']);
    expect((await w.events()).map(([action]) => action).filter((action) => action === 'opened')).toEqual(['opened']);
  });
});
