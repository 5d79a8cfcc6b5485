// Many landings at the emulator of GitHub under faults: calls fail before or after their effect, webhooks are lost,
// doubled and out of order, and GitHub's records lag behind git. Interlock runs as under `npm start`, and Temporal
// repeats failed work. At the end no pull request may be lost or landed twice, no base branch may be red, and every
// proof must be correct.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Octokit } from '@octokit/core';
import pg from 'pg';
import { createClient, createGitRunner } from '../src/demo/client.ts';
import { createProgress } from '../src/launcher/progress.ts';
import { readRuntime } from '../src/launcher/runtime.ts';
import { startInterlock } from '../src/start.ts';
import { checkHistory, checkRows, verify } from './github-faults.checks.ts';
import { inEachShop, labelAll, openAll, owner, type Bench } from './github-faults.world.ts';
import { cpuByProgram } from './process-cpu.ts';
import { table } from './timing.ts';

export interface FaultsOptions {
  /** The number of pull requests. One of twenty is red by itself. */
  readonly landings: number;
  readonly repositories: number;
  readonly batch: number;
}

const pushPace = { perMinute: 600, gatherMs: 1_000 };
/** The time limit. A landing at GitHub takes more than a second of CPU, and a busy machine has little CPU. */
const longestMs = 90 * 60_000;
const unbounded = 1_000_000;
const limits = {
  restPerHour: unbounded,
  graphqlPerHour: unbounded,
  pointsPerMinute: unbounded,
  graphqlPointsPerMinute: unbounded,
  contentPerMinute: unbounded,
  contentPerHour: unbounded,
};

/** Returns the problems that were found. Empty: there are none. */
export async function benchGitHubFaults(options: FaultsOptions): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'ghf-'));
  const dataDir = join(folder, 'data');
  const interlock = await startInterlock(
    {
      dataDir,
      port: 0,
      host: '127.0.0.1',
      databaseUrl: null,
      temporalAddress: null,
      reset: false,
      ciConcurrency: 1,
      github: { kind: 'emulator', port: 0, owner, hasRepository: false },
      pushPace,
    },
    createProgress(say),
  );
  const runtime = await readRuntime(dataDir);
  const database = new pg.Client({ connectionString: runtime?.databaseUrl });
  await database.connect();
  try {
    const { githubPerson: person } = interlock;
    if (person === null) throw new Error('There is no emulator.');
    const each = Math.ceil(options.landings / options.repositories);
    const bench: Bench = {
      client: createClient(interlock),
      person,
      octokit: new Octokit({ baseUrl: person.apiUrl, auth: person.token }),
      git: createGitRunner(person.token),
      folder,
      rows: async <Row extends object>(text: string) => (await database.query<Row>(text)).rows,
      applyControls: async (controls) => {
        const body = JSON.stringify(controls);
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(`${person.webUrl}/_emulator/controls`, { method: 'POST', headers, body });
        if (!answer.ok) throw new Error(`The emulator answered ${answer.status}: ${await answer.text()}`);
      },
      labelledAt: new Map(),
      shops: Array.from({ length: options.repositories }, (_, index) => ({ name: `shop-${index + 1}`, count: each })),
    };
    return await landAll(bench, interlock.url, { dataDir, options });
  } finally {
    await database.end();
    await interlock.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function landAll(
  bench: Bench,
  url: string,
  { dataDir, options }: { readonly dataDir: string; readonly options: FaultsOptions },
): Promise<readonly string[]> {
  await bench.applyControls({ limits: [limits] });
  await openAll(bench, url, options.batch);
  say(`${bench.shops.length} repositories with ${bench.shops[0]?.count} pull requests each are open`);
  await bench.applyControls({ webhooks: [{ drop: 0.1, double: 0.1, reorder: 3 }] });
  const before = await readSpent(bench);
  const startedAt = performance.now();
  await inEachShop(bench, async (shop) => await labelAll(bench, shop));
  await bench.applyControls({ fail: [{ rate: 0.05, when: 'before' }] });
  await bench.applyControls({ fail: [{ rate: 0.05, when: 'after' }] });
  const { again, quarters } = await untilDecided(bench, startedAt);
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await readSpent(bench);
  await bench.applyControls({ clear: [] });
  await bench.applyControls({ limits: [limits] });
  await untilQuiet(bench);
  const failures = [...(await checkRows(bench))];
  for (const shop of bench.shops) failures.push(...(await checkHistory(bench, shop)), ...(await verify(shop, dataDir)));
  const [count] = await bench.rows<{ merged: string; landings: string; batches: string; attempts: string }>(
    `select (select count(*) from landed_member) as merged, (select count(*) from landing) as landings,
            (select count(*) from batch) as batches, (select coalesce(sum(attempt), 0) from intent where kind = 'land') as attempts`,
  );
  const cells = [
    ['pull requests landed', count?.merged ?? ''],
    ['landings', count?.landings ?? ''],
    ['attempts at landings', count?.attempts ?? ''],
    ['builds', count?.batches ?? ''],
    ['pull requests queued again, because no check had started', String(again)],
    ['seconds', seconds.toFixed(0)],
    ['seconds from label to landed: half, 95 of 100, all', (await waitsOf(bench)).join(', ')],
    ['seconds of CPU for each landed, by quarters', quartersOf(before, quarters).join(', ')],
    ['wrong', String(failures.length)],
  ];
  say(`\n${table(['what', 'figure'], cells)}`);
  const landed = Number(count?.merged ?? 0);
  for (const [what, part] of [
    ['seconds of CPU', 'cpu'],
    ['calls of the emulator', 'calls'],
    ['processes of git of the emulator', 'gits'],
  ] as const)
    say(`\n${table([what, 'in all', 'for each landed'], perLanded(before[part], after[part], landed))}`);
  return failures;
}

type Spent = Readonly<Record<'cpu' | 'calls' | 'gits', ReadonlyMap<string, number>>>;

/**
 * Reads what was spent so far: the seconds of CPU of all processes, and the calls and git processes of the emulator.
 */
async function readSpent({ person }: Bench): Promise<Spent> {
  const answer = await fetch(`${person.webUrl}/_emulator/usage`);
  const usage = (await answer.json()) as Record<'calls' | 'gits', Record<string, number>>;
  return {
    cpu: await cpuByProgram(),
    calls: new Map(Object.entries(usage.calls)),
    gits: new Map(Object.entries(usage.gits)),
  };
}

function perLanded(before: Spent['cpu'], after: Spent['cpu'], landed: number): string[][] {
  return [...after]
    .map(([name, spent]) => [name, spent - (before.get(name) ?? 0)] as const)
    .filter(([, spent]) => spent > 0)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, spent]) => [name, spent.toFixed(0), (spent / landed).toFixed(2)]);
}

/** How many pull requests had landed at a moment, and the seconds of CPU that all processes had used by then. */
interface Quarter {
  readonly landed: number;
  readonly cpuSec: number;
}

function quartersOf({ cpu }: Spent, quarters: readonly Quarter[]): string[] {
  return quarters.map(({ landed, cpuSec }, at) => {
    const before = quarters[at - 1] ?? { landed: 0, cpuSec: sum(cpu) };
    return ((cpuSec - before.cpuSec) / (landed - before.landed)).toFixed(2);
  });
}

function sum(cpu: Spent['cpu']): number {
  return [...cpu.values()].reduce((all, each) => all + each, 0);
}

/** The waits of the landed pull requests in seconds: the median, the 95th percentile, and the longest wait. */
async function waitsOf({ rows, labelledAt }: Bench): Promise<string[]> {
  const landed = await rows<{ name: string; number: number; at: Date }>(
    `select r.name, p.number, p.merged_at as at from pull_request p join repository r on r.id = p.repository_id where p.status = 'merged'`,
  );
  const waits = landed
    .map(({ name, number, at }) => (at.getTime() - (labelledAt.get(`${name}#${number}`) ?? 0)) / 1000)
    .toSorted((a, b) => a - b);
  return [0.5, 0.95, 1].map((share) => (waits[Math.ceil(share * waits.length) - 1] ?? Number.NaN).toFixed(0));
}

/**
 * If the machine is busy, the emulator may not start a check within a minute after the push, and the pull request is
 * blocked. Such pull requests are queued again, as a person would do. Returns how many were queued again.
 */
async function queueAgain({ client, rows }: Bench): Promise<number> {
  const unstarted = await rows<{ name: string; number: number }>(
    `select r.name, p.number from pull_request p join repository r on r.id = p.repository_id
     where p.status = 'blocked' and p.status_text like '%did not run%'`,
  );
  for (const { name, number } of unstarted) {
    const pull_request = { number, repository: { org: owner, name } };
    // Interlock may fail to reach GitHub for this request. The next round sends the request again.
    await client.rest('POST', '/api/v1/pull_request', { action: 'queue', pull_request }).catch(() => {});
  }
  return unstarted.length;
}

/**
 * Waits until each pull request is merged or blocked. Meanwhile GitHub's records lag behind for two of every ten
 * seconds. `again`: how often a pull request was queued again.
 */
async function untilDecided(
  bench: Bench,
  startedAt: number,
): Promise<{ readonly again: number; readonly quarters: readonly Quarter[] }> {
  const all = bench.shops.reduce((total, { count }) => total + count, 0);
  const quarters: Quarter[] = [];
  let isCatchingUp = false;
  let again = 0;
  for (let looks = 1; ; looks += 1) {
    const now = await queueAgain(bench);
    again += now;
    const found = await bench.rows<{ status: string; n: number }>(
      'select status, count(*)::int as n from pull_request group by status order by status',
    );
    const decided = found.filter(({ status }) => status === 'merged' || status === 'blocked');
    const landed = decided.find(({ status }) => status === 'merged')?.n ?? 0;
    const isOver = decided.reduce((total, { n }) => total + n, 0) === all && now === 0;
    if (landed > (quarters.at(-1)?.landed ?? 0) && (isOver || landed >= ((quarters.length + 1) * all) / 4))
      quarters.push({ landed, cpuSec: sum(await cpuByProgram()) });
    const passedMs = performance.now() - startedAt;
    if (looks % 3 === 1)
      say(
        `${(passedMs / 1000).toFixed(0).padStart(6)} s  ${found.map(({ status, n }) => `${n} ${status}`).join(', ')}`,
      );
    if (isOver) return { again, quarters };
    if (passedMs > longestMs) throw new Error('The pull requests did not land.');
    if (!isCatchingUp) {
      isCatchingUp = true;
      await bench.applyControls({ lag: [true] });
      await delay(2_000);
      void bench
        .applyControls({ lag: [false] })
        .catch((error: unknown) => say(`The records of the emulator still lag behind git: ${String(error)}`))
        .finally(() => (isCatchingUp = false));
    }
    await delay(8_000);
  }
}

async function untilQuiet(bench: Bench): Promise<void> {
  const deadline = performance.now() + longestMs;
  for (;;) {
    const [open] = await bench.rows<{ n: number }>(
      `select ((select count(*) from batch where cleaned_up_at is null)
             + (select count(*) from intent where state in ('planned', 'started')))::int as n`,
    );
    if (open?.n === 0) return;
    if (performance.now() > deadline) throw new Error(`${open?.n} batches and intents are still open.`);
    await delay(500);
  }
}

function say(line: string): void {
  console.log(line);
}
