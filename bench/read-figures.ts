// Makes the figures of `reads`: the CPU of Interlock for a request, compared with the baselines.
import { openBenchDatabase } from './database.ts';
import { fillDataSet } from './dataset.ts';
import { figure, type Figure } from './figures.ts';
import { startMeasuredServer } from './measured-process.ts';
import { measureReads, reads } from './reads.ts';
import { createTenants } from './tenants.ts';
import { waysOf } from './ways.ts';

export interface ReadOptions {
  readonly rounds: number;
  readonly requests: number;
  readonly concurrency: number;
  readonly tenants: number;
}

const readNames = { one: 'one pull request', fifty: 'a list of fifty' } as const;

export async function measureReadFigures(options: ReadOptions): Promise<Figure[]> {
  const database = await openBenchDatabase();
  try {
    const { tenants, secret } = await createTenants(database.url, options.tenants);
    await fillDataSet(database.url);
    const environment = { BENCH_DATABASE_URL: database.url, BENCH_SECRET: secret };
    const baseline = await startMeasuredServer('baseline', environment);
    const mercurius = await startMeasuredServer('mercurius', environment);
    const contender = await startMeasuredServer('contender', environment);
    try {
      const measured = await measureReads(waysOf({ baseline, mercurius, contender }), { ...options, tenants });
      const cpuMs = (way: string, read: string): number =>
        (measured.find((each) => each.way === way && each.read === read)?.cpuMicros ?? Number.NaN) / 1_000;
      return reads.flatMap((read) => {
        const raw = { rival: cpuMs('raw Fastify + pg', read), unit: 'ms', over: 'rival' } as const;
        const graphQl = cpuMs('GraphQL', read);
        return [
          figure({
            what: `CPU of REST, ${readNames[read]}, compared with raw Fastify + pg`,
            today: cpuMs('REST', read),
            ...raw,
            atLeast: 0.8,
          }),
          figure({
            what: `CPU of GraphQL, ${readNames[read]}, compared with raw Fastify + pg`,
            today: graphQl,
            ...raw,
          }),
          figure({
            what: `CPU of GraphQL, ${readNames[read]}, compared with mercurius with jit`,
            today: graphQl,
            ...raw,
            rival: cpuMs('mercurius with jit', read),
            atLeast: 1,
          }),
        ];
      });
    } finally {
      await Promise.all([baseline.stop(), mercurius.stop(), contender.stop()]);
    }
  } finally {
    await database.drop();
  }
}
