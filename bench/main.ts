// `npm run bench`: what a read costs here, beside the least it can cost.
import { parseArgs } from 'node:util';
import { availableParallelism, cpus } from 'node:os';
import { openBenchDatabase } from './database.ts';
import { fillDataSet } from './dataset.ts';
import { startMeasured } from './measured-process.ts';
import { measureReads, tableOf } from './reads.ts';
import { createTenants } from './tenants.ts';
import { waysOf } from './ways.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    requests: { type: 'string', default: '300' },
    tenants: { type: 'string', default: '200' },
    concurrency: { type: 'string', default: '8' },
    json: { type: 'boolean', default: false },
  },
});

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
