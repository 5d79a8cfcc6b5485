import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSequencer, sequenceEvents } from '../../src/modules/events/index.ts';
import { eventsChannel } from '../../src/modules/events/sequencer.ts';
import type { Database } from '../../src/platform/database.ts';
import { log, openWorld, pollOptions, positionedLog, countUnpositioned, numbersUpTo, type World } from './world.ts';

let world: World;
beforeEach(async () => void (world = await openWorld()));
afterEach(async () => await world.close());

async function subjectsOf(accounts: number, each: number): Promise<{ accountId: string; repositoryId: string }[]> {
  const subjects = [];
  for (let a = 0; a < accounts; a++) {
    const accountId = await world.account();
    for (let r = 0; r < each; r++) subjects.push({ accountId, repositoryId: await world.repository(accountId) });
  }
  return subjects;
}

/**
 * 16 writers at once run transactions of random length, some of which are rolled back. Returns how many events were
 * committed.
 */
async function writeAtRandom(
  subjects: readonly { accountId: string; repositoryId: string }[],
  transactionsEach: number,
): Promise<number> {
  let committed = 0;
  await Promise.all(
    numbersUpTo(16).map(async () => {
      for (let n = 0; n < transactionsEach; n++) {
        const subject = subjects[Math.floor(Math.random() * subjects.length)];
        if (subject === undefined) return;
        const count = 1 + Math.floor(Math.random() * 4);
        const lengthSec = Math.random() < 0.1 ? 0.15 : Math.random() * 0.01;
        const isRolledBack = Math.random() < 0.15;
        const transaction = world.write(subject, count, async () => {
          await world.db.system.query('select pg_sleep($1)', [lengthSec]);
          if (isRolledBack) throw new Error('rolled back');
        });
        await transaction.then(
          () => void (committed += count),
          (error: Error) => {
            if (error.message !== 'rolled back') throw error;
          },
        );
      }
    }),
  );
  return committed;
}

async function expectWholeLog(
  subjects: readonly { accountId: string; repositoryId: string }[],
  committed: number,
): Promise<void> {
  await expect.poll(() => countUnpositioned(world), pollOptions).toBe(0);
  let found = 0;
  for (const accountId of new Set(subjects.map((subject) => subject.accountId))) {
    const events = await positionedLog(world, accountId);
    found += events.length;
    expect(
      events.map((event) => event.position),
      'no gap, none twice',
    ).toEqual(numbersUpTo(events.length));
    for (const { repositoryId } of subjects.filter((subject) => subject.accountId === accountId)) {
      const ofSubject = events.filter((event) => event.repositoryId === repositoryId).map((event) => event.serial);
      expect(ofSubject, 'in the order they were written').toEqual(numbersUpTo(ofSubject.length));
    }
    const { rows } = await world.owner.query('select position::int from event_head where account_id = $1', [accountId]);
    expect(rows[0]?.position ?? 0).toBe(events.length);
  }
  expect(found).toBe(committed);
}

describe('positions of events', () => {
  test('have no gap and keep the order of each subject while two processes race and their sessions are killed', async () => {
    const subjects = await subjectsOf(3, 3);
    const sequencers = [1, 2].map(() => keepSequencing());
    let isWriting = true;
    let killed = 0;
    const killing = (async () => {
      while (isWriting) {
        // Terminates only sessions of the sequencers. The sessions of the writers have the same application name, but
        // run pg_sleep.
        const { rows } = await world.owner.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = 'interlock-system' and state <> 'idle' and query not like '%pg_sleep%'`,
        );
        killed += rows.length;
      }
    })();
    const [committed] = await Promise.all([
      writeAtRandom(subjects, 25).finally(() => void (isWriting = false)),
      killing,
    ]);
    await expectWholeLog(subjects, committed);
    await Promise.all(sequencers.map((sequencer) => sequencer.stop()));
    expect(killed).toBeGreaterThan(0);
  });

  test('have no gap if the sequencing process is killed again and again', async () => {
    const subjects = await subjectsOf(2, 4);
    const sequencer = keepSequencing();
    let isWriting = true;
    let kills = 0;
    const killing = (async () => {
      while (isWriting || kills === 0) {
        const before = await positioned(world);
        await expect.poll(async () => !isWriting || (await positioned(world)) > before, pollOptions).toBe(true);
        sequencer.kill();
        kills++;
      }
    })();
    const [committed] = await Promise.all([
      writeAtRandom(subjects, 20).finally(() => void (isWriting = false)),
      killing,
    ]);
    await expectWholeLog(subjects, committed);
    await sequencer.stop();
  });

  test('are given only after the commit, so a lower id that commits later gets the higher position', async () => {
    const [early, late] = await subjectsOf(1, 2);
    if (early === undefined || late === undefined) throw new Error('two subjects were made');
    await world.write(early, 1, async () => {
      await world.write(late);
      expect(await sequenceEvents(world.db)).toBe(1);
    });
    expect(await sequenceEvents(world.db)).toBe(1);
    const events = await positionedLog(world, early.accountId);
    expect(events.map((event) => [event.position, event.repositoryId])).toEqual([
      [1, late.repositoryId],
      [2, early.repositoryId],
    ]);
    const { rows } = await world.owner.query('select repository_id from event order by id');
    expect(rows.map((row) => row.repository_id)).toEqual([early.repositoryId, late.repositoryId]);
  });

  test('are all given or none if the session dies while positions are given', async () => {
    const [subject] = await subjectsOf(1, 1);
    if (subject === undefined) throw new Error('a subject was made');
    await world.write(subject, 3);
    await sequenceEvents(world.db);
    await world.write(subject, 3);
    // This client has no statement or lock timeouts like our own sessions, because it holds the lock for as long as a
    // process takes to start.
    const blocker = new pg.Client({ connectionString: world.url });
    await blocker.connect();
    await blocker.query('begin');
    await blocker.query('select from event_head for update');
    const sequencer = keepSequencing();
    await expect.poll(() => terminateWaiting(world), pollOptions).toBe(1);
    await sequencer.stop();
    await blocker.end();
    expect(await countUnpositioned(world)).toBe(3);
    expect(await sequenceEvents(world.db)).toBe(3);
    await expectWholeLog([subject], 6);
  });

  test('are given by one process at a time; another process returns `busy` at once', async () => {
    const [subject] = await subjectsOf(1, 1);
    if (subject === undefined) throw new Error('a subject was made');
    await world.write(subject);
    const other = await world.connect();
    await other.system.transaction(async (query) => {
      await query('select from installation for no key update');
      expect(await sequenceEvents(world.db)).toBe('busy');
    });
    expect(await sequenceEvents(world.db)).toBe(1);
  });

  test('are given to more events than fit in one batch by one call', async () => {
    const subjects = await subjectsOf(2, 1);
    for (const subject of subjects) await world.write(subject, 1_300);
    expect(await sequenceEvents(world.db)).toBe(2_600);
    await expectWholeLog(subjects, 2_600);
  });
});

describe('a sequencer', () => {
  test('gives positions soon after a nudge, however long its interval is', async () => {
    const [subject] = await subjectsOf(1, 1);
    if (subject === undefined) throw new Error('a subject was made');
    const sequencer = createSequencer({ db: world.db, log, intervalMs: 3_600_000 });
    sequencer.start();
    await world.write(subject);
    sequencer.nudge();
    await expectWholeLog([subject], 1);
    await sequencer.stop();
    await world.write(subject);
    sequencer.nudge();
    await sequencer.stop();
    expect(await countUnpositioned(world), 'stopped is stopped').toBe(1);
  });

  test('finds events without a nudge', async () => {
    const [subject] = await subjectsOf(1, 1);
    if (subject === undefined) throw new Error('a subject was made');
    const sequencer = createSequencer({ db: world.db, log, intervalMs: 20 });
    sequencer.start();
    await world.write(subject);
    await expectWholeLog([subject], 1);
    await sequencer.stop();
  });

  test('tries again after its database failed', async () => {
    const [subject] = await subjectsOf(1, 1);
    if (subject === undefined) throw new Error('a subject was made');
    let failures = 0;
    const failing: Database = {
      ...world.db,
      system: {
        ...world.db.system,
        transaction: async (work) => {
          if (failures++ < 3) throw new Error('the database is away');
          return await world.db.system.transaction(work);
        },
      },
    };
    const sequencer = createSequencer({ db: failing, log, intervalMs: 20 });
    sequencer.start();
    await world.write(subject);
    await expectWholeLog([subject], 1);
    await sequencer.stop();
  });
});

describe('the notification', () => {
  test('names each account with the position of its newest event, once for each call', async () => {
    const heard: string[] = [];
    const stop = await world.db.system.listen(eventsChannel, (payload) => void heard.push(payload));
    const subjects = await subjectsOf(2, 1);
    const [first, second] = subjects;
    if (first === undefined || second === undefined) throw new Error('two subjects were made');
    await world.write(first, 3);
    await world.write(second, 2);
    await sequenceEvents(world.db);
    await vi.waitFor(() => expect(heard.length).toBeGreaterThan(1), pollOptions);
    expect(heard.slice(1).map((payload) => JSON.parse(payload))).toEqual([
      { [first.accountId]: 3, [second.accountId]: 2 },
    ]);
    await stop();
  });

  test('is empty if there are too many accounts to name', async () => {
    const heard: string[] = [];
    const stop = await world.db.system.listen(eventsChannel, (payload) => void heard.push(payload));
    await world.owner.query('alter table account alter column id restart with 100000');
    await world.owner.query(
      `with a as (insert into account (name) select 'crowd ' || n from generate_series(1, 1000) n returning id)
       insert into event (account_id, action, at) select id, 'queued', now() from a`,
    );
    expect(await sequenceEvents(world.db)).toBe(1_000);
    await vi.waitFor(() => expect(heard).toEqual(['', '']), pollOptions);
    await stop();
  });
});

async function positioned(of: World): Promise<number> {
  const { rows } = await of.owner.query<{ count: number }>(
    'select count(*)::int as count from event where position is not null',
  );
  return rows[0]?.count ?? 0;
}

/** Ends sessions that wait for the lock on event_head, that is, while they give positions. */
async function terminateWaiting(of: World): Promise<number> {
  const { rows } = await of.owner.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into event_head%'`,
  );
  return rows.length;
}

/** Runs a process that sequences events, and starts another one whenever it dies. */
function keepSequencing(): { kill(): void; stop(): Promise<void> } {
  const script = fileURLToPath(new URL('sequencing-process.ts', import.meta.url));
  let isStopped = false;
  const start = (): ChildProcess => {
    const child = spawn(process.execPath, [script, world.url], { stdio: 'ignore' });
    child.once('exit', () => {
      if (!isStopped) current = start();
    });
    return child;
  };
  let current = start();
  return {
    kill: () => void current.kill('SIGKILL'),
    async stop() {
      isStopped = true;
      const exited = once(current, 'exit');
      current.kill('SIGKILL');
      await exited;
    },
  };
}
