// `npm run bench -- <name>` runs one bench. `npm run bench:all` runs the benches whose figures have aims.
import { Argument, Command, InvalidArgumentError } from 'commander';
import { benchAnalytics } from './analytics.ts';
import { benchDashboard } from './dashboard.ts';
import { measureDoctor } from './doctor.ts';
import { measureEvents } from './events.ts';
import { tableOfFigures, thisMachine, type Figure } from './figures.ts';
import { benchGitHubFaults } from './github-faults.ts';
import { benchGitHubWebhooks } from './github-webhooks.ts';
import { measureHistories } from './histories.ts';
import { measureIdle } from './idle.ts';
import { measureIdleLandings, measureLandings, measureRepositories, measureRequests } from './landing.ts';
import { benchLandings } from './landings.ts';
import { benchLine, measureLongLine } from './line.ts';
import { benchLists } from './lists.ts';
import { benchPrices } from './prices.ts';
import { measureLoad, type LoadOptions } from './load.ts';
import { measureReadFigures } from './read-figures.ts';
import { benchReleases } from './releases.ts';
import { measureStarts } from './start.ts';
import { measureSubscriptions } from './subscriptions.ts';
import { measureTurns } from './turn.ts';
import { measureWebhooks } from './webhooks.ts';

interface Options {
  readonly pullRequests?: number;
  readonly deliveries: number;
  readonly sizes?: number[];
  readonly landings: number;
  readonly repositories?: number;
  readonly batch: number;
  readonly lines?: number[];
  readonly changes: number;
  readonly changesASecond: number;
  readonly times?: number;
  readonly rounds: number;
  readonly requests: number;
  readonly tenants: number;
  readonly concurrency: number;
  readonly documents: number;
  readonly seed: number;
  readonly commits: number;
  readonly sockets: number;
  readonly seconds: number;
  readonly minutes?: number;
  readonly hours?: number;
  readonly reads?: number;
  readonly writes?: number;
  readonly subscriptions?: number;
  readonly pullRequestsAMinute?: number;
  readonly snapshots?: string;
  readonly json: boolean;
}

const benchesWithAims = {
  landing: async ({ pullRequests = 80 }) => await measureLandings(pullRequests),
  'idle-landing': async ({ pullRequests = 20 }) => await measureIdleLandings(pullRequests),
  requests: async ({ pullRequests = 80 }) => await measureRequests(pullRequests),
  turn: async ({ lines = [1_000, 10_000], times = 20 }) => await measureTurns(lines, times),
  repositories: async ({ repositories = 100 }) => await measureRepositories(repositories),
  idle: async ({ repositories = 1_000, seconds }) => await measureIdle(repositories, seconds),
  reads: measureReadFigures,
  subscriptions: async ({ sockets }) => await measureSubscriptions(sockets),
  events: async ({ commits }) => await measureEvents(commits),
  webhooks: async ({ deliveries }) => await measureWebhooks(deliveries),
  'long-line': async ({ lines = [100_000], times = 10 }) => await measureLongLine(lines[0] ?? 100_000, times),
  doctor: async ({ pullRequests = 1_000, times = 20 }) => await measureDoctor(pullRequests, times),
  histories: measureHistories,
  start: measureStarts,
  load: async (options) => await measureLoad(loadOf(options)),
} as const satisfies Readonly<Record<string, (options: Options) => Promise<Figure[]>>>;

/** With `--pull-requests-a-minute`, the other load is small, so that the run shows what landings leave behind. */
function loadOf({
  minutes,
  hours,
  reads,
  writes,
  subscriptions,
  pullRequestsAMinute,
  snapshots,
}: Options): LoadOptions {
  const isSlow = pullRequestsAMinute !== undefined;
  return {
    minutes: minutes ?? (hours === undefined ? 10 : hours * 60),
    reads: reads ?? (isSlow ? 5 : 200),
    writes: writes ?? (isSlow ? 1 : 20),
    subscriptions: subscriptions ?? (isSlow ? 50 : 1_000),
    pullRequestsAMinute: pullRequestsAMinute ?? 5,
    snapshots: snapshots ?? null,
  };
}

const otherBenches = {
  dashboard: async ({ lines, changes, changesASecond }) =>
    await benchDashboard(lines?.[0] ?? 5_000, { changes, changesASecond }),
  analytics: async ({ pullRequests = 1_000_000 }) => await benchAnalytics(pullRequests),
  'github-faults': async ({ landings, repositories = 4, batch }) => {
    const failures = await benchGitHubFaults({ landings, repositories, batch });
    for (const failure of failures) console.error(failure);
    process.exit(failures.length === 0 ? 0 : 1);
  },
  'github-webhooks': async ({ deliveries }) => await benchGitHubWebhooks(deliveries),
  landings: async ({ landings }) => await benchLandings(landings),
  line: async ({ lines = [10, 500, 5_000], times = 5 }) => await benchLine(lines, times),
  lists: async ({ sizes = [10, 100, 1_000, 100_000], requests }) => await benchLists(sizes, requests),
  prices: async ({ documents, seed, json }) => await benchPrices({ documents, seed, isJson: json }),
  releases: async ({ lines = [10, 100, 2_000], times = 5 }) => await benchReleases(lines, times),
} as const satisfies Readonly<Record<string, (options: Options) => Promise<void>>>;

type BenchWithAims = keyof typeof benchesWithAims;
type OtherBench = keyof typeof otherBenches;

const program = new Command('npm run bench --')
  .description(
    `Measures how much time, CPU and memory Interlock takes on this machine. bench/README.md says what each bench measures. These benches compare their figures with aims: ${Object.keys(benchesWithAims).join(', ')}.`,
  )
  .addArgument(
    new Argument('[bench]', 'the bench to run')
      .choices([...Object.keys(benchesWithAims), ...Object.keys(otherBenches)])
      .default('reads'),
  )
  .option(
    '--pull-requests <n>',
    'how many pull requests (landing and requests: 80 if left out, idle-landing: 20, doctor: 1000, analytics: 1000000)',
    readNumber,
  )
  .option('--deliveries <n>', 'how many deliveries (webhooks, github-webhooks)', readNumber, 5_000)
  .option(
    '--sizes <n,…>',
    'how many rows each account has, such as 10,1000 (lists: 10,100,1000,100000 if left out)',
    readNumbers,
  )
  .option('--landings <n>', 'how many landings (landings, github-faults)', readNumber, 40)
  .option(
    '--repositories <n>',
    'how many repositories (repositories: 100 if left out, idle: 1000, github-faults: 4)',
    readNumber,
  )
  .option('--batch <n>', 'how many pull requests in a batch (github-faults)', readNumber, 8)
  .option(
    '--lines <n,…>',
    'how many pull requests the lines have, such as 10,500 (turn: 1000,10000 if left out, long-line: 100000, releases: 10,100,2000, line: 10,500,5000, dashboard: 5000)',
    readNumbers,
  )
  .option('--changes <n>', 'how many changes (dashboard)', readNumber, 2_000)
  .option('--changes-a-second <n>', 'how many changes in a second (dashboard)', readNumber, 20)
  .option(
    '--times <n>',
    'how many times each thing is measured (turn and doctor: 20 if left out, long-line: 10, releases and line: 5)',
    readNumber,
  )
  .option('--rounds <n>', 'how many measured rounds (reads)', readNumber, 20)
  .option('--requests <n>', 'how many requests of each kind (reads, lists)', readNumber, 300)
  .option('--tenants <n>', 'how many accounts (reads)', readNumber, 200)
  .option('--concurrency <n>', 'how many requests at once (reads)', readNumber, 8)
  .option('--documents <n>', 'how many random documents (prices)', readNumber, 300)
  .option('--seed <n>', 'the seed of the random documents (prices)', readNumber, 1)
  .option('--commits <n>', 'how many transactions (events)', readNumber, 2_000)
  .option('--sockets <n>', 'how many sockets (subscriptions)', readNumber, 10_000)
  .option(
    '--seconds <n>',
    'how many seconds each measurement takes (idle); whole minutes, because some work is done once a minute',
    readNumber,
    60,
  )
  .option('--minutes <n>', 'how many minutes the load lasts (load: 10 if left out)', readNumber)
  .option('--hours <n>', 'how many hours the load lasts, instead of --minutes (load)', readNumber)
  .option(
    '--reads <n>',
    'how many reads in a second (load: 200 if left out, 5 with --pull-requests-a-minute)',
    readNumber,
  )
  .option(
    '--writes <n>',
    'how many writes in a second (load: 20 if left out, 1 with --pull-requests-a-minute)',
    readNumber,
  )
  .option(
    '--subscriptions <n>',
    'how many subscriptions (load: 1000 if left out, 50 with --pull-requests-a-minute)',
    readNumber,
  )
  .option(
    '--pull-requests-a-minute <n>',
    'how many pull requests are opened and land in a minute (load: 5 if left out)',
    readNumber,
  )
  .option(
    '--snapshots <folder>',
    'the folder for two snapshots of the heap of the service (load: none is written if left out)',
  )
  .option('--json', 'print one JSON document instead of text (prices, and the benches that have aims)', false);

program.parse();
const options = program.opts<Options>();
const name = program.processedArgs[0] as BenchWithAims | OtherBench;

if (name in benchesWithAims) {
  const figures = await benchesWithAims[name as BenchWithAims](options);
  const machine = thisMachine();
  if (options.json) console.log(JSON.stringify({ machine, figures }, null, 2));
  else
    console.log(
      `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, load ${machine.load}\n\n${tableOfFigures(figures)}`,
    );
} else await otherBenches[name as OtherBench](options);

function readNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.');
  return Number(text);
}

function readNumbers(text: string): number[] {
  return text.split(',').map(readNumber);
}
