// Measures what Interlock costs while it has no work: in an empty installation, with one repository, and with many.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { planComparisons } from '../src/modules/repositories/index.ts';
import { figure, type Figure } from './figures.ts';
import { spentBetween, withProgram, type Program } from './program.ts';

interface Idle {
  readonly cores: number;
  readonly megabytes: number;
}

/** Interlock compares an idle repository with its host once in this time (src/reconciler.ts). */
const comparedEverySec = 15 * 60;

/**
 * How long the bench waits before each measurement. After its start and after work, a program still fills caches and
 * gathers statistics.
 */
const restMs = 15_000;

/**
 * The local host looks at its repositories once a minute. It compares a repository whose last change is two minutes ago
 * once more, and leaves it alone from then on (src/hosts/local/reconcile.ts).
 */
const idleAfterMs = 100_000;

/** How many comparisons of an idle repository there are for each one that is not replaced by its stamp. */
const comparisonsPerWhole = 4;

export async function measureIdle(repositories: number, seconds: number): Promise<Figure[]> {
  const { one, many, wholeSec, stampSec } = await withProgram(async (program) => {
    await createRepositories(program, 1, 1);
    await untilCompared(program, 1);
    const one = await idle(program, seconds);
    await createRepositories(program, 2, repositories);
    await untilCompared(program, repositories);
    await makeOlder(program);
    await delay(idleAfterMs);
    const many = await idle(program, seconds);
    const wholeSec = await costOfComparison(program, repositories, many.cores);
    return { one, many, wholeSec, stampSec: await costOfComparison(program, repositories, many.cores) };
  });
  const comparisonSec = (wholeSec + (comparisonsPerWhole - 1) * stampSec) / comparisonsPerWhole;
  // All repositories are compared at about the same time, because they were created together. The comparisons are
  // measured alone, and count as if they were spread evenly.
  const compared = (count: number): number => (comparisonSec * count) / comparedEverySec;
  return [
    figure({ what: 'idle `npm start`', today: one.cores, unit: 'cores', atMost: 0.015 }),
    figure({ what: 'memory of an idle `npm start`', today: one.megabytes, unit: 'MB', atMost: 400 }),
    figure({
      what: `CPU of ${repositories} idle repositories, compared with one`,
      today: many.cores + compared(repositories),
      rival: one.cores + compared(1),
      unit: 'cores',
      atMost: 1.2,
    }),
    figure({
      what: 'the same between two comparisons with the host',
      today: many.cores,
      rival: one.cores,
      unit: 'cores',
    }),
    figure({ what: 'CPU of a comparison of an idle repository, once an hour', today: wholeSec * 1_000, unit: 'ms' }),
    figure({ what: 'CPU of the other comparisons, which find nothing changed', today: stampSec * 1_000, unit: 'ms' }),
    figure({
      what: `memory of ${repositories} idle repositories, compared with one`,
      today: many.megabytes,
      rival: one.megabytes,
      unit: 'MB',
    }),
  ];
}

async function createRepositories({ client }: Program, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n += 1)
    await client.graphql(
      'mutation ($name: String!) { createRepository(input: {owner: "acme", name: $name, host: LOCAL}) { repository { id } } }',
      { name: `shop-${n}` },
    );
}

/** Sets the last changes of all repositories back by ten minutes, so that the bench does not wait for two minutes. */
async function makeOlder({ dataDir }: Program): Promise<void> {
  await promisify(execFile)('find', [join(dataDir, 'git'), '-exec', 'touch', '-d', '10 minutes ago', '{}', '+']);
}

/**
 * Waits until each repository has been compared with its host, and no comparison is due. Interlock plans the first
 * comparisons of new repositories once a minute. The bench plans them at once.
 */
async function untilCompared({ rows }: Program, repositories: number): Promise<void> {
  const now = new Date();
  await planComparisons(rows, now, { withLineBy: now });
  for (;;) {
    const [row] = await rows<{ done: number }>(
      'select count(*)::int as done from host_comparison where due_at > now() and leased_until is null',
    );
    if (row?.done === repositories) return;
    await delay(500);
  }
}

/**
 * The seconds of CPU of one comparison, measured while all repositories are compared. `idleCores` is the use of CPU
 * without comparisons, which is subtracted.
 */
async function costOfComparison(program: Program, repositories: number, idleCores: number): Promise<number> {
  const before = await program.cpu();
  const began = performance.now();
  await program.rows('update host_comparison set due_at = now()');
  await untilCompared(program, repositories);
  const elapsedSec = (performance.now() - began) / 1_000;
  return Math.max(0, spentBetween(before, await program.cpu()) - idleCores * elapsedSec) / repositories;
}

async function idle(program: Program, seconds: number): Promise<Idle> {
  await delay(restMs);
  const before = await program.cpu();
  const began = performance.now();
  await delay(seconds * 1_000);
  const after = await program.cpu();
  const elapsedSec = (performance.now() - began) / 1_000;
  return { cores: spentBetween(before, after) / elapsedSec, megabytes: (await program.memory()) / 1_000_000 };
}
