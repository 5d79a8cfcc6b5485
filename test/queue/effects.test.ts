// The effects of a turn at the host: how many one turn has, which go first, and that a failed effect does not stop the
// queue.
import { describe, expect, it } from 'vitest';
import type { Wake } from '../../src/context.ts';
import { CallGivenBack, HostUnavailable } from '../../src/hosts/port.ts';
import type { LocalHost } from '../../src/hosts/local/index.ts';
import { advanceQueue, carryOut, createRelay, requestSync } from '../../src/modules/queue/index.ts';
import { planBranchWork } from '../../src/modules/queue/planning/branch-work.ts';
import type { PullRequestRow } from '../../src/modules/queue/store/queue.entities.ts';
import { effectsOf, hasMoreNotifications, type OpenIntent } from '../../src/modules/queue/planning/open-work.ts';
import { parallel, world, type World } from '../support/world.ts';
import { meanwhile, statuses, wakeAll } from './stories.ts';

const quiet = 'enable_comments: false\npublish_status_check: never\n';

async function queueOf(w: World): Promise<string> {
  const [queue] = await w.rows<{ id: string }>("select id from queue where base_branch = 'main'");
  return queue?.id ?? '';
}

/** Makes all notifications due now. */
async function atOnce(w: World): Promise<void> {
  // Drains the inbox first, because events of the host may plan notifications.
  await w.service.drain();
  await w.rows('update pull_request set notify_at = now() where notify_at is not null');
}

const toMain = { baseBranch: 'main', isLocal: true };

describe('effects of a turn', () => {
  const intent = (id: number, of: Partial<OpenIntent> = {}): OpenIntent => ({
    id: String(id),
    kind: 'label',
    attempt: 0,
    numbers: [id],
    ...of,
  });
  const many = Array.from({ length: 200 }, (_, n) => intent(n + 1));

  it('are a landing alone, or at most 80 notifications, so that the next landing does not wait long', () => {
    const effects = effectsOf([...many, intent(300, { kind: 'land' })], toMain);
    expect(effects.map(({ title }) => title)).toEqual(['Land #300 on main']);
    expect(effectsOf(many, toMain).map(({ intents }) => intents.length)).toEqual([80]);
    expect(hasMoreNotifications(many)).toBe(true);
    expect(hasMoreNotifications(many.slice(0, 79))).toBe(false);
  });

  it('are quick if they are the first attempt of a landing at a host on this machine', () => {
    const quick = (of: Partial<OpenIntent>, isLocal = true): boolean[] =>
      effectsOf([intent(1, of)], { baseBranch: 'main', isLocal }).map(({ isQuickLanding }) => isQuickLanding);
    expect(quick({ kind: 'land' })).toEqual([true]);
    expect(quick({ kind: 'land' }, false)).toEqual([false]);
    expect(quick({ kind: 'land', attempt: 1 })).toEqual([false]);
    expect(quick({ kind: 'label' })).toEqual([false]);
  });

  it('begin with intents that the queue waits for, and end with intents that have failed', () => {
    const open = [...many.slice(0, 100).map((each) => ({ ...each, attempt: 3 })), intent(400, { kind: 'read_checks' })];
    expect(effectsOf([...many, intent(400, { kind: 'run_gate' })], toMain)[0]?.intents[0]).toBe('400');
    expect(effectsOf([...open, intent(500)], toMain)[0]?.intents.slice(0, 2)).toEqual(['400', '500']);
    expect(hasMoreNotifications(open), 'in vain again and again').toBe(false);
  });

  it('are a landing and notifications, if the landing has been tried before', () => {
    const effects = effectsOf([...many, intent(300, { kind: 'land', attempt: 1 })], toMain);
    expect(effects.map(({ intents, isNotification }) => [intents.length, isNotification])).toEqual([
      [1, false],
      [80, true],
    ]);
  });

  it('notify all waiting pull requests together, when the first notification is due', async () => {
    await using w = await world({ configuration: parallel(), runsCi: false });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.service.drain();
    await w.rows('update pull_request set notify_at = now() where number = $1', [a]);
    await w.rows("update pull_request set notify_at = now() + interval '1 hour' where number = $1", [b]);
    const { effects } = await advanceQueue(w.ctx, await queueOf(w));
    expect(effects.map(({ title }) => title)).toEqual([`At the host: publish the status of #${a} #${b}`]);
    expect(await w.rows('select 1 from pull_request where notify_at is not null')).toEqual([]);
  });

  it('are empty, without a deadline, if notifications are switched off', async () => {
    await using w = await world({ configuration: `${parallel()}${quiet}`, runsCi: false });
    await w.open('a', { 'a.txt': 'a\n' });
    await w.service.drain();
    await w.rows("update pull_request set notify_at = now() + interval '1 hour'");
    expect(await advanceQueue(w.ctx, await queueOf(w))).toMatchObject({ effects: [], nextLookAt: null });
    expect(await w.rows('select 1 from queue where next_look_at is not null')).toEqual([]);
  });

  it('that have failed are tried again in a later turn', async () => {
    await using w = await world({ configuration: parallel(), runsCi: false });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await atOnce(w);
    const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
    const upsertComment = host.upsertComment.bind(host);
    host.upsertComment = async () => {
      throw new HostUnavailable('away');
    };
    const { effects } = await advanceQueue(w.ctx, await queueOf(w));
    for (const id of effects.flatMap(({ intents }) => intents))
      await carryOut(w.ctx, id).catch((error: unknown) => expect(error).toBeInstanceOf(HostUnavailable));
    expect(await w.rows("select attempt from intent where kind = 'comment'")).toEqual([{ attempt: 1 }]);
    host.upsertComment = upsertComment;
    await w.until(async () => /Not queued/.test((await w.statusComment(a)) ?? ''));
  });

  it('that a stop gave back do not count as tried, and are made at once by another process', async () => {
    await using w = await world({ configuration: parallel(), runsCi: false });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await atOnce(w);
    const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
    const upsertComment = host.upsertComment.bind(host);
    host.upsertComment = async () => {
      throw new CallGivenBack();
    };
    const { effects } = await advanceQueue(w.ctx, await queueOf(w));
    for (const id of effects.flatMap(({ intents }) => intents))
      await carryOut(w.ctx, id).catch((error: unknown) => expect(error).toBeInstanceOf(CallGivenBack));
    expect(await w.rows("select attempt, next_try_at from intent where kind = 'comment'")).toEqual([
      { attempt: 0, next_try_at: null },
    ]);
    host.upsertComment = upsertComment;
    await w.until(async () => /Not queued/.test((await w.statusComment(a)) ?? ''));
  });

  it('wait until the host takes requests again, if the host has said when', async () => {
    await using w = await world({ configuration: parallel(), runsCi: false });
    await w.open('a', { 'a.txt': 'a\n' });
    await atOnce(w);
    const retryAt = Date.now() + 3_600_000;
    const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
    host.upsertComment = async () => {
      throw new HostUnavailable('too many requests', { retryAt });
    };
    const { effects } = await advanceQueue(w.ctx, await queueOf(w));
    for (const id of effects.flatMap(({ intents }) => intents))
      await carryOut(w.ctx, id).catch((error: unknown) => expect(error).toBeInstanceOf(HostUnavailable));
    const [comment] = await w.rows<{ next_try_at: Date }>("select next_try_at from intent where kind = 'comment'");
    expect(comment?.next_try_at.getTime()).toBeGreaterThanOrEqual(retryAt);
    expect(comment?.next_try_at.getTime()).toBeLessThan(retryAt + 60_000);
  });
});

describe('a notification that always fails', () => {
  it('is tried less and less often, ends after 20 tries with an event, and a newer notification is sent', async () => {
    await using w = await world({ configuration: `${parallel()}publish_status_check: never\n`, runsCi: false });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
    const upsertComment = host.upsertComment.bind(host);
    let tries = 0;
    host.upsertComment = async () => {
      tries += 1;
      throw new Error('a surprise');
    };
    let now = Date.now() + 60_000;
    /** Runs the turns that the relay would start `ms` later. */
    const turnsAfter = async (ms: number): Promise<void> => {
      now += ms;
      await w.loop.run({ ...w.service.ports, clock: () => new Date(now) }).catch(() => {});
    };
    await turnsAfter(0);
    await turnsAfter(500);
    expect(tries, 'not before its time').toBe(1);
    for (let n = 0; n < 25; n += 1) await turnsAfter(30 * 60_000);
    expect(tries).toBe(20);
    expect(await w.rows("select state from intent where kind = 'comment'")).toEqual([{ state: 'failed' }]);
    expect(await w.rows("select payload from event where action = 'notification_failed'")).toEqual([
      { payload: { number, kind: 'comment', reason: 'a surprise', tries: 20 } },
    ]);
    host.upsertComment = upsertComment;
    await w.queue(number);
    await turnsAfter(60_000);
    expect(await w.statusComment(number)).toContain('It is in line to merge');
  });
});

describe('a sync before a requeue', () => {
  /**
   * Queues a pull request with an open sync, so that nothing is built until the sync has ended. `tryOften` tries the
   * sync 25 times while the host fails with `error`.
   */
  async function held(
    w: World,
    error: Error,
  ): Promise<{ number: number; intentId: string; tryOften: () => Promise<void> }> {
    const number = await w.open('a', { 'a.txt': 'a\n' });
    const queueId = await queueOf(w);
    await w.pause(true);
    await w.queue(number);
    const [row] = await w.rows<{ id: string }>(
      `insert into intent (account_id, queue_id, pull_request_id, kind, key, payload, planned_at)
       select account_id, queue_id, id, 'sync', id::text, '{"cause": "requeue", "holdsLine": true}', now() from pull_request where number = $1 returning id`,
      [number],
    );
    const intentId = row?.id ?? '';
    const host = w.service.localHost as { -readonly [Key in keyof LocalHost]: LocalHost[Key] };
    const readRef = host.readRef.bind(host);
    const tryOften = async (): Promise<void> => {
      host.readRef = async () => {
        throw error;
      };
      // These turns fail, and so use up earlier wakes.
      for (let n = 0; n < 3; n += 1) await w.loop.run(w.service.ports).catch(() => {});
      for (let n = 0; n < 25; n += 1)
        await carryOut(w.ctx, intentId).catch((failure: unknown) => expect(failure).toBe(error));
      host.readRef = readRef;
    };
    await w.pause(false);
    expect((await advanceQueue(w.ctx, queueId)).batches).toEqual([]);
    return { number, intentId, tryOften };
  }

  it('wakes the line behind it when it is given up', async () => {
    await using w = await world({
      configuration: `${parallel({ more: 'update_before_requeue: true\n' })}${quiet}`,
    });
    const { number, intentId, tryOften } = await held(w, new Error('a surprise'));
    await tryOften();
    expect(await w.rows('select state from intent where id = $1', [intentId])).toEqual([{ state: 'failed' }]);
    await w.settled(number);
    expect(await statuses(w, number)).toEqual(['merged']);
  });

  it('holds the line no longer than a minute, if a worker of the last release carries it out and dies before it wakes the queue', async () => {
    await using w = await world({
      configuration: `${parallel({ more: 'update_before_requeue: true\n' })}${quiet}`,
    });
    const { intentId } = await held(w, new Error('a surprise'));
    // A worker of the last release writes the end without a new version of the queue.
    await w.rows("update intent set state = 'done', concluded_at = now() where id = $1", [intentId]);
    const woken: unknown[] = [];
    const relay = createRelay({
      ...w.service.ports,
      clock: () => new Date(Date.now() + 61_000),
      wake: async (whose) => void woken.push(whose),
    });
    await relay.look();
    expect(woken).toEqual([{ accountId: w.ctx.accountId, queueId: await queueOf(w) }]);
  });

  it.each(['has nothing to update', 'updates the branch'])(
    'wakes the queue once at its end if it %s, and the relay finds the queue if the worker dies before the wake',
    async (outcome) => {
      await using w = await world({
        configuration: `${parallel({ more: 'update_before_requeue: true\n' })}${quiet}`,
        // Results of CI would cause further turns.
        runsCi: false,
      });
      const { intentId } = await held(w, new Error('a surprise'));
      const queueId = await queueOf(w);
      if (outcome === 'updates the branch') {
        await w.commit('main', { 'b.txt': 'b\n' });
      }
      await w.service.drain();
      await advanceQueue(w.ctx, queueId);
      const versions = 'select version = planned_version as "isPlanned", next_look_at <= now() as "isDue" from queue';
      expect(await w.rows(versions), 'the queue waits').toEqual([{ isPlanned: true, isDue: false }]);
      const wakes: Wake[] = [];
      const wake = async (whose: Wake): Promise<void> => void wakes.push(whose);
      await meanwhile(
        'sync:before_end',
        async () => {
          await advanceQueue(w.ctx, queueId);
          wakes.length = 0;
        },
        async () => await carryOut({ ...w.ctx, wake }, intentId),
      );
      const whose = { accountId: w.ctx.accountId, queueId };
      expect(wakes).toEqual([whose]);
      const relay = createRelay({ ...w.service.ports, wake });
      await relay.look();
      await relay.look();
      expect(wakes).toEqual([whose, whose]);
      await wakeAll(w);
      await w.until(async () => (await w.rows('select 1 from batch')).length > 0);
    },
  );

  it('still holds the line after a person asks for a sync', async () => {
    await using w = await world({
      configuration: `${parallel({ more: 'update_before_requeue: true\n' })}${quiet}`,
    });
    const { number, intentId } = await held(w, new Error('a surprise'));
    await requestSync(w.ctx, { repository: w.repository, number });
    expect((await advanceQueue(w.ctx, await queueOf(w))).batches).toEqual([]);
    const [row] = await w.rows<PullRequestRow>('select id, queue_id as "queueId" from pull_request');
    if (row === undefined) throw new Error('There is no pull request.');
    const again = {
      kind: 'sync',
      pullRequest: row,
      payload: { cause: 'requeue', holdsLine: true },
      again: true,
    } as const;
    await w.ctx.db.transaction(w.ctx.accountId, async (tx) => await planBranchWork(w.ctx, tx, again));
    const [intent] = await w.rows("select payload->>'cause' as cause from intent where id = $1", [intentId]);
    expect(intent, 'the person is informed of a failure').toEqual({ cause: 'asked' });
    await wakeAll(w);
    await w.settled(number);
    expect(await statuses(w, number)).toEqual(['merged']);
    expect(await w.rows('select state from intent where id = $1', [intentId])).toEqual([{ state: 'done' }]);
  });

  it('is not given up while the host is unavailable', async () => {
    await using w = await world({
      configuration: `${parallel({ more: 'update_before_requeue: true\n' })}${quiet}`,
    });
    const { number, intentId, tryOften } = await held(w, new HostUnavailable('away'));
    await tryOften();
    expect(await w.rows('select state from intent where id = $1', [intentId])).toEqual([{ state: 'started' }]);
    await wakeAll(w);
    await w.settled(number);
    expect(await w.rows('select state from intent where id = $1', [intentId])).toEqual([{ state: 'done' }]);
    expect(await statuses(w, number)).toEqual(['merged']);
  });
});
