// Measures landings by a complete Interlock. The comparison is git alone, which does the same merges, checks and moves
// of refs.
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findProgram } from '../src/platform/sandbox/index.ts';
import { figure, percentile, type Figure } from './figures.ts';
import { landPlainly } from './plain-git.ts';
import {
  openShop,
  pause,
  queueOne,
  spentBetween,
  untilChecked,
  untilLanded,
  untilQuiet,
  withProgram,
  type Program,
  type Shop,
} from './program.ts';

const batch = 4;

/**
 * Queues all pull requests in a paused queue, and measures the time from the end of the pause until all have landed.
 * Also measures the CPU of the process tree and the number of git processes for each pull request.
 */
export async function measureLandings(pullRequests: number): Promise<Figure[]> {
  const ours = await withProgram(async (program) => await landTogether(program, pullRequests));
  const plain = await landPlainly({ pullRequests, batch });
  const counted = Math.min(pullRequests, 24);
  const gitProcesses = await countGitProcesses(counted);
  const each = (seconds: number): number => seconds / pullRequests;
  const parts = [...ours.parts]
    .toSorted(([, a], [, b]) => b - a)
    .filter(([, seconds]) => each(seconds) >= 0.001)
    .map(([program, seconds]) =>
      figure({ what: `CPU of ${program} for each pull request landed`, today: each(seconds), unit: 's' }),
    );
  return [
    figure({
      what: `landing ${pullRequests} pull requests, batches of ${batch}, over plain git`,
      today: ours.seconds,
      rival: plain.seconds,
      unit: 's',
      atMost: 6,
    }),
    figure({
      what: `CPU for landing ${pullRequests} pull requests, over plain git`,
      today: ours.cpuSec,
      rival: plain.cpuSec,
      unit: 's',
    }),
    figure({
      what: 'CPU of the process tree for each pull request landed',
      today: each(ours.cpuSec),
      unit: 's',
      atMost: 0.15,
    }),
    ...parts,
    figure({ what: 'git processes for each pull request landed', today: gitProcesses / counted, unit: '', atMost: 4 }),
  ];
}

interface Landed {
  readonly seconds: number;
  readonly cpuSec: number;
  readonly parts: ReadonlyMap<string, number>;
}

async function landTogether(program: Program, pullRequests: number): Promise<Landed> {
  // Work that a process does only once, such as compiling code and planning statements, is not part of a landing.
  await land(program, await openShop(program, { name: 'warm', batch, pullRequests: 8 }), { from: 1, to: 8, before: 0 });
  const shop = await openShop(program, { name: 'shop', batch, pullRequests });
  return await land(program, shop, { from: 1, to: pullRequests, before: 8 });
}

async function land(
  program: Program,
  shop: Shop,
  { from, to, before: landedBefore }: { readonly from: number; readonly to: number; readonly before: number },
): Promise<Landed> {
  await untilChecked(program);
  await pause(program, shop, true);
  for (let number = from; number <= to; number += 1) await queueOne(program, shop, number);
  await untilQuiet(program);
  const before = await program.cpu();
  const began = performance.now();
  await pause(program, shop, false);
  await untilLanded(program, landedBefore + to - from + 1);
  const seconds = (performance.now() - began) / 1_000;
  await untilQuiet(program);
  const after = await program.cpu();
  const parts = new Map([...after].map(([name, spent]) => [name, spent - (before.get(name) ?? 0)] as const));
  return { seconds, cpuSec: spentBetween(before, after), parts };
}

/**
 * Counts git processes. A program `git` that is first on PATH writes a line for each start. It costs CPU, so the count
 * has a run of its own.
 */
async function countGitProcesses(pullRequests: number): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'interlock-bench-gits-'));
  const list = join(folder, 'started');
  try {
    await writeFile(list, '', { mode: 0o666 });
    await writeFile(join(folder, 'git'), `#!/bin/sh\necho "$*" >> ${list}\nexec ${findProgram('git') ?? 'git'} "$@"\n`);
    await chmod(join(folder, 'git'), 0o755);
    await chmod(folder, 0o755);
    const count = async (): Promise<number> => (await readFile(list, 'utf8')).split('\n').length;
    return await withProgram(
      async (program) => {
        const shop = await openShop(program, { name: 'shop', batch, pullRequests });
        await untilChecked(program);
        await pause(program, shop, true);
        for (let number = 1; number <= pullRequests; number += 1) await queueOne(program, shop, number);
        await untilQuiet(program);
        const before = await count();
        await pause(program, shop, false);
        await untilLanded(program, pullRequests);
        await untilQuiet(program);
        return (await count()) - before;
      },
      { environment: { PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` } },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Measures the time from the end of a build's check to the record of its landing, for one pull request at a time in an
 * idle queue.
 */
export async function measureIdleLandings(pullRequests: number): Promise<Figure[]> {
  return await withProgram(async (program) => {
    const warmUps = 5;
    const shop = await openShop(program, { name: 'shop', batch: 1, pullRequests: warmUps + pullRequests });
    await untilChecked(program);
    for (let number = 1; number <= warmUps + pullRequests; number += 1) {
      await queueOne(program, shop, number);
      await untilLanded(program, number);
      await untilQuiet(program);
    }
    // The record of a landing is written after the base branch has moved.
    const waits = await program.rows<{ ms: number }>(
      `select (extract(epoch from l.landed_at - max(c.completed_at)) * 1000)::float8 as ms
       from landing l join batch b on b.account_id = l.account_id and b.id = l.batch_id
       join local_check_run c on c.account_id = l.account_id and c.commit = b.tested_commit
       group by l.id, l.landed_at order by l.id offset $1`,
      [warmUps],
    );
    const samples = waits.map(({ ms }) => ms);
    return [
      figure({
        what: 'from the last green check to the move of the base branch, idle queue, p50',
        today: percentile(samples, 50),
        unit: 'ms',
        atMost: 150,
      }),
      figure({
        what: 'from the last green check to the move of the base branch, idle queue, p95',
        today: percentile(samples, 95),
        unit: 'ms',
        atMost: 400,
      }),
    ];
  });
}

/**
 * Sends one `POST /api/v1/pull_request` after the other, while the pull requests of another repository land as fast as
 * possible.
 */
export async function measureRequests(pullRequests: number): Promise<Figure[]> {
  return await withProgram(async (program) => {
    const busy = await openShop(program, { name: 'busy', batch, pullRequests });
    const shop = await openShop(program, { name: 'asked', batch, pullRequests });
    await untilChecked(program);
    await pause(program, busy, true);
    for (let number = 1; number <= pullRequests; number += 1) await queueOne(program, busy, number);
    await untilQuiet(program);
    await pause(program, busy, false);
    const samples: number[] = [];
    for (let number = 1; number <= pullRequests && (await isLanding(program)); number += 1) {
      const began = performance.now();
      await queueOne(program, shop, number);
      samples.push(performance.now() - began);
      await delay(50);
    }
    await untilLanded(program, pullRequests + samples.length);
    await untilQuiet(program);
    return [
      figure({
        what: `POST /api/v1/pull_request while the queue lands (${samples.length}), p50`,
        today: percentile(samples, 50),
        unit: 'ms',
      }),
      figure({
        what: `POST /api/v1/pull_request while the queue lands (${samples.length}), p95`,
        today: percentile(samples, 95),
        unit: 'ms',
        atMost: 80,
      }),
    ];
  });
}

async function isLanding({ rows }: Program): Promise<boolean> {
  return (await rows("select 1 from pull_request where status in ('queued', 'tagged') limit 1")).length > 0;
}

/** Compares one pull request in each of many repositories with as many pull requests in one repository. */
export async function measureRepositories(repositories: number): Promise<Figure[]> {
  const one = await withProgram(async (program) => {
    const shop = await openShop(program, { name: 'shop', batch: 1, pullRequests: repositories });
    return await queueAll(
      program,
      Array.from({ length: repositories }, (_, n) => ({ shop, number: n + 1 })),
    );
  });
  const many = await withProgram(async (program) => {
    const shops: Shop[] = [];
    for (let n = 1; n <= repositories; n += 1)
      shops.push(await openShop(program, { name: `shop-${n}`, batch: 1, pullRequests: 1 }));
    return await queueAll(
      program,
      shops.map((shop) => ({ shop, number: 1 })),
    );
  });
  return [
    figure({
      what: `landings a second: ${repositories} repositories with one pull request each, over one repository with ${repositories}`,
      today: repositories / many.seconds,
      rival: repositories / one.seconds,
      unit: 'a second',
      atLeast: 0.9,
    }),
    figure({
      what: 'CPU for each pull request: many repositories, over one repository',
      today: many.cpuSec / repositories,
      rival: one.cpuSec / repositories,
      unit: 's',
    }),
    figure({
      what: 'longest wait of a pull request, over the median wait',
      today: many.longest / many.median,
      unit: '×',
    }),
  ];
}

async function queueAll(
  program: Program,
  pullRequests: readonly { readonly shop: Shop; readonly number: number }[],
): Promise<{ seconds: number; cpuSec: number; median: number; longest: number }> {
  await untilChecked(program);
  const before = await program.cpu();
  const began = performance.now();
  for (const { shop, number } of pullRequests) await queueOne(program, shop, number);
  await untilLanded(program, pullRequests.length);
  const seconds = (performance.now() - began) / 1_000;
  await untilQuiet(program);
  const cpuSec = spentBetween(before, await program.cpu());
  const rows = await program.rows<{ sec: number }>(
    'select extract(epoch from merged_at - queued_at)::float8 as sec from pull_request',
  );
  const waits = rows.map(({ sec }) => sec);
  return { seconds, cpuSec, median: percentile(waits, 50), longest: percentile(waits, 100) };
}
