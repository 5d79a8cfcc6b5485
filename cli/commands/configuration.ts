// The command config, which shows, checks, compares, replaces and simulates the configuration of a repository.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import {
  ConfigurationDocument,
  ConfigurationHashDocument,
  PreviewConfigurationDocument,
  ReplaceConfigurationDocument,
  SimulateQueueDocument,
  type PreviewConfigurationQuery,
  type ProblemFragment,
  type SimulateQueueQuery,
} from '../generated/operations.ts';
import { Failure, type Outcome } from '../output/failure.ts';
import { table } from '../output/table.ts';
import {
  connect,
  examples,
  isConfirmed,
  nameOf,
  repositoryOf,
  unknownRepository,
  addHarmOptions,
  type HarmOptions,
  type Invocation,
  type Registry,
} from './invocation.ts';

const defaultFile = '.service/config.yml';

export function addConfigurationCommands({ program, action }: Registry): void {
  const config = program.command('config').description('Works on the configuration of the repository.');
  const file = ['[file]', `${defaultFile} if left out; - reads the standard input`] as const;
  config
    .command('show')
    .description('Prints the configuration in force.')
    .addHelpText('after', examples('interlock config show'))
    .action(action(show));
  config
    .command('lint')
    .description('Lists the problems of a configuration, with their lines. Nothing is written.')
    .argument(...file)
    .addHelpText('after', examples('interlock config lint', 'interlock config lint new.yml'))
    .action(action(lint));
  config
    .command('diff')
    .description('Shows which keys a configuration would change, and the impact of the change. Nothing is written.')
    .argument(...file)
    .addHelpText('after', examples('interlock config diff new.yml'))
    .action(action(diff));
  addHarmOptions(config.command('push'))
    .description('Replaces the configuration in force.')
    .argument(...file)
    .addHelpText('after', examples('interlock config push new.yml', 'interlock config push new.yml --yes'))
    .action(action(push));
  config
    .command('simulate')
    .description(
      'Replays the last days under the configuration in force, and under another one. This may take a minute.',
    )
    .argument('[file]', 'the other configuration; if left out, only the one in force; - reads the standard input')
    .option('--days <n>', 'how many days', '30')
    .option('-b, --branch <name>', 'base branch; the default branch if left out')
    .addHelpText('after', examples('interlock config simulate new.yml --days 14'))
    .action(action(simulate));
}

async function readYaml({ io }: Invocation, given = defaultFile): Promise<string> {
  if (given === '-') return await readAll(io.stdin);
  return await readFile(resolve(io.cwd, given), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure('usage', `${given} cannot be read (${error.code}). Name the file of the configuration.`);
  });
}

async function show(invocation: Invocation): Promise<void> {
  const api = await connect(invocation);
  const repository = await repositoryOf(invocation);
  const { repository: found } = await api.ask(ConfigurationDocument, repository);
  if (found === null) throw unknownRepository(repository);
  invocation.say(found.configuration.yaml.trimEnd());
  invocation.document({ repository: nameOf(repository), yaml: found.configuration.yaml });
}

type Preview = PreviewConfigurationQuery['previewConfiguration'];

async function preview(invocation: Invocation, yaml: string): Promise<Preview> {
  const repository = await repositoryOf(invocation);
  const api = await connect(invocation);
  return (await api.ask(PreviewConfigurationDocument, { input: { repository, yaml } })).previewConfiguration;
}

/** Formats a problem like a compiler's error, so that editors can jump to the place of the problem. */
function sentenceOf({ path, reason, line, column }: ProblemFragment, file = defaultFile): string {
  const place = [file === '-' ? 'standard input' : file, line, column].filter((part) => part !== null).join(':');
  return `${place}: ${[path.join('.'), reason].filter((part) => part !== '').join(': ')}`;
}

function documentOfProblems(problems: readonly ProblemFragment[]): object[] {
  return problems.map(({ path, reason, line, column }) => ({ path: path.join('.'), reason, line, column }));
}

async function lint(invocation: Invocation, _: object, file?: string): Promise<Outcome> {
  const { accepted, problems } = await preview(invocation, await readYaml(invocation, file));
  for (const problem of problems) invocation.say(sentenceOf(problem, file));
  if (accepted) invocation.say(`${file ?? defaultFile} is accepted.`);
  invocation.document({ accepted, problems: documentOfProblems(problems) });
  return accepted ? 'done' : 'refused';
}

async function diff(invocation: Invocation, _: object, file?: string): Promise<Outcome> {
  const found = await preview(invocation, await readYaml(invocation, file));
  sayChanges(invocation, found, file);
  invocation.document(documentOfChanges(found));
  return found.accepted ? 'done' : 'refused';
}

function sayChanges(
  { say, color }: Invocation,
  { accepted, problems, changedKeys, impact }: Preview,
  file?: string,
): void {
  for (const problem of problems) say(sentenceOf(problem, file));
  if (!accepted) return;
  if (changedKeys.length === 0) return say('Nothing would change.');
  for (const { key, before, after } of changedKeys) {
    if (before !== null) say(color.red(`- ${key}: ${before}`));
    if (after !== null) say(color.green(`+ ${key}: ${after}`));
  }
  if (impact) say(impact.sentence);
}

function documentOfChanges({ accepted, problems, changedKeys, impact }: Preview): object {
  return {
    accepted,
    problems: documentOfProblems(problems),
    changedKeys: changedKeys.map(({ key, before, after }) => ({ key, before, after })),
    impact: impact?.sentence ?? null,
  };
}

async function push(invocation: Invocation, options: HarmOptions, file?: string): Promise<Outcome> {
  const yaml = await readYaml(invocation, file);
  const api = await connect(invocation);
  const repository = await repositoryOf(invocation);
  // The hash is read before the changes that the user confirms, so that no other configuration is replaced.
  const { repository: known } = await api.ask(ConfigurationHashDocument, repository);
  const found = await preview(invocation, yaml);
  sayChanges(invocation, found, file);
  const isWanted =
    found.accepted &&
    found.changedKeys.length > 0 &&
    (await isConfirmed(invocation, options, 'The configuration would be replaced.'));
  if (isWanted) {
    const input = { repository, yaml, expectedHash: known?.configuration.hash ?? null };
    const { outcome } = (await api.ask(ReplaceConfigurationDocument, { input })).replaceConfiguration;
    if ('problems' in outcome) {
      for (const problem of outcome.problems) invocation.say(sentenceOf(problem, file));
      invocation.document({ ...documentOfChanges(found), done: false, problems: documentOfProblems(outcome.problems) });
      return 'refused';
    }
    invocation.say('The configuration is in force.');
  }
  invocation.document({ ...documentOfChanges(found), done: isWanted });
  return found.accepted ? 'done' : 'refused';
}

interface SimulateOptions {
  readonly days: string;
  readonly branch?: string;
}

async function simulate(invocation: Invocation, { days, branch }: SimulateOptions, file?: string): Promise<Outcome> {
  const count = Number(days);
  if (!Number.isInteger(count) || count < 1)
    throw new Failure('usage', `--days must be a number from 1, not ${days}.`, { field: 'days' });
  const yaml = file === undefined ? null : await readYaml(invocation, file);
  const input = {
    repository: await repositoryOf(invocation),
    days: count,
    ...(branch !== undefined && { baseBranch: branch }),
    ...(yaml !== null && { yaml }),
  };
  const api = await connect(invocation);
  invocation.printProgress(`Replaying ${count} ${count === 1 ? 'day' : 'days'} …`);
  const { simulateQueue: simulated } = await api.ask(SimulateQueueDocument, { input });
  for (const problem of simulated.problems) invocation.say(sentenceOf(problem, file));
  if (simulated.accepted) invocation.say(draw(simulated));
  const { problems, ...rest } = simulated;
  invocation.document({ ...rest, problems: documentOfProblems(problems) });
  return simulated.accepted ? 'done' : 'refused';
}

type Simulation = SimulateQueueQuery['simulateQueue'];

function draw({ arrivals, assumptions, observed, present, other }: Simulation): string {
  const ways = [
    ['as it was', observed],
    ['in force', present],
    ['other', other],
  ] as const;
  const shown = ways.flatMap(([name, tally]) => (tally === null ? [] : [{ name, ...tally }]));
  const row = (name: string, value: (tally: (typeof shown)[number]) => number | null | undefined): string[] => [
    name,
    ...shown.map((tally) => String(value(tally) ?? '')),
  ];
  const rows = [
    ['', ...shown.map(({ name }) => name)],
    row('merged', ({ landed }) => landed),
    row('builds', ({ builds }) => builds),
    row('ejected', ({ ejected }) => ejected),
    row('half wait at most (s)', ({ waits }) => waits?.p50),
    row('nine of ten wait at most (s)', ({ waits }) => waits?.p90),
  ];
  return [`${arrivals} pull requests arrived.`, table(rows).trimEnd(), ...assumptions].join('\n');
}
