// Measures what Interlock costs while it has no work: in an empty installation, with one repository, and with many.
import { setTimeout as delay } from 'node:timers/promises';
import { figure, type Figure } from './figures.ts';
import { spentBetween, withProgram, type Program } from './program.ts';

interface Idle {
  readonly cores: number;
  readonly megabytes: number;
}

/**
 * How long the bench waits before each measurement. After its start and after work, a program still fills caches and
 * gathers statistics.
 */
const restMs = 15_000;

export async function measureIdle(repositories: number, seconds: number): Promise<Figure[]> {
  const { one, many } = await withProgram(async (program) => {
    await createRepositories(program, 1, 1);
    const one = await idle(program, seconds);
    await createRepositories(program, 2, repositories);
    return { one, many: await idle(program, seconds) };
  });
  return [
    figure({ what: 'idle `npm start`', today: one.cores, unit: 'cores', atMost: 0.015 }),
    figure({ what: 'memory of an idle `npm start`', today: one.megabytes, unit: 'MB', atMost: 400 }),
    figure({
      what: `CPU of ${repositories} idle repositories, compared with one`,
      today: many.cores,
      rival: one.cores,
      unit: 'cores',
      atMost: 1.2,
    }),
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

async function idle(program: Program, seconds: number): Promise<Idle> {
  await delay(restMs);
  const before = await program.cpu();
  const began = performance.now();
  await delay(seconds * 1_000);
  const after = await program.cpu();
  const elapsedSec = (performance.now() - began) / 1_000;
  return { cores: spentBetween(before, after) / elapsedSec, megabytes: (await program.memory()) / 1_000_000 };
}
