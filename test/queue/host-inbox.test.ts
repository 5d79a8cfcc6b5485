// Host hints are stored before they are handled, joined, and handled one at a time for each repository. They outlive a
// process that dies and a host that asks to wait.
// No checks run here, because each check reports hints of its own.
import { describe, expect, it, onTestFinished } from 'vitest';
import { HostUnavailable, type HostEvent } from '../../src/hosts/port.ts';
import { createHostInbox, storeHints } from '../../src/modules/queue/index.ts';
import { takeDueHints } from '../../src/modules/queue/store/host-hints.ts';
import { openWorld } from '../events/world.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { world, type World } from '../support/world.ts';

const repositoryOf = (w: World): HostEvent['repository'] => ({
  accountId: w.ctx.accountId,
  id: w.repositoryId,
  ...w.repository,
});
const event = (w: World, number: number): HostEvent => ({
  kind: 'pull_request',
  number,
  repository: repositoryOf(w),
});
const hints = async (w: World): Promise<{ kind: string; subject: string; isTaken: boolean }[]> =>
  await w.rows('select kind, subject, leased_until > now() as "isTaken" from host_hint order by id');

/** Changes the title at the host, without an event. */
async function retitle(w: World, number: number, title: string): Promise<void> {
  await w.service.drain();
  await w.rows('update local_pull_request set title = $2 where number = $1', [number, title]);
}

const titles = async (w: World): Promise<string[]> =>
  (await w.rows<{ title: string }>('select title from pull_request order by number')).map(({ title }) => title);

describe('a hint of a host', () => {
  it('of a process that died is handled by another process, after its lease has ended', async () => {
    await using w = await world({ runsCi: false });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await retitle(w, number, 'Another title');
    const now = new Date();
    const { query } = w.ctx.db.system;
    const hint = {
      accountId: w.ctx.accountId,
      repositoryId: w.repositoryId,
      kind: 'pull_request',
      subject: String(number),
      dueAt: now,
    } as const;
    const taken = await storeHints(query, [hint], { owner: 'dead', now, until: new Date(now.getTime() + 60_000) });
    expect(taken).toMatchObject([{ kind: 'pull_request', subject: String(number) }]);
    await w.service.drain();
    expect(await titles(w)).toEqual(['Add a']);
    expect(await hints(w)).toEqual([{ kind: 'pull_request', subject: String(number), isTaken: true }]);
    await w.rows("update host_hint set leased_until = now() - interval '1 second'");
    await w.service.drain();
    expect(await titles(w)).toEqual(['Another title']);
    expect(await hints(w)).toEqual([]);
  });

  it('keeps its lease while it is handled, and is released at most ten seconds after its process was killed', async () => {
    await using w = await world({ runsCi: false });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await retitle(w, number, 'Another title');
    const entered = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    // Ends the call even if an expectation fails, so that the world can end.
    using _release = { [Symbol.dispose]: () => held.resolve() };
    replaceHostMethod(w, 'getPullRequest', (original) => async (...of) => {
      entered.resolve();
      await held.promise;
      return await original(...of);
    });
    const inbox = createHostInbox(() => w.service.ports);
    inbox.receive(event(w, number));
    await entered.promise;
    const readLease = async (): Promise<{ until: Date; seconds: number }> => {
      const [lease] = await w.rows<{ until: Date; seconds: number }>(
        'select leased_until as until, extract(epoch from leased_until - now())::float8 as seconds from host_hint',
      );
      if (lease === undefined) throw new Error('The hint has no row.');
      return lease;
    };
    const first = await readLease();
    // If a process is killed, the hints of its repository wait for this time.
    expect(first.seconds).toBeLessThanOrEqual(10);
    await expect.poll(async () => (await readLease()).until.getTime()).toBeGreaterThan(first.until.getTime());
    held.resolve();
    await inbox.drain();
    expect(await titles(w)).toEqual(['Another title']);
    expect(await hints(w)).toEqual([]);
  });

  it('stays stored while the host asks to wait, and the wait does not count as a failure', async () => {
    await using w = await world({ runsCi: false });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await retitle(w, number, 'Another title');
    let isAway = true;
    let asked = 0;
    replaceHostMethod(w, 'getPullRequest', (original) => async (...of) => {
      asked += 1;
      if (isAway) throw new HostUnavailable('Wait.', { retryAt: Date.now() + 3_600_000 });
      return await original(...of);
    });
    for (let times = 0; times < 6; times += 1) {
      w.service.localHost.installation.emit(event(w, number));
      await w.service.drain();
    }
    expect(asked).toBe(6);
    expect(await hints(w)).toEqual([{ kind: 'pull_request', subject: String(number), isTaken: null }]);
    await w.service.drain();
    expect(asked).toBe(6);
    isAway = false;
    await w.rows("update host_hint set due_at = now() - interval '1 second'");
    await w.service.drain();
    expect(await titles(w)).toEqual(['Another title']);
  });

  it('is taken together with up to 15 others of its repository, and hints of checks go before slightly older hints', async () => {
    // No service runs, because its inbox would take the hints.
    const w = await openWorld();
    onTestFinished(async () => await w.close());
    const { query } = w.db.system;
    const accountId = await w.account();
    const repositoryId = await w.repository(accountId);
    const now = new Date();
    const hint = (kind: 'pull_request' | 'checks', subject: string, secondsAgo: number) => ({
      accountId,
      repositoryId,
      kind,
      subject,
      dueAt: new Date(now.getTime() - secondsAgo * 1_000),
    });
    const numbers = Array.from({ length: 30 }, (_, index) => String(index + 10));
    await storeHints(query, [
      hint('checks', 'a', 0),
      ...numbers.map((number) => hint('pull_request', number, 20)),
      hint('pull_request', '40', 40),
    ]);
    const take = async (owner: string): Promise<string[]> => {
      const taken = await takeDueHints(query, { owner, now, until: new Date(now.getTime() + 60_000) });
      return taken.map(({ subject }) => subject).toSorted();
    };
    expect(await take('one')).toEqual(['40', 'a', ...numbers.slice(0, 14)].toSorted());
    // One process already handles hints of this repository.
    expect(await take('other')).toEqual([]);
    await w.owner.query('delete from host_hint where leased_until is not null');
    expect(await take('other')).toEqual(numbers.slice(14).toSorted());
  });

  it('joins a waiting hint of the same subject, and is handled once more if it arrives while that hint is handled', async () => {
    await using w = await world({ runsCi: false });
    const numbers = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    // Drains the inbox of the service, which may still handle the same hints.
    await w.service.drain();
    const inbox = createHostInbox(() => w.service.ports);
    const read: number[] = [];
    let atOnce = 0;
    let most = 0;
    const entered = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    // Ends the call even if an expectation fails, so that the world can end.
    using _release = { [Symbol.dispose]: () => held.resolve() };
    replaceHostMethod(w, 'getPullRequest', (original) => async (repository, number) => {
      read.push(number);
      most = Math.max(most, (atOnce += 1));
      entered.resolve();
      await held.promise;
      const seen = await original(repository, number);
      atOnce -= 1;
      return seen;
    });
    for (let times = 0; times < 20; times += 1) for (const number of numbers) inbox.receive(event(w, number));
    await entered.promise;
    for (let times = 0; times < 20; times += 1) inbox.receive(event(w, numbers[0] ?? 0));
    await expect.poll(async () => await w.rows('select 1 from host_hint where again_at is not null')).toHaveLength(1);
    held.resolve();
    await inbox.drain();
    expect(read).toEqual([...numbers, numbers[0]]);
    expect(most).toBe(1);
    expect(await hints(w)).toEqual([]);
  });
});
