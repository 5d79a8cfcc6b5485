// Measures the page of a long queue: how soon it is shown, whether it scrolls smoothly while the line changes, how soon
// a change is on screen, and whether the page's memory grows.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { chromium, type Browser } from 'playwright-core';
import { systemContext, type Context } from '../src/context.ts';
import { defaultCacheDirectory } from '../src/launcher/cache-directory.ts';
import { findChromiums } from '../src/launcher/chromium.ts';
import { createAccount, generateSecrets } from '../src/modules/accounts/index.ts';
import { appendEvents, createEventHub } from '../src/modules/events/index.ts';
import { projectRoot } from '../src/platform/project-root.ts';
import { startServer } from '../src/server.ts';
import { createService } from '../src/service.ts';
import { QueueWatcher } from './dashboard.page.ts';
import { openBenchDatabase } from './database.ts';
import { insertRepository } from './installation.ts';
import { fillLine } from './line.ts';
import { ms, table } from './timing.ts';

/** How many changes are made in a second while the page is scrolled. */
const changesASecond = 20;
/** The changes are made in this many equal parts. The heap is measured after each part. */
const heapMeasurements = 10;
/** Every twentieth change is a new title of a pull request that is on screen. */
const shownEvery = 20;
/** How many pull requests are on screen while the page is not scrolled. */
const shownNumbers = 5;

interface Line {
  readonly ctx: Context;
  readonly repositoryId: string;
  readonly queueId: string;
  readonly size: number;
}

interface Load {
  readonly changes: number;
  readonly changesASecond: number;
}

export async function benchDashboard(size: number, load: Load): Promise<void> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'interlock-bench-dashboard-'));
  const log = pino({ level: 'error' });
  const service = await createService({
    databaseUrl: database.url,
    dataDir,
    publicUrl: 'http://localhost:4000',
    log,
    wake: async () => {},
  });
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const secrets = generateSecrets();
  const { accountId, token } = await createAccount(service.ports, secrets, { name: 'bench', email: 'ada@example.org' });
  const line = await fillLine(
    {
      owner,
      account: async () => systemContext(service.ports, accountId),
      repository: async (_, name) => await insertRepository(owner, accountId, name),
    },
    { name: 'bench', size, yaml: 'max_parallel_builds: 10' },
  );
  await owner.query('vacuum analyze');
  // The sequencer did not give the events of `fillLine` their positions. It numbers them again before the page opens, so
  // that the page subscribes after them.
  await owner.query('update event set position = null');
  service.start();
  await until(async () => (await owner.query('select from event where position is null limit 1')).rowCount === 0);
  const hub = createEventHub({ db: service.ports.db, log });
  const dashboardDir = join(projectRoot, 'dist', 'dashboard');
  const server = await startServer({ ports: service.ports, secrets, hub, port: 0, host: '127.0.0.1', dashboardDir });
  const browser = await launch();
  try {
    const watcher = await QueueWatcher.open(browser, { url: server.url, token });
    console.log(table(['dashboard', `a line of ${size}`], await measure(watcher, { ...line, size }, load)));
  } finally {
    await browser.close();
    await server.close();
    await hub.close();
    await service.stop();
    await owner.end();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(50);
}

async function launch(): Promise<Browser> {
  const [first] = await findChromiums({ path: process.env['PATH'] ?? '', cacheDir: defaultCacheDirectory() });
  const program = await first?.prepare();
  if (program === undefined) throw new Error('No Chromium was found.');
  return await chromium.launch({
    executablePath: program.path,
    env: { ...process.env, ...program.env },
    // As root, Chromium cannot make the user namespaces of its sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-dev-shm-usage'],
  });
}

async function measure(watcher: QueueWatcher, line: Line, load: Load): Promise<string[][]> {
  const { largestPaintMs, loadedBytes } = await watcher.firstLoad();
  const scrolling = changeLine(line, { changes: 10 * changesASecond, changesASecond });
  const scrolled = await watcher.scroll(8_000);
  await scrolling;
  await watcher.toTop();
  const heapBefore = await watcher.heapBytes();
  const requestsBefore = watcher.requests;
  const committed: Committed[] = [];
  const heaps: number[] = [];
  for (let part = 0; part < heapMeasurements; part += 1) {
    committed.push(...(await changeLine(line, { ...load, changes: Math.ceil(load.changes / heapMeasurements) })));
    heaps.push(await watcher.heapBytes());
  }
  const seen = await watcher.sightings(committed.map(({ text }) => text));
  const delays = committed
    .flatMap(({ text, at }) => {
      const seenAt = seen.get(text);
      return seenAt === undefined ? [] : [seenAt - at];
    })
    .sort((a, b) => a - b);
  const rank = (percent: number): number => delays[Math.ceil((percent * delays.length) / 100) - 1] ?? Number.NaN;
  const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  return [
    ['largest paint of the first load (LCP)', ms(largestPaintMs)],
    ['script and style of the first load, compressed', `${Math.round(loadedBytes / 1024)} KB`],
    [`scrolled at ${changesASecond} changes a second: longest task`, ms(scrolled.longestTaskMs)],
    ['tasks longer than 50 ms', String(scrolled.longTasks)],
    ['frames, of 60 a second', `${Math.round(scrolled.framesASecond)}`],
    ['most rows in the document', String(scrolled.maxRows)],
    ['from commit to pixel, p50', ms(rank(50))],
    ['from commit to pixel, p95', ms(rank(95))],
    [
      'changes that were overtaken before they were shown',
      `${committed.length - delays.length} of ${committed.length}`,
    ],
    ['requests for a change', ((watcher.requests - requestsBefore) / load.changes).toFixed(2)],
    [`heap before ${load.changes} changes`, megabytes(heapBefore)],
    ['heap after each tenth of them', heaps.map(megabytes).join(', ')],
    ['requests to other origins', String(watcher.strayRequests)],
  ];
}

interface Committed {
  readonly text: string;
  /** When the transaction of the change had committed, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Moves pull requests to the back of the line, and at every twentieth change gives a pull request on screen another
 * title. Returns the changes of titles.
 */
async function changeLine(line: Line, { changes, changesASecond }: Load): Promise<readonly Committed[]> {
  const committed: Committed[] = [];
  const startedAt = performance.now();
  for (let n = 1; n <= changes; n += 1) {
    const text = n % shownEvery === 0 ? `Change ${Date.now()}` : null;
    await changeOne(line, { number: 1 + (Math.floor(n / shownEvery) % shownNumbers), text });
    if (text !== null) committed.push({ text, at: Date.now() });
    await delay(Math.max(0, startedAt + (1000 * n) / changesASecond - performance.now()));
  }
  return committed;
}

async function changeOne(
  { ctx, repositoryId, queueId, size }: Line,
  shown: { readonly number: number; readonly text: string | null },
): Promise<void> {
  const { text } = shown;
  const number = text === null ? 20 + Math.floor(Math.random() * (size - 20)) : shown.number;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const [row] = await tx.query<{ id: string }>(
      `update pull_request p set title = coalesce($4, p.title),
         rank = case when $4::text is null then (select max(rank) + 1 from pull_request where account_id = $1 and queue_id = $2) else p.rank end
       where p.account_id = $1 and p.queue_id = $2 and p.number = $3 returning p.id`,
      [ctx.accountId, queueId, number, text],
    );
    await tx.query('update queue set version = version + 1 where account_id = $1 and id = $2', [
      ctx.accountId,
      queueId,
    ]);
    await appendEvents(ctx, tx, [{ repositoryId, queueId, pullRequestId: row?.id ?? null, action: 'edited' }]);
  });
}
