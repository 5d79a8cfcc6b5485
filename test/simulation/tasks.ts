// Work that the simulation can stop between two calls of the database, and at failpoints. There the work waits while
// other work goes on, or it fails, loses the answer, or ends with its process. Only one task runs at a time, so that
// the same choices give the same history.
import { AsyncLocalStorage } from 'node:async_hooks';
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
}

/** Runs a task to its end, without a fault. */
export const toTheEnd: Run = { boundaries: Number.POSITIVE_INFINITY, ending: 'hold' };

export interface Task {
  readonly name: string;
  readonly process: string;
  /** True: a fault was injected, so the task may fail. */
  hadFault: boolean;
  state: 'new' | 'held' | 'running' | 'done';
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
  /** Calls of the task take turns, so that their order is always the same. */
  turn: Promise<unknown>;
  waiting: (() => void)[];
  isQuiet: () => void;
}

const current = new AsyncLocalStorage<{ readonly task: TaskState; readonly isInside: boolean }>();

/** The error that the driver gives for a broken connection. */
const broken = (): Error => new Error('Connection terminated unexpectedly');

export function newTask(process: string, name: string, work: () => Promise<void>): Task {
  const task: TaskState = {
    name,
    process,
    work,
    hadFault: false,
    state: 'new',
    until: null,
    error: null,
    run: toTheEnd,
    inFlight: 0,
    passed: 0,
    turn: Promise.resolve(),
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
  Object.assign(task, { run, passed: 0, until: null, state: 'running' });
  const quiet = new Promise<void>((resolve) => void (task.isQuiet = resolve));
  if (isNew)
    current.run({ task, isInside: false }, () => {
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
  const { boundaries, ending } = task.run;
  if (task.state !== 'held' && task.passed < boundaries) {
    task.passed += 1;
    return 'go';
  }
  if (task.state !== 'held' && ending !== 'hold' && mayFail) {
    task.run = toTheEnd;
    task.hadFault = true;
    return ending;
  }
  await hold(task, null);
  return 'go';
}

async function hold(task: TaskState, until: number | null): Promise<void> {
  task.state = 'held';
  task.until = until;
  await new Promise<void>((resolve) => {
    task.waiting.push(resolve);
    settle(task);
  });
}

async function pass<T>(call: () => Promise<T>): Promise<T> {
  const store = current.getStore();
  if (store === undefined || store.isInside) return await call();
  const { task } = store;
  const before = task.turn;
  const { promise, resolve } = Promise.withResolvers<void>();
  task.turn = promise;
  try {
    await before;
    const how = await arrive(task, true);
    if (how === 'refuse') throw broken();
    task.inFlight += 1;
    try {
      const answer = await current.run({ task, isInside: true }, call);
      if (how === 'lose') throw broken();
      return answer;
    } finally {
      task.inFlight -= 1;
      settle(task);
    }
  } finally {
    resolve();
  }
}

/** A place where work can be held, as between two calls of the database. */
export async function passBoundary(): Promise<void> {
  const store = current.getStore();
  if (store !== undefined && !store.isInside) await arrive(store.task, false);
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
