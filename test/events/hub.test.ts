import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createEventHub,
  createSequencer,
  type EventHub,
  eventRetention,
  type Sequencer,
  sequenceEvents,
  SlowReaderError,
} from '../../src/modules/events/index.ts';
import type { Database } from '../../src/platform/database.ts';
import { log, openWorld, pollOptions, serialsOf, takeEvents, terminate, numbersUpTo, type World } from './world.ts';
import { forget } from '../support/forget.ts';

const never = 3_600_000;
let world: World;
let sequencer: Sequencer;
let hub: EventHub;
let accountId: string;
let subject: { accountId: string; repositoryId: string };

beforeEach(async () => {
  world = await openWorld(() => sequencer.nudge());
  sequencer = createSequencer({ db: world.db, log, intervalMs: 50, coalesceMs: 1 });
  sequencer.start();
  hub = createEventHub({ db: world.db, log, recheckMs: never });
  accountId = await world.account();
  subject = { accountId, repositoryId: await world.repository(accountId) };
});
afterEach(async () => {
  await hub.close();
  await sequencer.stop();
  await world.close();
});

/** Resolves when every event written so far has its position. */
async function sequenced(): Promise<void> {
  await expect
    .poll(async () => (await world.owner.query('select from event where position is null')).rows.length, pollOptions)
    .toBe(0);
}

async function write(events: number, each = 1): Promise<void> {
  for (let written = 0; written < events; written += each) await world.write(subject, Math.min(each, events - written));
}

describe('event streams', () => {
  test('of two processes see every event of their account, in order', async () => {
    const other = createEventHub({ db: await world.connect(), log, recheckMs: never });
    const streams = [hub, hub, other, other].map((of) => of.follow({ accountId }));
    await Promise.all(streams.map((stream) => stream.started));
    const seen = Promise.all(streams.map((stream) => takeEvents(stream, 300)));
    await Promise.all([write(100, 7), write(100, 3), write(100)]);
    for (const events of await seen) {
      expect(serialsOf(events)).toEqual(numbersUpTo(300));
      expect(events.map((event) => event.cursor)).toEqual(numbersUpTo(300).map((position) => `1.${position}`));
    }
    await other.close();
  });

  test('return all fields of an event', async () => {
    const stream = hub.follow({ accountId });
    await stream.started;
    await write(1);
    expect(await takeEvents(stream, 1)).toEqual([
      {
        cursor: '1.1',
        action: 'queued',
        at: expect.any(Date),
        actor: 'interlock',
        repositoryId: subject.repositoryId,
        queueId: null,
        pullRequestId: null,
        batchId: null,
        candidateId: null,
        environmentId: null,
        deploymentId: null,
        runbookId: null,
        verificationId: null,
        registrationId: null,
        payload: { serial: 1 },
      },
    ]);
  });

  test('that start after the last cursor continue without a gap, while events are written', async () => {
    const writing = write(400, 4);
    let after = '1.0';
    const seen: unknown[] = [];
    while (seen.length < 400) {
      const stream = hub.follow({ accountId, after });
      const events = await takeEvents(stream, Math.min(37, 400 - seen.length));
      await stream.return?.();
      seen.push(...serialsOf(events));
      after = events.at(-1)?.cursor ?? after;
    }
    await writing;
    expect(seen).toEqual(numbersUpTo(400));
  });

  test('without a cursor start with the next event', async () => {
    await write(3);
    await sequenced();
    const stream = hub.follow({ accountId });
    expect(await stream.started).toBe('1.3');
    await write(1);
    expect(serialsOf(await takeEvents(stream, 1))).toEqual([4]);
  });

  test('that follow after an earlier head miss no event that was written since', async () => {
    await write(2);
    await sequenced();
    const head = await hub.head(accountId);
    await write(2);
    await sequenced();
    expect(serialsOf(await takeEvents(hub.follow({ accountId, after: head }), 2))).toEqual([3, 4]);
  });

  test('return only the events that match, and other events do not hold them up', async () => {
    const isEven = (event: { payload: Readonly<Record<string, unknown>> }): boolean =>
      Number(event.payload.serial) % 2 === 0;
    const stream = hub.follow({ accountId, after: '1.0', matches: isEven });
    await write(2_100, 700);
    expect(serialsOf(await takeEvents(stream, 1_050))).toEqual(numbersUpTo(1_050).map((n) => 2 * n));
  });

  test('never return events of another account, neither live nor from the log', async () => {
    const otherAccount = await world.account();
    const other = { accountId: otherAccount, repositoryId: await world.repository(otherAccount) };
    const stream = hub.follow({ accountId, after: '1.0' });
    const live = hub.follow({ accountId });
    await live.started;
    const first = [takeEvents(stream, 1), takeEvents(live, 1)];
    await world.write(other, 5);
    await write(1);
    for (const events of await Promise.all(first))
      expect(events.map((event) => event.repositoryId)).toEqual([subject.repositoryId]);
    expect(await hub.head(accountId)).toBe('1.1');
    expect(await hub.head(otherAccount)).toBe('1.5');
  });

  test('of one account share one read for each notification', async () => {
    let reads = 0;
    const counted: Database = {
      ...world.db,
      read: async (account, statement) => (reads++, await world.db.read(account, statement)),
    };
    const counting = createEventHub({ db: counted, log, recheckMs: never });
    const streams = numbersUpTo(50).map(() => counting.follow({ accountId, after: '1.0' }));
    const first = Promise.all(streams.map((stream) => takeEvents(stream, 1)));
    await write(1);
    await first;
    const second = streams.map((stream) => takeEvents(stream, 1));
    await Promise.all([write(1), ...second]);
    const before = reads;
    const third = streams.map((stream) => takeEvents(stream, 1));
    await Promise.all([write(1), ...third]);
    expect(reads - before).toBe(1);
    const [one, two] = await Promise.all(third);
    expect(one?.[0], 'and share it').toBe(two?.[0]);
    await counting.close();
  });

  test('of several accounts share one read for each notification, and each gets the events of its own account', async () => {
    await sequencer.stop();
    const others = [await world.account(), await world.account()];
    const subjects = [
      subject,
      ...(await Promise.all(others.map(async (id) => ({ accountId: id, repositoryId: await world.repository(id) })))),
    ];
    const texts: string[] = [];
    const { db } = world;
    const query: Database['system']['query'] = async (text, values) => {
      texts.push(text);
      return await db.system.query(text, values);
    };
    const counting = createEventHub({ db: { ...db, system: { ...db.system, query } }, log, recheckMs: never });
    const streams = subjects.map((of) => counting.follow({ accountId: of.accountId }));
    await Promise.all(streams.map((stream) => stream.started));
    // The first events make all streams live, and are read by each account.
    for (const round of [1, 2]) {
      const taken = streams.map((stream, at) => takeEvents(stream, at + 1));
      for (const [at, of] of subjects.entries()) await world.write(of, at + 1);
      texts.length = 0;
      await sequenceEvents(db);
      const events = await Promise.all(taken);
      expect(events.map((each) => new Set(each.map(({ repositoryId }) => repositoryId)))).toEqual(
        subjects.map(({ repositoryId }) => new Set([repositoryId])),
      );
      expect(events.map(serialsOf)).toEqual(
        subjects.map((_, at) => numbersUpTo(at + 1).map((n) => (round - 1) * (at + 1) + n)),
      );
    }
    expect(texts.filter((text) => text.includes('event'))).toHaveLength(1);
    await counting.close();
  });
});

describe('a stream that is read slowly', () => {
  test('is ended with its cursor, and a new stream after this cursor misses no event', async () => {
    const slow = hub.follow({ accountId });
    const quick = hub.follow({ accountId });
    await Promise.all([slow.started, quick.started]);
    await Promise.all([takeEvents(slow, 1), takeEvents(quick, 1), write(1)]);
    // Each event is offered to all live streams in the same order. So when the quick stream has an event, the slow
    // stream was offered it too.
    await Promise.all([takeEvents(quick, 1_200), write(1_200, 600)]);
    const error = await slow.next().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(SlowReaderError);
    expect(error).toMatchObject({ code: 'RATE_LIMITED', cursor: '1.1' });
    expect(await slow.next()).toEqual({ done: true, value: undefined });
    expect(serialsOf(await takeEvents(hub.follow({ accountId, after: '1.1' }), 1_200))).toEqual(numbersUpTo(1_201, 2));
  });

  test('that is far behind can be read slowly', async () => {
    await write(3_000, 1_000);
    await sequenced();
    const stream = hub.follow({ accountId, after: '1.0' });
    expect(serialsOf(await takeEvents(stream, 1_234))).toEqual(numbersUpTo(1_234));
    await write(1_500, 750);
    await sequenced();
    expect(serialsOf(await takeEvents(stream, 4_500 - 1_234))).toEqual(numbersUpTo(4_500, 1_235));
  });
});

describe('the event hub', () => {
  test('reads again after its listening connection was dropped', async () => {
    const stream = hub.follow({ accountId, after: '1.0' });
    await Promise.all([write(1), takeEvents(stream, 1)]);
    expect(await terminate(world, 'interlock-listen')).toBe(1);
    await write(3);
    expect(serialsOf(await takeEvents(stream, 3))).toEqual([2, 3, 4]);
    await Promise.all([write(1), takeEvents(stream, 1)]);
  });

  test('finds events without a notification', async () => {
    const deaf: Database = { ...world.db, system: { ...world.db.system, listen: async () => async () => {} } };
    const unnotified = createEventHub({ db: deaf, log, recheckMs: 20 });
    const stream = unnotified.follow({ accountId });
    await stream.started;
    for (const serial of numbersUpTo(3)) {
      await write(1);
      expect(serialsOf(await takeEvents(stream, 1))).toEqual([serial]);
    }
    await unnotified.close();
  });

  test('tries to listen again for the next stream after listening failed', async () => {
    let attempts = 0;
    const failing: Database = {
      ...world.db,
      system: {
        ...world.db.system,
        listen: async (...given) => {
          if (attempts++ === 0) throw new Error('the database is away');
          return await world.db.system.listen(...given);
        },
      },
    };
    const second = createEventHub({ db: failing, log, recheckMs: never });
    await expect(second.follow({ accountId }).started).rejects.toThrow('the database is away');
    expect(await second.follow({ accountId }).started).toBe('1.0');
    await second.close();
  });

  test('ends a waiting stream if its signal aborts, if it returns, and if the hub closes', async () => {
    const abort = new AbortController();
    const aborted = hub.follow({ accountId, signal: abort.signal });
    const returned = hub.follow({ accountId });
    const closed = hub.follow({ accountId });
    const waiting = [aborted, returned, closed].map((stream) => stream.next());
    await Promise.all([aborted.started, returned.started, closed.started]);
    abort.abort();
    await returned.return?.();
    await hub.close();
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 3 }, () => ({ done: true, value: undefined })));
    expect(await hub.follow({ accountId, signal: abort.signal }).next()).toEqual({ done: true, value: undefined });
  });
});

describe('a cursor', () => {
  test.each(['', '1', '1.', '.1', '1.-1', '1.1.1', 'x.1', '01.1', '1.01', '0.1', '1.9999999999999999999', ' 1.1'])(
    '%j is refused as bad input',
    async (after) => {
      const stream = hub.follow({ accountId, after });
      await expect(stream.started).rejects.toMatchObject({ code: 'BAD_INPUT', field: 'after' });
      await expect(stream.next()).rejects.toMatchObject({ code: 'BAD_INPUT', field: 'after' });
    },
  );

  test.each([
    ['of another epoch', '2.1'],
    ['ahead of the log', '1.3'],
  ])('%s has expired', async (_, after) => {
    await write(2);
    await sequenced();
    await expect(hub.follow({ accountId, after }).started).rejects.toMatchObject({
      code: 'CURSOR_EXPIRED',
      message: expect.stringContaining('1.0'),
    });
  });

  test('expires when the events after it are deleted; the error names the oldest cursor that works', async () => {
    await write(10);
    await sequenced();
    await world.owner.query(`update event set at = now() - interval '401 days' where position <= 4`);
    expect(await forget(world.db, eventRetention)).toBe(4);
    await expect(hub.follow({ accountId, after: '1.3' }).started).rejects.toMatchObject({
      code: 'CURSOR_EXPIRED',
      message: expect.stringContaining('1.4'),
    });
    expect(serialsOf(await takeEvents(hub.follow({ accountId, after: '1.4' }), 6))).toEqual(numbersUpTo(10, 5));
  });

  test('expires while its stream is read, if events that the stream has not read yet are deleted', async () => {
    await write(600, 600);
    await sequenced();
    const stream = hub.follow({ accountId, after: '1.0' });
    await takeEvents(stream, 500);
    await world.owner.query(`update event set at = now() - interval '401 days' where position <= 550`);
    await forget(world.db, eventRetention);
    await expect(stream.next()).rejects.toMatchObject({
      code: 'CURSOR_EXPIRED',
      message: expect.stringContaining('1.550'),
    });
  });

  test('of a live stream expires when the database is restored', async () => {
    const stream = hub.follow({ accountId, after: '1.0' });
    await Promise.all([write(1), takeEvents(stream, 1)]);
    const next = stream.next();
    await world.owner.query('update installation set epoch = epoch + 1');
    await write(1);
    await expect(next).rejects.toMatchObject({ code: 'CURSOR_EXPIRED', message: expect.stringContaining('2.0') });
  });
});

describe('deleting old events', () => {
  test('takes only the beginning of a log, so that the rest has no gap, and keeps events without a position', async () => {
    await write(6);
    await sequenced();
    await world.owner.query(`update event set at = now() - interval '500 days' where position in (1, 2, 4)`);
    await sequencer.stop();
    await write(1);
    await world.owner.query(`update event set at = now() - interval '500 days' where position is null`);
    expect(await forget(world.db, eventRetention)).toBe(2);
    await sequenceEvents(world.db);
    const { rows } = await world.owner.query('select position::int from event order by position');
    expect(rows.map((row) => row.position)).toEqual([3, 4, 5, 6, 7]);
  });

  test('can take the whole log, and no position is given twice', async () => {
    await write(3);
    await sequenced();
    await world.owner.query(`update event set at = now() - interval '500 days'`);
    expect(await forget(world.db, eventRetention)).toBe(3);
    expect(await hub.head(accountId)).toBe('1.3');
    const stream = hub.follow({ accountId, after: '1.3' });
    await write(1);
    expect((await takeEvents(stream, 1)).map((event) => event.cursor)).toEqual(['1.4']);
  });
});
