// Changes between the plan of a landing and its gate, or while the host carries out a call.
import { describe, expect, it } from 'vitest';
import { HostUnavailable, toHostedRepository } from '../../src/hosts/port.ts';
import type { LocalHost } from '../../src/hosts/local/index.ts';
import { advanceQueue, driveBatch, syncPullRequest } from '../../src/modules/queue/index.ts';
import { loadRepository } from '../../src/modules/repositories/index.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { parallel, world } from '../support/world.ts';
import { atRest, judgedByBuildsAlone, meanwhile, retarget, statuses, wakeAll } from './stories.ts';

describe('between the plan of a landing and its gate', () => {
  it('a pull request that becomes stacked on another one does not land before it', async () => {
    await using w = await world({
      configuration: `${parallel()}auto_detect_stacks: true\n`,
    });
    const below = await w.open('below', { 'below.txt': '1\n' });
    const above = await w.open('above', { 'above.txt': '1\n' }, { from: 'origin/below' });
    await w.queue(above);
    await meanwhile(
      'landing:before_gate',
      async () => await retarget(w, above, 'below'),
      async () => await w.until(async () => (await w.status(above)).status === 'pending'),
    );
    expect((await w.status(above)).status_text).toBe(`It is stacked on #${below}, which nobody has asked to merge.`);
    expect(await w.landed()).toEqual([]);
    await w.queue(above);
    await w.settled(below, above);
    expect(await statuses(w, below, above)).toEqual(['merged', 'merged']);
  });
});

describe('a head that the host does not show yet', () => {
  it('keeps a pull request without own required checks from landing, and no landing is planned meanwhile', async () => {
    await using w = await world({ configuration: `${parallel()}${judgedByBuildsAlone}` });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const older = await w.git('rev-parse', 'main');
    const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
    const getPullRequest = host.getPullRequest.bind(host);
    const repository = toHostedRepository(await loadRepository(w.ctx, w.repository));
    let isLate = false;
    const show = async (): Promise<void> => {
      isLate = false;
      await syncPullRequest(w.ctx, repository, number);
    };
    host.getPullRequest = async (...args) => {
      const seen = await getPullRequest(...args);
      return seen !== null && isLate ? { ...seen, headSha: older } : seen;
    };
    let plannedBefore = 0;
    let plannedWhileLate = 0;
    const disarm = onFailpoint('landing:before_gate', async () => {
      if (isLate) {
        plannedWhileLate += 1;
        await show();
      } else if (plannedBefore === 0) {
        isLate = true;
        await syncPullRequest(w.ctx, repository, number);
      }
      plannedBefore += 1;
    });
    try {
      await w.queue(number);
      await w.until(
        async () =>
          (await w.rows("select 1 from intent where kind = 'land' and state = 'void'")).length > 0 ||
          plannedWhileLate > 0,
      );
      expect(plannedWhileLate).toBe(0);
      await show();
      await w.settled(number);
    } finally {
      disarm();
    }
    expect(await statuses(w, number)).toEqual(['merged']);
  });
});

describe('after a landing', () => {
  it('a branch that could not be deleted because the host was away is deleted later', async () => {
    await using w = await world({
      configuration: `${parallel()}delete_branch: true\n`,
    });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const host = w.service.localHost as {
      -readonly [Key in keyof LocalHost]: LocalHost[Key];
    };
    const updateRefs = host.updateRefs.bind(host);
    let isAway = true;
    host.updateRefs = async (repository, updates) => {
      if (isAway && updates.some(({ ref, to }) => ref === 'refs/heads/a' && to === null)) {
        isAway = false;
        throw new HostUnavailable('away');
      }
      await updateRefs(repository, updates);
    };
    await w.queue(number);
    await expect(atRest(w)).rejects.toThrow('away');
    // The relay would wake the queue as long as an intent is open.
    await w.until(async () => {
      await wakeAll(w);
      return (await w.git('branch', '--list', 'a')) === '';
    });
    expect(await statuses(w, number)).toEqual(['merged']);
  });
});

describe('a final gate', () => {
  it('stops if its batch ends while the host starts the gate', async () => {
    await using w = await world({
      configuration: `${parallel()}final_gates:\n  - {workflow: slow, timeout_mins: 5}\n`,
      ci: "checks:\n  test: {run: 'true'}\nworkflows:\n  slow: {run: 'sleep 600'}\n",
    });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    await meanwhile(
      'gate:after_host',
      async () => {
        await w.dequeue(number);
        const [batch] = await w.batches();
        const queueId = (await w.rows<{ id: string }>('select id from queue'))[0]?.id ?? '';
        await advanceQueue(w.ctx, queueId);
        await driveBatch(w.ctx, batch?.id ?? '');
      },
      async () => await w.until(async () => (await w.rows('select 1 from gate_run')).length > 0),
    );
    await w.until(
      async () =>
        (await w.rows("select 1 from local_check_run where dispatch_key is not null and state <> 'completed'"))
          .length === 0,
    );
    expect(await w.rows('select conclusion from local_check_run where dispatch_key is not null')).toEqual([
      { conclusion: 'cancelled' },
    ]);
    expect(await w.rows('select state from gate_run')).toEqual([{ state: 'failed' }]);
    expect(await w.landed()).toEqual([]);
  });
});

describe('a bot pull request', () => {
  it('is closed, and so is its row, if its batch was cleaned up before the row was written', async () => {
    await using w = await world({ configuration: parallel(), ci: "checks:\n  test: {run: 'sleep 600'}\n" });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    await meanwhile(
      'build:after_open',
      async () => {
        await w.dequeue(number);
        const [batch] = await w.batches();
        await advanceQueue(w.ctx, (await w.rows<{ id: string }>('select id from queue'))[0]?.id ?? '');
        expect((await driveBatch(w.ctx, batch?.id ?? '')).need).toBe('done');
      },
      async () => await w.until(async () => (await w.rows('select 1 from bot_pull_request')).length > 0),
    );
    await wakeAll(w);
    await atRest(w);
    expect(await w.rows("select state from local_pull_request where head_branch like 'mq-bot-%'")).toEqual([
      { state: 'closed' },
    ]);
    expect(await w.rows('select 1 from bot_pull_request where closed_at is null')).toEqual([]);
  });
});
