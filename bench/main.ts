// `npm run bench`: what a read costs here, beside the least it can cost; with a name, another bench.
import { parseArgs } from 'node:util';
import { availableParallelism, cpus } from 'node:os';
import { benchAnalytics } from './analytics.ts';
import { openBenchDatabase } from './database.ts';
import { fillDataSet } from './dataset.ts';
import { benchLandings } from './landings.ts';
import { benchLists } from './lists.ts';
import { startMeasured } from './measured-process.ts';
import { measureReads, tableOf } from './reads.ts';
import { benchReleases } from './releases.ts';
import { createTenants } from './tenants.ts';
import { waysOf } from './ways.ts';
import { benchWebhooks } from './webhooks.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'pull-requests': { type: 'string', default: '1000000' },
    deliveries: { type: 'string', default: '5000' },
    sizes: { type: 'string', default: '10,100,1000,100000' },
    landings: { type: 'string', default: '40' },
    lines: { type: 'string', default: '10,100,2000' },
    times: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '20' },
    requests: { type: 'string', default: '300' },
    tenants: { type: 'string', default: '200' },
    concurrency: { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
  },
});

const benches = {
  reads: benchReads,
  analytics: async () => await benchAnalytics(Number(values['pull-requests'])),
  landings: async () => await benchLandings(Number(values.landings)),
  lists: async () => await benchLists(values.sizes.split(',').map(Number), Number(values.requests)),
  releases: async () => await benchReleases(values.lines.split(',').map(Number), Number(values.times)),
  webhooks: async () => await benchWebhooks(Number(values.deliveries)),
} as const;

const name = positionals[0] ?? 'reads';
if (!Object.hasOwn(benches, name)) {
  console.error(`There is no bench ${name}: ${Object.keys(benches).join(', ')}.`);
  process.exit(1);
}
await benches[name as keyof typeof benches]();

async function benchReads(): Promise<void> {
  const database = await openBenchDatabase();
  try {
    const { tenants, secret } = await createTenants(database.url, Number(values.tenants));
    await fillDataSet(database.url);
    const environment = { BENCH_DATABASE_URL: database.url, BENCH_SECRET: secret };
    const rival = await startMeasured('rival', environment);
    const contender = await startMeasured('contender', environment);
    try {
      const effort = {
        rounds: Number(values.rounds),
        requests: Number(values.requests),
        concurrency: Number(values.concurrency),
      };
      const measurements = await measureReads(waysOf({ rival, contender }), { ...effort, tenants });
      const machine = {
        node: process.version,
        cpu: cpus()[0]?.model ?? 'unknown',
        cores: availableParallelism(),
        ...effort,
      };
      if (values.json) console.log(JSON.stringify({ machine, measurements }, null, 2));
      else
        console.log(
          `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}; ${effort.rounds} rounds of ${effort.requests} requests, median\n\n${tableOf(measurements)}`,
        );
    } finally {
      await Promise.all([rival.stop(), contender.stop()]);
    }
  } finally {
    await database.drop();
  }
}
