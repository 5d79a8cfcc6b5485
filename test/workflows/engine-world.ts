// A world whose engine is the production worker. Workers are separate processes on a real Temporal server, and can be
// killed.
import { randomInt, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { pino } from 'pino';
import { inject } from 'vitest';
import { projectRoot } from '../../src/platform/project-root.ts';
import { connectTemporal } from '../../src/temporal.ts';
import { batchWorkflowId } from '../../workflows/batch/messages.ts';
import { queueWorkflowId, type QueueInput } from '../../workflows/queue/messages.ts';
import { startEngine, type Engine } from '../support/engine.ts';
import { testTemporal } from '../support/temporal.ts';
import { world, type World, type WorldOptions } from '../support/world.ts';

export const historiesFolder = join(projectRoot, 'test', 'workflows', 'histories');

type History = Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>;

export interface EngineWorld extends AsyncDisposable {
  readonly w: World;
  readonly client: Client;
  readonly taskQueue: string;
  /** The input of the workflow of the queue of `main`. */
  input(): Promise<QueueInput>;
  start(failpoint?: string): Promise<Engine>;
  /**
   * The histories of the workflow of the queue (the newest run, or the named one) and of all batches, the oldest first.
   */
  histories(runId?: string): Promise<{ readonly queue: History; readonly batches: readonly History[] }>;
  /** Calls `keepHistory` for each of these histories. */
  keepHistories(name: string, runId?: string): Promise<void>;
}

export interface EngineWorldOptions extends WorldOptions {
  /** Default: the Temporal server that all tests share. */
  readonly temporal?: { readonly address: string; readonly namespace: string };
  /** False: changes made by the test send no wakes, as if signals were lost. Default true. */
  readonly wakes?: boolean;
}

export async function engineWorld(options: EngineWorldOptions = {}): Promise<EngineWorld> {
  const { temporal = testTemporal(), wakes = true, ...worldOptions } = options;
  const settings = { address: temporal.address, namespace: temporal.namespace, taskQueue: `test-${randomUUID()}` };
  const connected = connectTemporal({ ...settings, log: pino({ level: process.env['LOG_LEVEL'] ?? 'fatal' }) });
  const { client } = connected;
  const wake = wakes ? connected.wake : async () => {};
  const w = await world({ ...worldOptions, runsCi: false, wake, accountId: randomInt(2, 1_000_000_000) });
  const engines: Engine[] = [];

  const e: EngineWorld = {
    w,
    client,
    taskQueue: settings.taskQueue,
    async input() {
      const [row] = await w.rows<{ account_id: string; id: string }>(
        "select account_id, id from queue where base_branch = 'main'",
      );
      if (row === undefined) throw new Error('main has no queue yet.');
      return { accountId: row.account_id, queueId: row.id };
    },
    async start(failpoint) {
      const workflowBundle = inject('workflowBundle');
      if (workflowBundle === null) throw new Error('There is no bundle of workflows.');
      const { databaseUrl, dataDir, secrets } = w;
      const engine = await startEngine(
        { mode: 'temporal', databaseUrl, dataDir, secrets, temporal: settings, workflowBundle },
        failpoint,
      );
      engines.push(engine);
      return engine;
    },
    async histories(runId) {
      const input = await e.input();
      const batches: History[] = [];
      for (const { id } of await w.batches()) {
        const workflowId = batchWorkflowId({ accountId: input.accountId, batchId: id });
        batches.push(await client.workflow.getHandle(workflowId).fetchHistory());
      }
      return { queue: await client.workflow.getHandle(queueWorkflowId(input), runId).fetchHistory(), batches };
    },
    async keepHistories(name, runId) {
      const { queue, batches } = await e.histories(runId);
      await keepHistory(`${name}.queue`, queue);
      for (const [index, history] of batches.entries()) await keepHistory(`${name}.batch-${index + 1}`, history);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(engines.map(async (engine) => await engine.kill()));
      await connected.close();
      await w[Symbol.asyncDispose]();
    },
  };
  return e;
}

/** Stores a history for the replay tests, if record-histories.ts runs the tests. */
export async function keepHistory(name: string, history: History): Promise<void> {
  if (process.env['INTERLOCK_RECORD_HISTORIES'] !== 'yes') return;
  await mkdir(historiesFolder, { recursive: true });
  const packed = await promisify(gzip)(historyToJSON(history), { level: 9 });
  await writeFile(join(historiesFolder, `${name}.json.gz`), packed);
}

/** The number of events of each kind, such as `workflowExecutionSignaled`. */
export function countEvents(history: History): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const event of history.events ?? []) {
    const kind = Object.keys(event).find((key) => key.endsWith('EventAttributes') && event[key as keyof typeof event]);
    const name = (kind ?? 'unknown').replace('EventAttributes', '');
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

export async function eventually(isSo: () => Promise<boolean>, what: string, withinMs = 90_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`It did not come about: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
