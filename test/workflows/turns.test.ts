// A kind of row, made of a table, a decider, and code that carries it out. An errand is prepared, then called, then
// supervised.
import { takeLease } from '../../src/platform/turns/lease.ts';
import { once } from 'node:events';
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemContext, type Context, type Ports, type Wake } from '../../src/context.ts';
import { backOff, waitForLease, waitForCall, type AfterTurn } from '../../src/domain/turns.ts';
import { connectDatabase, type Database } from '../../src/platform/database.ts';
import {
  carryOutDue,
  drivenColumns,
  mostSupervised,
  WorkHandedOver,
  delayNextCall,
  supervise,
  takeTurn,
  noFailedCalls,
  wakeDue,
  type CarryOut,
  type Kind,
  type KindTypes,
  type SupervisedWork,
} from '../../src/platform/turns/index.ts';
import { startUnreliableNetwork } from '../e2e/unreliable-network.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const ErrandEntity = defineEntity({
  name: 'Errand',
  tableName: 'errand',
  properties: {
    id: p.bigint('string').primary(),
    accountId: p.bigint('string'),
    status: p.string(),
    ...drivenColumns(),
  },
});
type ErrandRow = InferEntity<typeof ErrandEntity>;

type Written = { readonly kind: 'prepare' };
type Left = Extract<AfterTurn, { kind: 'wait' }> | { readonly kind: 'call' | 'supervise' | 'ended' };

interface Errand extends KindTypes {
  readonly rows: ErrandRow;
  readonly situation: ErrandRow;
  readonly left: Left;
  readonly written: Written;
  readonly shown: { readonly step: string };
  readonly by: {
    readonly signal?: AbortSignal;
    readonly call?: () => Promise<void>;
    readonly work?: (supervised: SupervisedWork<Errand>) => Promise<void>;
    readonly isUrgent?: boolean;
  };
}

function decideErrand({ status, callAt, supervisedUntil }: ErrandRow, now: number): Left | Written {
  if (status === 'new') return { kind: 'prepare' };
  if (status === 'prepared') return waitForCall(callAt?.getTime() ?? null, now) ?? { kind: 'call' };
  if (status === 'called') return waitForLease(supervisedUntil?.getTime() ?? null, now) ?? { kind: 'supervise' };
  return { kind: 'ended' };
}

const errands: Kind<Errand> = {
  whose: (id) => ({ runbookId: id }),
  lock: async ({ accountId }, tx, id) => await tx.em.findOneOrFail(ErrandEntity, { accountId, id }, { refresh: true }),
  rowOf: (row) => row,
  read: async (_ctx, _tx, row) => row,
  decide: decideErrand,
  write: async (_ctx, _tx, { rows: row }) => Object.assign(row, { status: 'prepared' }),
  show: async (_ctx, _tx, { step }) => ({ step: step.kind }),
};

const written: string[] = [];

const carryOut: CarryOut<Errand> = {
  kind: errands,
  call: async (_ctx, _due, { call }) => {
    await call?.();
    return {
      message: 'called',
      write: async (_tx, row) => void Object.assign(row, { status: 'called', ...noFailedCalls }),
    };
  },
  supervise: async (context, due, by) =>
    await supervise(context, {
      kind: errands,
      due,
      by,
      isUrgent: by.isUrgent ?? false,
      leased: { table: 'errand', id: due.id, wanted: "status = 'called'", kept: "status = 'called'" },
      openLog: () => ({ write: (text) => void written.push(text), close: async () => {} }),
      again: (attempt) => `attempt ${attempt}`,
      work: async (supervised) => {
        await by.work?.(supervised);
        return { message: 'supervised', write: async (_tx, row) => void Object.assign(row, { status: 'done' }) };
      },
    }),
  failureOf: (_ctx, error, { step }) => (step.kind === 'supervise' ? null : { message: String(error), isFinal: false }),
  fail: async ({ clock }, _tx, { rows: row, message: problem }) =>
    delayNextCall(row, { now: clock(), pauseAfter: backOff([10, 20]), problem }),
};

const start = new Date('2026-03-01T12:00:00Z');
let now = start;
const woken: Wake[] = [];
let database: TestDatabase;
let db: Database;
let ports: Ports;
let ctx: Context;
let id: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = await connectDatabase({ url: database.url, entities: [ErrandEntity] });
  const wake = async (whose: Wake): Promise<void> => void woken.push(whose);
  ports = { db, clock: () => now, log: pino({ level: 'silent' }), wake } as Partial<Ports> as Ports;
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query(
    `create table errand (
       id bigint generated always as identity primary key, account_id bigint not null, status text not null default 'new',
       call_at timestamptz, calls integer not null default 0, problem text,
       failing_since timestamptz, supervised_by text, supervised_until timestamptz, next_look_at timestamptz);
     grant all on errand to interlock_app, interlock_system`,
  );
  await owner.end();
});

afterAll(async () => {
  await db.close();
  await database.drop();
});

beforeEach(async () => {
  now = start;
  woken.length = 0;
  written.length = 0;
  ctx = systemContext(ports, '1');
  await db.system.query('delete from errand');
  const [made] = await db.system.query<{ id: string }>('insert into errand (account_id) values (1) returning id::text');
  id = made?.id ?? '';
});

async function turn(): Promise<string> {
  return (await takeTurn(ctx, errands, id)).need;
}

async function carriedOut(by: Errand['by'] = {}): Promise<string> {
  return await carryOutDue(ctx, carryOut, { id, by });
}

async function row(): Promise<ErrandRow> {
  const found = await db.load('1', ErrandEntity, id);
  if (found === null) throw new Error('The errand is gone.');
  return found;
}

async function comeToSupervise(): Promise<void> {
  await turn();
  await carriedOut();
  expect(await turn()).toBe('supervise');
}

it('an errand is driven to its end by turns, and has a deadline for the relay until then', async () => {
  expect(await takeTurn(ctx, errands, id)).toEqual({ need: 'call', step: 'call', nextLookAt: null });
  expect(await row()).toMatchObject({ status: 'prepared', nextLookAt: new Date(start.getTime() + 60_000) });
  expect(await carriedOut()).toBe('called');
  expect(await turn()).toBe('supervise');
  expect(await carriedOut()).toBe('supervised');
  expect(await turn()).toBe('ended');
  expect(await row()).toMatchObject({ status: 'done', supervisedBy: null, supervisedUntil: null, nextLookAt: null });
  expect(await carriedOut()).toBe('nothing was left to do');
});

it('an errand is not called again for some time, which is longer after the second failed call', async () => {
  await turn();
  const call = async (): Promise<void> => await Promise.reject(new Error('away'));
  for (const [calls, sec] of [
    [1, 10],
    [2, 20],
    [3, 20],
  ] as const) {
    expect(await carriedOut({ call })).toBe('failed, and is tried again: Error: away');
    const until = new Date(now.getTime() + sec * 1000);
    expect(await row()).toMatchObject({ calls, callAt: until, problem: 'Error: away' });
    expect(await takeTurn(ctx, errands, id)).toMatchObject({ need: 'wait', nextLookAt: until.getTime() });
    now = until;
  }
  expect(await carriedOut()).toBe('called');
  expect(await row()).toMatchObject({ calls: 0, callAt: null, problem: null });
});

it.each([
  ['stops', { aborts: true, error: new Error('stopped') }],
  ['says that it cannot go on', { aborts: false, error: new WorkHandedOver() }],
])('an errand is given back without counting an attempt when its worker %s', async (_, { aborts, error }) => {
  await comeToSupervise();
  const stop = new AbortController();
  const work = async ({ signal }: SupervisedWork<Errand>): Promise<void> => {
    if (aborts) stop.abort();
    expect(signal.aborted).toBe(aborts);
    await Promise.reject(error);
  };
  await expect(carriedOut({ signal: stop.signal, work })).rejects.toThrow(error.message);
  expect(await row()).toMatchObject({ status: 'called', calls: 0, supervisedBy: null, nextLookAt: now });
  expect(written).toEqual(['[interlock] This worker cannot continue the work. Another worker starts it again.\n']);
  expect(await carriedOut()).toBe('supervised');
});

it('a worker that supervises as much as it may gives an errand back, and still makes calls and does urgent work', async () => {
  const gate = Promise.withResolvers<void>();
  const others = await db.system.query<{ id: string }>(
    "insert into errand (account_id, status) select 1, 'called' from generate_series(1, $1) returning id::text",
    [mostSupervised],
  );
  let begun = 0;
  const allBegun = Promise.withResolvers<void>();
  const work = async (): Promise<void> => {
    begun += 1;
    if (begun === mostSupervised) allBegun.resolve();
    await gate.promise;
  };
  const supervised = others.map(async (other) => await carryOutDue(ctx, carryOut, { id: other.id, by: { work } }));
  await allBegun.promise;
  await comeToSupervise();
  await expect(carriedOut()).rejects.toThrow(WorkHandedOver);
  expect(await row()).toMatchObject({ status: 'called', calls: 0, supervisedBy: null });
  const [urgent] = await db.system.query<{ id: string }>(
    "insert into errand (account_id, status) values (1, 'called') returning id::text",
  );
  expect(await carryOutDue(ctx, carryOut, { id: urgent?.id ?? '', by: { isUrgent: true } })).toBe('supervised');
  gate.resolve();
  expect(new Set(await Promise.all(supervised))).toEqual(new Set(['supervised']));
  expect(await carriedOut()).toBe('supervised');
});

it('an errand is supervised by one worker at a time, and by another one when that worker is lost', async () => {
  await comeToSupervise();
  const second: string[] = [];
  const work = async ({ isHandedOver }: SupervisedWork<Errand>): Promise<void> => {
    expect(isHandedOver()).toBe(false);
    expect(await turn()).toBe('wait');
    // The lease expires, as if the process of its worker hung.
    now = new Date(now.getTime() + 60_000);
    expect(await turn()).toBe('supervise');
    second.push(await carriedOut());
  };
  expect(await carriedOut({ work })).toBe('another worker supervises the work by now');
  expect(second).toEqual(['supervised']);
  expect(written).toEqual(['[interlock] attempt 2\n']);
  expect(await row()).toMatchObject({ status: 'done', calls: 2 });
});

it('an errand is given to one of two workers that take it at once', async () => {
  await comeToSupervise();
  const leased = { table: 'errand', id, wanted: "status = 'called'", kept: "status = 'called'" };
  const leases = await Promise.all([takeLease(ctx, leased), takeLease(ctx, leased)]);
  const taken = leases.filter((lease) => lease !== null);
  expect(taken).toHaveLength(1);
  for (const lease of taken) {
    await lease.end();
    await lease.giveBack();
  }
  expect(await carriedOut()).toBe('supervised');
});

it('an errand is stopped before its lease ends if the database does not answer the renewal', async () => {
  await comeToSupervise();
  await using network = await startUnreliableNetwork();
  const far = await connectDatabase({ url: network.leadToDatabase(database.url), entities: [ErrandEntity] });
  const leased = { table: 'errand', id, wanted: "status = 'called'", kept: "status = 'called'" };
  const requestedAt = performance.now();
  const lease = await takeLease(systemContext({ ...ports, db: far }, '1'), leased);
  if (lease === null) throw new Error('The lease was not taken.');
  const held = network.holdUp(11_000);
  await Promise.race([once(lease.signal, 'abort'), held]);
  expect([lease.signal.aborted, lease.isLost()]).toEqual([true, true]);
  await lease.end();
  expect(performance.now() - requestedAt).toBeLessThan(10_000);
  await held;
  await far.close();
});

it('the log says once during an outage that a lease could not be renewed', async () => {
  await comeToSupervise();
  await using network = await startUnreliableNetwork();
  const far = await connectDatabase({ url: network.leadToDatabase(database.url), entities: [ErrandEntity] });
  const said: string[] = [];
  const log = pino({}, { write: (line: string) => void said.push((JSON.parse(line) as { msg: string }).msg) });
  const leased = { table: 'errand', id, wanted: "status = 'called'", kept: "status = 'called'" };
  const lease = await takeLease(systemContext({ ...ports, db: far, log }, '1'), leased);
  if (lease === null) throw new Error('The lease was not taken.');
  // Nothing listens at this port.
  network.leadTo(1);
  await network.breakOff();
  await once(lease.signal, 'abort');
  expect(said).toEqual(['A lease could not be renewed.', 'A lease was not renewed in time. Its work stops.']);
  await lease.end();
  await far.close();
});

it('an errand is woken by the relay once it is due', async () => {
  await turn();
  const due = async (): Promise<void> =>
    await wakeDue(ports, { table: 'errand', whose: (found) => ({ runbookId: found.id }) });
  await due();
  expect(woken).toEqual([]);
  now = new Date(now.getTime() + 60_000);
  await due();
  await due();
  expect(woken).toEqual([{ accountId: '1', runbookId: id }]);
});
