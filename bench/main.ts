// `npm run bench -- <name>` runs one bench. Most benches measure figures with aims, which `npm run bench:all` collects.
import { Argument, Command, InvalidArgumentError } from 'commander';
import { benchAnalytics } from './analytics.ts';
import { benchDashboard } from './dashboard.ts';
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
  readonly json: boolean;
}

const figured = {
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
  histories: measureHistories,
  start: measureStarts,
} as const satisfies Readonly<Record<string, (options: Options) => Promise<Figure[]>>>;

const printed = {
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

type Figured = keyof typeof figured;
type Printed = keyof typeof printed;

const program = new Command('npm run bench --')
  .description('Measures what Interlock costs on this machine. What each bench measures: bench/README.md.')
  .addArgument(
    new Argument('[bench]', 'which one').choices([...Object.keys(figured), ...Object.keys(printed)]).default('reads'),
  )
  .option('--pull-requests <n>', 'of landing, idle-landing, requests and analytics', readNumber)
  .option('--deliveries <n>', 'of webhooks and github-webhooks', readNumber, 5_000)
  .option('--sizes <n,…>', 'of lists', readNumbers)
  .option('--landings <n>', 'of landings and github-faults', readNumber, 40)
  .option('--repositories <n>', 'of repositories, idle and github-faults', readNumber)
  .option('--batch <n>', 'of github-faults: pull requests in a batch', readNumber, 8)
  .option('--lines <n,…>', 'of turn, long-line, releases, line and dashboard', readNumbers)
  .option('--changes <n>', 'of dashboard', readNumber, 2_000)
  .option('--changes-a-second <n>', 'of dashboard', readNumber, 20)
  .option('--times <n>', 'of turn, long-line, releases and line', readNumber)
  .option('--rounds <n>', 'of reads', readNumber, 20)
  .option('--requests <n>', 'of reads and lists', readNumber, 300)
  .option('--tenants <n>', 'of reads', readNumber, 200)
  .option('--concurrency <n>', 'of reads', readNumber, 8)
  .option('--documents <n>', 'of prices', readNumber, 300)
  .option('--seed <n>', 'of prices', readNumber, 1)
  .option('--commits <n>', 'of events', readNumber, 2_000)
  .option('--sockets <n>', 'of subscriptions', readNumber, 10_000)
  .option('--seconds <n>', 'of idle: how long it is watched', readNumber, 30)
  .option('--json', 'of prices and of all benches with aims: one JSON document instead of text', false);

program.parse();
const options = program.opts<Options>();
const name = program.processedArgs[0] as Figured | Printed;

if (name in figured) {
  const figures = await figured[name as Figured](options);
  const machine = thisMachine();
  if (options.json) console.log(JSON.stringify({ machine, figures }, null, 2));
  else
    console.log(
      `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, load ${machine.load}\n\n${tableOfFigures(figures)}`,
    );
} else await printed[name as Printed](options);

function readNumber(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('Say a number.');
  return Number(text);
}

function readNumbers(text: string): number[] {
  return text.split(',').map(readNumber);
}
