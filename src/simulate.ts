// `npm run simulate -- <owner>/<name>`: simulates the last days of a queue under another configuration. The running
// Interlock computes the simulation.
import { readFile } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import color from 'picocolors';
import { isEnough } from './domain/simulation/comparison.ts';
import { readAccess, type Access } from './launcher/access.ts';
import { StartError } from './launcher/start-error.ts';
import { parseArguments, runTool } from './run-tool.ts';
import { splitName } from './tool.ts';

const program = new Command('npm run simulate --')
  .description('Replays the last days of a queue under the configuration in force and under another one.')
  .argument('<owner/name>', 'repository')
  .option('--base <branch>', 'base branch; the default branch if not given')
  .option('--days <n>', 'days to go back, 1 to 90', readDays, 30)
  .option('--configuration <file>', 'the other configuration, YAML')
  .option('--data <dir>', 'data directory', process.env['INTERLOCK_DATA'] ?? '.interlock')
  .option('--json', 'one JSON document instead of text');

interface Options {
  readonly base?: string;
  readonly days: number;
  readonly configuration?: string;
  readonly data: string;
  readonly json?: boolean;
}

interface Tally {
  readonly waits: { readonly p50: number; readonly p90: number; readonly p95: number } | null;
  readonly landed: number;
  readonly landedPerHour: number;
  readonly builds: number;
  readonly buildsPerLanding: number | null;
  readonly ejected: number;
}

interface Simulated extends Tally {
  readonly ejectedUnjustly: number;
  readonly red: number;
  readonly composed: number;
  readonly until: string;
  readonly simulatedArrivals: number;
  readonly segments: number;
  readonly complete: boolean;
}

interface Simulation {
  readonly accepted: boolean;
  readonly problems: readonly {
    readonly path: readonly string[];
    readonly reason: string;
    readonly line: number | null;
    readonly column: number | null;
  }[];
  readonly from: string | null;
  readonly arrivals: number;
  readonly observed: Tally | null;
  readonly present: Simulated | null;
  readonly other: Simulated | null;
  readonly assumptions: readonly string[];
}

const tally = 'waits { p50 p90 p95 } landed landedPerHour builds buildsPerLanding ejected';
const simulated = `${tally} ejectedUnjustly red composed until simulatedArrivals segments complete`;
const document = `query ($input: SimulateQueueInput!) { simulateQueue(input: $input) {
  accepted problems { path reason line column } from arrivals observed { ${tally} } present { ${simulated} } other { ${simulated} } assumptions } }`;

async function main(): Promise<number> {
  parseArguments(program);
  const options = program.opts<Options>();
  const repository = splitName(program.args[0] ?? '');
  const yaml = options.configuration === undefined ? null : await readYaml(options.configuration);
  const access = await readAccess(options.data);
  if (access === null)
    throw new StartError(`No Interlock runs on ${options.data}. Start it, or name its data directory by --data <dir>.`);
  const input = { repository, baseBranch: options.base ?? null, days: options.days, yaml };
  const simulation = await ask(access, input);
  if (options.json) console.log(JSON.stringify(simulation, null, 2));
  else say(simulation);
  return simulation.accepted ? 0 : 1;
}

function readDays(text: string): number {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > 90) throw new InvalidArgumentError('Give a number of days from 1 to 90.');
  return days;
}

async function readYaml(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new StartError(`${path} cannot be read: name a YAML file by --configuration <file>.`, 'usage');
  }
}

async function ask({ url, token }: Access, input: Readonly<Record<string, unknown>>): Promise<Simulation> {
  const response = await fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: document, variables: { input } }),
  }).catch(() => null);
  if (response === null)
    throw new StartError(`${url} does not answer: see whether Interlock still runs there.`, 'unreachable');
  const { data, errors } = ((await response.json().catch(() => null)) ?? {}) as {
    readonly data?: { readonly simulateQueue: Simulation } | null;
    readonly errors?: readonly { readonly message: string }[];
  };
  if (!data)
    throw new StartError(errors?.map(({ message }) => message).join('\n') ?? `${url} answered ${response.status}.`);
  return data.simulateQueue;
}

function say({ accepted, problems, from, arrivals, observed, present, other, assumptions }: Simulation): void {
  for (const { path, line, column, reason } of problems) {
    const place = line === null ? '' : `line ${line}, column ${column}: `;
    console.log(color.red(`${place}${[path.join(' -> '), reason].filter(Boolean).join(': ')}`));
  }
  if (!accepted) return;
  if (from === null || present === null)
    return console.log('Nobody was queued or merged in that time: look back further with --days, up to 90.');
  console.log(
    `${arrivals} ${observed === null ? 'merges of the branch in git' : 'pull requests queued'} since ${from}`,
  );
  const columns = [
    [
      '',
      ...(observed === null ? [] : ['as it was']),
      'present, simulated',
      ...(other === null ? [] : ['other, simulated']),
    ],
    ...rows
      .filter(({ needsMany }) => needsMany !== true || isEnough(arrivals))
      .map(({ name, of }) => [name, ...[observed, present, other].flatMap((each) => (each === null ? [] : of(each)))]),
  ];
  const widths = (columns[0] ?? []).map((_, place) => Math.max(...columns.map((row) => row[place]?.length ?? 0)));
  for (const row of columns)
    console.log(
      row
        .map((cell, place) => cell.padEnd(widths[place] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  for (const each of [present, other])
    if (each !== null && !each.complete) console.log(color.yellow(howFar(each, arrivals)));
  console.log('Assumed:');
  for (const sentence of assumptions) console.log(`  ${sentence}`);
}

function howFar({ until, simulatedArrivals, segments }: Simulated, arrivals: number): string {
  if (simulatedArrivals === arrivals) return `Time ran out: simulated until ${until} only.`;
  return `Too many for a minute: simulated ${simulatedArrivals} of ${arrivals}, in ${segments} ${segments === 1 ? 'segment' : 'segments'} of the time. Counts are scaled up; a line that grows from hour to hour is not seen.`;
}

const rows: readonly {
  readonly name: string;
  readonly needsMany?: true;
  readonly of: (tally: Tally | Simulated) => string;
}[] = [
  { name: 'wait, half of them', of: ({ waits }) => minutes(waits?.p50) },
  { name: 'wait, 9 of 10', of: ({ waits }) => minutes(waits?.p90) },
  { name: 'wait, 19 of 20', of: ({ waits }) => minutes(waits?.p95) },
  { name: 'merged', of: ({ landed }) => String(landed) },
  // Omitted if there are few arrivals: the rate of a few merges within a minute would be misleading.
  { name: 'merged in an hour', needsMany: true, of: ({ landedPerHour }) => landedPerHour.toFixed(1) },
  { name: 'builds', of: ({ builds }) => String(builds) },
  { name: 'builds for each merged', of: ({ buildsPerLanding }) => buildsPerLanding?.toFixed(2) ?? '–' },
  { name: 'blocked for a failed build', of: ({ ejected }) => String(ejected) },
  { name: '  of them unjustly', of: (each) => ('red' in each ? String(each.ejectedUnjustly) : '–') },
  { name: 'red commits', of: (each) => ('red' in each ? String(each.red) : '–') },
  { name: 'merged without a build of the whole', of: (each) => ('red' in each ? String(each.composed) : '–') },
];

function minutes(seconds: number | undefined): string {
  return seconds === undefined ? '–' : `${(seconds / 60).toFixed(1)} min`;
}

runTool(main);
