// The database is the truth: signals get lost, Temporal stops, comes back, or forgets everything, and the line goes on.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { findFreePort } from '../../src/launcher/ports.ts';
import { searchAttributes, startTemporal, type EmbeddedTemporal } from '../../src/launcher/temporal.ts';
import { queueWorkflowId } from '../../workflows/queue/messages.ts';
import { cdServer } from '../support/cd-server.ts';
import { expectOneLandingEach, openSome } from '../support/landings.ts';
import { releasesOf } from '../support/release-world.ts';
import { parallel } from '../support/world.ts';
import { countEvents, engineWorld, eventually } from './engine-world.ts';

interface OwnTemporal extends AsyncDisposable {
  readonly address: string;
  readonly namespace: string;
  stop(): Promise<void>;
  /** On the same ports, with what it knew. */
  start(): Promise<void>;
  forgetEverything(): Promise<void>;
}

async function ownTemporal(): Promise<OwnTemporal> {
  const dataDir = await mkdtemp(join(tmpdir(), 'interlock-temporal-'));
  const namespace = 'own';
  const [port, uiPort] = [await findFreePort(), await findFreePort()];
  const begin = async (): Promise<EmbeddedTemporal> =>
    await startTemporal({
      dataDir,
      cacheDir: inject('cacheDir'),
      port,
      uiPort,
      namespace,
      searchAttributes,
      log: () => {},
    });
  let running: EmbeddedTemporal | null = await begin();
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = null;
  };
  return {
    address: running.address,
    namespace,
    stop,
    async start() {
      running = await begin();
    },
    async forgetEverything() {
      for (const file of await readdir(dataDir)) if (file.startsWith('temporal.db')) await rm(join(dataDir, file));
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

// The last of six is built long enough to be seen.
const slowCi = "checks:\n  test:\n    run: 'test ! -e 6.txt || sleep 5'\n";

describe('a line outlives', { timeout: 120_000 }, () => {
  it('wakes that were lost: the relay finds what is ahead of its plan', async () => {
    await using e = await engineWorld({ configuration: parallel({ builds: 2, batch: 2 }), wakes: false });
    await e.start();
    const numbers = await openSome(e.w, 2);
    await e.w.queue(...numbers);
    await e.w.watch(numbers);
    await expectOneLandingEach(e.w, numbers);
  });

  it('a Temporal that lost all of its data in the middle: everything lands, once', async () => {
    await using temporal = await ownTemporal();
    await using e = await engineWorld({ configuration: parallel({ builds: 2, batch: 2 }), ci: slowCi, temporal });
    const { w } = e;
    await e.start();
    const numbers = await openSome(w, 6);
    await w.queue(...numbers);
    await eventually(
      async () =>
        (await w.rows("select 1 from batch where state = 'landed'")).length > 0 &&
        (await w.rows("select 1 from batch where state = 'building'")).length > 0,
      'one batch has landed and another is built',
    );
    await temporal.stop();
    await temporal.forgetEverything();
    await temporal.start();
    await w.watch(numbers, 90_000);
    await expectOneLandingEach(w, numbers);
  });

  it('a Temporal that is down: pull requests are admitted at once, and land when it is back', async () => {
    await using temporal = await ownTemporal();
    await using e = await engineWorld({ configuration: parallel({ builds: 2, batch: 2 }), temporal });
    const { w } = e;
    await e.start();
    const numbers = await openSome(w, 3);
    await temporal.stop();
    await w.queue(...numbers);
    for (const number of numbers) expect((await w.status(number)).status).toBe('queued');
    await temporal.start();
    await w.watch(numbers, 90_000);
    await expectOneLandingEach(w, numbers);
  });
});

describe('deployments outlive', { timeout: 120_000 }, () => {
  it('lost wakes and a Temporal that lost all of its data: each is triggered once, and ends', async () => {
    await using temporal = await ownTemporal();
    await using cd = await cdServer();
    await using e = await engineWorld({ temporal, wakes: false });
    const r = await releasesOf(e.w, {
      provider: { kind: 'http', url: cd.url, statusUrl: cd.url },
      until: async (isSo) => await eventually(isSo, 'the line', 90_000),
    });
    await e.start();
    for (const version of ['v1-rc1', 'v2-rc1']) await r.candidate(version);
    const first = await r.deploy('v1-rc1');
    await r.deploy('v2-rc1');
    await eventually(async () => cd.runs.length === 1, 'it is triggered');
    await temporal.stop();
    await temporal.forgetEverything();
    await r.cancel(first);
    await temporal.start();
    await r.become('v1-rc1 canceled', 'v2-rc1 in_progress');
    await eventually(async () => cd.runs.length === 2, 'the next is triggered');
    cd.run('v2-rc1').status = 'success';
    await r.become('v1-rc1 canceled', 'v2-rc1 success');
    expect(cd.runs.map(({ starts }) => starts)).toEqual([1, 1]);
  });
});

describe('a long history', { timeout: 120_000 }, () => {
  it('goes on as a new run, and nothing is lost', async () => {
    await using e = await engineWorld({ configuration: parallel({ builds: 2, batch: 1 }), wakes: false });
    const { w } = e;
    const numbers = await openSome(w, 4);
    const input = await e.input();
    const handle = await e.client.workflow.start('queue', {
      workflowId: queueWorkflowId(input),
      taskQueue: e.taskQueue,
      args: [{ ...input, mostHistoryEvents: 25 }],
    });
    await e.start();
    await w.queue(...numbers);
    await w.watch(numbers, 90_000);
    await expectOneLandingEach(w, numbers);
    const first = await e.client.workflow.getHandle(handle.workflowId, handle.firstExecutionRunId).fetchHistory();
    expect(countEvents(first).get('workflowExecutionContinuedAsNew')).toBe(1);
    expect(first.events?.length).toBeLessThan(70);
    await e.keepHistories('continue-as-new', handle.firstExecutionRunId);
  });
});
