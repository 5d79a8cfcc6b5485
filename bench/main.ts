// `npm run bench`: what a read costs here, beside the least it can cost; with a name, another bench.
import { availableParallelism, cpus } from 'node:os';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { benchAnalytics } from './analytics.ts';
import { benchDashboard } from './dashboard.ts';
import { openBenchDatabase } from './database.ts';
import { fillDataSet } from './dataset.ts';
import { benchGitHubFaults } from './github-faults.ts';
import { benchGitHubWebhooks } from './github-webhooks.ts';
import { benchLandings } from './landings.ts';
import { benchLine } from './line.ts';
import { benchLists } from './lists.ts';
import { startMeasured } from './measured-process.ts';
import { benchPrices } from './prices.ts';
import { measureReads, tableOf } from './reads.ts';
import { benchReleases } from './releases.ts';
import { createTenants } from './tenants.ts';
import { waysOf } from './ways.ts';
import { benchWebhooks } from './webhooks.ts';

const names = [
  'reads',
  'analytics',
  'dashboard',
  'github-faults',
  'github-webhooks',
  'landings',
  'line',
  'lists',
  'prices',
  'releases',
  'webhooks',
] as const;
type Name = (typeof names)[number];

const program = new Command('npm run bench --')
  .description('Measures what Interlock costs on this machine. What each bench measures: bench/README.md.')
  .addArgument(new Argument('[bench]', 'which one').choices(names).default('reads'))
  .option('--pull-requests <n>', 'of analytics', readNumber, 1_000_000)
  .option('--deliveries <n>', 'of webhooks and github-webhooks', readNumber, 5_000)
  .option('--sizes <n,…>', 'of lists', readNumbers, [10, 100, 1_000, 100_000])
  .option('--landings <n>', 'of landings and github-faults', readNumber, 40)
  .option('--repositories <n>', 'of github-faults', readNumber, 4)
  .option('--batch <n>', 'of github-faults: pull requests in a batch', readNumber, 8)
  .option('--lines <n,…>', 'of releases, line and dashboard', readNumbers)
  .option('--changes <n>', 'of dashboard', readNumber, 2_000)
  .option('--times <n>', 'of releases and line', readNumber, 5)
  .option('--rounds <n>', 'of reads', readNumber, 20)
  .option('--requests <n>', 'of reads and lists', readNumber, 300)
  .option('--tenants <n>', 'of reads', readNumber, 200)
  .option('--concurrency <n>', 'of reads', readNumber, 8)
  .option('--documents <n>', 'of prices', readNumber, 300)
  .option('--seed <n>', 'of prices', readNumber, 1)
  .option('--json', 'of reads and prices: one JSON document instead of text', false);

interface Options {
  readonly pullRequests: number;
  readonly deliveries: number;
  readonly sizes: number[];
  readonly landings: number;
  readonly repositories: number;
  readonly batch: number;
  readonly lines?: number[];
  readonly changes: number;
  readonly times: number;
  readonly rounds: number;
  readonly requests: number;
  readonly tenants: number;
  readonly concurrency: number;
  readonly documents: number;
  readonly seed: number;
  readonly json: boolean;
}

program.parse();
const options = program.opts<Options>();

const benches = {
  reads: benchReads,
  dashboard: async () => await benchDashboard(options.lines?.[0] ?? 5_000, options.changes),
  analytics: async () => await benchAnalytics(options.pullRequests),
  'github-faults': async () => {
    const failures = await benchGitHubFaults(options);
    for (const failure of failures) console.error(failure);
    process.exit(failures.length === 0 ? 0 : 1);
  },
  'github-webhooks': async () => await benchGitHubWebhooks(options.deliveries),
  landings: async () => await benchLandings(options.landings),
  line: async () => await benchLine(options.lines ?? [10, 500, 5_000], options.times),
  lists: async () => await benchLists(options.sizes, options.requests),
  prices: async () => await benchPrices({ documents: options.documents, seed: options.seed, isJson: options.json }),
  releases: async () => await benchReleases(options.lines ?? [10, 100, 2_000], options.times),
  webhooks: async () => await benchWebhooks(options.deliveries),
} as const satisfies Record<Name, () => Promise<void>>;

await benches[program.processedArgs[0] as Name]();

function readNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Say a number.');
  return Number(text);
}

function readNumbers(text: string): number[] {
  return text.split(',').map(readNumber);
}

async function benchReads(): Promise<void> {
  const database = await openBenchDatabase();
  try {
    const { tenants, secret } = await createTenants(database.url, options.tenants);
    await fillDataSet(database.url);
    const environment = { BENCH_DATABASE_URL: database.url, BENCH_SECRET: secret };
    const baseline = await startMeasured('baseline', environment);
    const contender = await startMeasured('contender', environment);
    try {
      const effort = {
        rounds: options.rounds,
        requests: options.requests,
        concurrency: options.concurrency,
      };
      const measurements = await measureReads(waysOf({ baseline, contender }), { ...effort, tenants });
      const machine = {
        node: process.version,
        cpu: cpus()[0]?.model ?? 'unknown',
        cores: availableParallelism(),
        ...effort,
      };
      if (options.json) console.log(JSON.stringify({ machine, measurements }, null, 2));
      else
        console.log(
          `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}; ${effort.rounds} rounds of ${effort.requests} requests, median\n\n${tableOf(measurements)}`,
        );
    } finally {
      await Promise.all([baseline.stop(), contender.stop()]);
    }
  } finally {
    await database.drop();
  }
}
