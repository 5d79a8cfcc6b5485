// Work that the simulation can stop between two calls of the database or of the code host, and at failpoints. There the
// work waits while other work goes on, or it fails, loses the answer, or ends with its process. Only one task runs at a
// time, so that the same choices give the same history.
import { AsyncLocalStorage } from 'node:async_hooks';
import { HostUnavailable } from '../../src/hosts/port.ts';
import type { LocalHost } from '../../src/hosts/local/index.ts';
import type { Database, SystemQueries } from '../../src/platform/database.ts';

/**
 * How a run of a task ends at a boundary: the task is held there, its call fails, or its call is carried out and the
 * answer is lost.
 */
export type Ending = 'hold' | 'refuse' | 'lose';

export interface Run {
  /** How many boundaries the task passes before `ending`. */
  readonly boundaries: number;
  readonly ending: Ending;
  /** Whether a refused call of the database is refused because its disk is full. Default: the connection is broken. */
  readonly isFull?: boolean;
  /** Whether the task is held at a failpoint. It is asked at each failpoint that the task reaches. */
  readonly holdsAt?: (failpoint: string) => boolean;
}

/** Runs a task to its end, without a fault. */
export const toTheEnd: Run = { boundaries: Number.POSITIVE_INFINITY, ending: 'hold' };

export interface Task {
  readonly name: string;
  readonly process: string;
  /** True: a fault was injected, so the task may fail. */
  hadFault: boolean;
  /** The fault that was injected since the task went on. Null: none. */
  fault: string | null;
  state: 'new' | 'held' | 'running' | 'done';
  /** The failpoint where the task is held because its run says so. Null: the task is not held at such a failpoint. */
  at: string | null;
  /** How many boundaries the task has passed since its start. */
  boundaries: number;
  /** The task does not go on before this instant. Null: it may go on at any time. */
  until: number | null;
  /** Why the task failed. Null: it has not failed. */
  error: Error | null;
}

interface TaskState extends Task {
  readonly work: () => Promise<void>;
  run: Run;
  inFlight: number;
  passed: number;
  readonly turns: Turns;
  waiting: (() => void)[];
  isQuiet: () => void;
}

/** Calls take turns, so that their order is always the same. */
interface Turns {
  last: Promise<unknown>;
}

interface Current {
  readonly task: TaskState;
  /** Whether a call of the database runs. */
  readonly isInside: boolean;
  /** The turns of the task, or of the call of the host that runs. */
  readonly turns: Turns;
}

const current = new AsyncLocalStorage<Current>();

const noTurns = (): Turns => ({ last: Promise.resolve() });

/** The error that the driver gives for a broken connection. */
const broken = (): Error => new Error('Connection terminated unexpectedly');

/** The error that PostgreSQL gives if its disk is full. */
const databaseIsFull = (): Error =>
  Object.assign(new Error('could not extend file "base/5/1259": No space left on device'), { code: '53100' });

export function newTask(process: string, name: string, work: () => Promise<void>): Task {
  const task: TaskState = {
    name,
    process,
    work,
    hadFault: false,
    fault: null,
    state: 'new',
    at: null,
    boundaries: 0,
    until: null,
    error: null,
    run: toTheEnd,
    inFlight: 0,
    passed: 0,
    turns: noTurns(),
    waiting: [],
    isQuiet: () => {},
  };
  return task;
}

const stuckAfterMs = 60_000;

/** Resolves when the task is done or held, and none of its calls runs. */
export async function runTask(given: Task, run: Run): Promise<void> {
  const task = given as TaskState;
  const isNew = task.state === 'new';
  Object.assign(task, { run, passed: 0, until: null, state: 'running', fault: null, at: null });
  const quiet = new Promise<void>((resolve) => void (task.isQuiet = resolve));
  if (isNew)
    current.run({ task, isInside: false, turns: task.turns }, () => {
      void task
        .work()
        .catch(
          (error: unknown) => void (task.error = error instanceof Error ? error : new Error(JSON.stringify(error))),
        )
        .then(() => {
          task.state = 'done';
          settle(task);
        });
    });
  for (const go of task.waiting.splice(0)) go();
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${task.process} ${task.name} does not come to its next call of the database.`)),
      stuckAfterMs,
    );
  });
  try {
    await Promise.race([quiet, stuck]);
  } finally {
    clearTimeout(timer);
  }
  // Lets the code run that follows without I/O.
  for (let turns = 0; turns < 3; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

function settle(task: TaskState): void {
  if ((task.state === 'done' || task.state === 'held') && task.inFlight === 0) task.isQuiet();
}

async function arrive(task: TaskState, mayFail: boolean): Promise<'go' | 'refuse' | 'lose'> {
  // Calls that a failed task has not awaited end here. Otherwise they would run beside other tasks.
  if (task.state === 'done') return await new Promise<never>(() => {});
  const { boundaries, ending, isFull = false } = task.run;
  if (task.state !== 'held' && task.passed < boundaries) {
    task.passed += 1;
    task.boundaries += 1;
    return 'go';
  }
  if (task.state !== 'held' && ending !== 'hold' && mayFail) {
    task.run = toTheEnd;
    noteFault(task, ending === 'lose' ? 'a lost answer' : isFull ? 'a full disk' : 'a refused call');
    return ending;
  }
  await hold(task, null);
  return 'go';
}

function noteFault(task: TaskState, fault: string): void {
  task.hadFault = true;
  task.fault = fault;
}

async function hold(task: TaskState, until: number | null): Promise<void> {
  task.state = 'held';
  task.until = until;
  await new Promise<void>((resolve) => {
    task.waiting.push(resolve);
    settle(task);
  });
}

async function inTurn<T>(turns: Turns, work: () => Promise<T>): Promise<T> {
  const before = turns.last;
  const { promise, resolve } = Promise.withResolvers<void>();
  turns.last = promise;
  try {
    await before;
    return await work();
  } finally {
    resolve();
  }
}

async function pass<T>(call: () => Promise<T>): Promise<T> {
  const store = current.getStore();
  if (store === undefined || store.isInside) return await call();
  const { task, turns } = store;
  return await inTurn(turns, async () => {
    const { isFull = false } = task.run;
    const how = await arrive(task, true);
    if (how === 'refuse') throw isFull ? databaseIsFull() : broken();
    task.inFlight += 1;
    try {
      const answer = await current.run({ ...store, isInside: true }, call);
      if (how === 'lose') throw broken();
      return answer;
    } finally {
      task.inFlight -= 1;
      settle(task);
    }
  });
}

/** The host writes what several tasks of a process give to these calls together. */
const sharedCalls: readonly string[] = ['upsertComment', 'publishCheck'];

/**
 * The calls of the database inside a call of the host are boundaries too. Inside a shared call they are none: another
 * task that waits for the same write would wait for ever if this one were held there.
 */
async function passHost<T>(name: string, call: () => Promise<T>): Promise<T> {
  const store = current.getStore();
  if (store === undefined || store.isInside) return await call();
  const { task, turns } = store;
  return await inTurn(turns, async () => {
    const how = await arrive(task, true);
    if (how === 'refuse') throw new HostUnavailable(`The host did not take the call ${name}`);
    const isShared = sharedCalls.includes(name);
    if (isShared) task.inFlight += 1;
    try {
      const answer = current.run({ ...store, isInside: isShared, turns: noTurns() }, call);
      if (how === 'go') return await answer;
      await answer.catch(() => {});
      throw new HostUnavailable(`The answer of the host to the call ${name} was lost`);
    } finally {
      if (isShared) task.inFlight -= 1;
      if (isShared) settle(task);
    }
  });
}

/** A place where work can be held, as between two calls of the database. */
export async function passFailpoint(name: string): Promise<void> {
  const store = current.getStore();
  if (store === undefined || store.isInside) return;
  const { task } = store;
  if (task.state !== 'running' || task.run.holdsAt?.(name) !== true) return void (await arrive(task, false));
  task.at = name;
  await hold(task, null);
}

/** Returns null if no task runs. Otherwise holds the task for this time. */
export function pauseTask(ms: number): Promise<void> | null {
  const store = current.getStore();
  return store === undefined || store.isInside ? null : hold(store.task, Date.now() + ms);
}

/** The same database, but tasks can be held at its calls, and its calls can fail. */
export function withBoundaries(db: Database): Database {
  return {
    transaction: async (accountId, work, options) =>
      await pass(async () => await db.transaction(accountId, work, options)),
    read: async (accountId, statement) => await pass(async () => await db.read(accountId, statement)),
    load: async (accountId, entity, id) => await pass(async () => await db.load(accountId, entity, id)),
    loadAll: async (accountId, entity, by) => await pass(async () => await db.loadAll(accountId, entity, by)),
    loadMany: async (accountId, entity, ids) => await pass(async () => await db.loadMany(accountId, entity, ids)),
    system: {
      query: async (...args: Parameters<SystemQueries['query']>) =>
        await pass(async () => await db.system.query(...args)),
      transaction: async (work) => await pass(async () => await db.system.transaction(work)),
      listen: async (channel, onMessage) => await db.system.listen(channel, onMessage),
      holdLock: async (group, number) => await db.system.holdLock(group, number),
    } as SystemQueries,
    pools: () => db.pools(),
    close: async () => await db.close(),
  };
}

/** Calls that need no code host, or whose work does not belong to a task. */
const notCalls: readonly string[] = ['recover', 'reconciler', 'stop', 'serveGit', 'createCiRunner', 'identity'];
/** Calls that write no git object and no ref. */
const readOnly = /^(read|list|find|count|is|pack|check)/;

/** The service writes some files of a repository itself, and git writes the others. */
function diskIsFull(name: string): Error {
  if (name !== 'updateRefs' && name !== 'composeCommit')
    return new HostUnavailable('git hash-object exited with 128: fatal: write error: No space left on device');
  return Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
}

/**
 * Changes the host, so that tasks can be held at its calls, and its calls can fail. While `isFull` returns true, calls
 * that write to the disk of the repositories fail, as git fails on a full disk.
 */
export function addHostBoundaries(host: LocalHost, isFull: () => boolean): void {
  for (const [name, value] of Object.entries(host) as [string, unknown][]) {
    if (typeof value !== 'function' || notCalls.includes(name)) continue;
    const method = value as (...args: readonly unknown[]) => Promise<unknown>;
    const replaced = async (...args: readonly unknown[]): Promise<unknown> =>
      await passHost(name, async () => {
        const store = current.getStore();
        if (store === undefined || readOnly.test(name) || !isFull()) return await method(...args);
        noteFault(store.task, 'a full disk');
        throw diskIsFull(name);
      });
    Object.assign(host, { [name]: replaced });
  }
}
