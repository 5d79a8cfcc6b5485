// The commands that run other programs of this package. These programs do not use the API, but a data directory of this
// machine.
import type { Command } from 'commander';
import { resolve } from 'node:path';
import { outcomeOfExit } from '../../src/platform/exit-codes.ts';
import type { ProgramName } from '../output/io.ts';
import { repositoryOfCheckout } from '../client/checkout.ts';
import { Failure, type Outcome } from '../output/failure.ts';
import { examples, nameOf, repositoryOf, type Invocation, type Registry } from './invocation.ts';

const separatePrograms = [
  'start',
  'import',
  'backup',
  'restore',
  'export',
  'recover',
] as const satisfies readonly ProgramName[];

/** Whether a program of the package reads all options after its name, `--help` included. */
export function isSeparateProgram(name: string | undefined): name is (typeof separatePrograms)[number] {
  return separatePrograms.some((program) => program === name);
}

const descriptions = {
  start: 'Starts Interlock on this machine, with an embedded PostgreSQL and Temporal.',
  import: 'Imports any git repository into Interlock.',
  backup: 'Saves the database and the repositories.',
  restore: 'Restores what backup saved.',
  export: 'Writes all of a repository, or of an account, as JSON and git.',
  recover: 'Records what landed since a backup that was restored.',
} as const satisfies Record<(typeof separatePrograms)[number], string>;

export function addPrograms({ program, action }: Registry): void {
  for (const name of separatePrograms)
    program
      .command(name)
      .description(descriptions[name])
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw new Failure('usage', `Write the options after the command: interlock ${name} <options>`);
      });
  const runs = (name: 'verify' | 'doctor') =>
    action<ServiceOptions>(async (invocation, options, given) => await runOn(name, invocation, { options, given }));
  withServiceOptions(program.command('verify'))
    .description('Derives the proof of each landing again from git and the records. Needs the data directory.')
    .option('--export <file>', 'write the proofs as a file for verify.py instead')
    .addHelpText('after', examples('interlock verify acme/shop', 'interlock verify acme/shop --json'))
    .action(runs('verify'));
  withServiceOptions(program.command('doctor'))
    .description(
      'Checks whether a repository can land pull requests, and says how to add what is missing. Without a repository, checks the rules that always hold in an installation. Needs the data directory.',
    )
    .option('--growth', 'show instead how much disk the records take, and how old the oldest record of each kind is')
    .addHelpText('after', examples('interlock doctor acme/shop', 'interlock doctor --growth'))
    .action(runs('doctor'));
}

function withServiceOptions(command: Command): Command {
  return command
    .argument('[repository]', 'the repository as <owner>/<name>; if left out, the repository of the checkout')
    .option('--database-url <url>', 'your own PostgreSQL')
    .option('--account <name>', 'the account, if there are several');
}

interface ServiceOptions {
  readonly databaseUrl?: string;
  readonly account?: string;
  readonly export?: string;
  readonly growth?: boolean;
}

async function runOn(
  program: 'verify' | 'doctor',
  invocation: Invocation,
  { options, given }: { readonly options: ServiceOptions; readonly given: string | undefined },
): Promise<Outcome> {
  const { io, global } = invocation;
  const flags = [
    ...(global.data === undefined ? [] : ['--data', global.data]),
    ...(options.databaseUrl === undefined ? [] : ['--database-url', options.databaseUrl]),
    ...(options.account === undefined ? [] : ['--account', options.account]),
    ...(options.export === undefined ? [] : ['--export', resolve(io.cwd, options.export)]),
    ...(global.json ? ['--json'] : []),
  ];
  const subject = await subjectOf(program, invocation, { options, given });
  return outcomeOfExit(await io.runProgram(program, [...subject, ...flags]));
}

/** The arguments that name what to examine. `doctor` examines the whole installation if no repository is named. */
async function subjectOf(
  program: 'verify' | 'doctor',
  invocation: Invocation,
  { options, given }: { readonly options: ServiceOptions; readonly given: string | undefined },
): Promise<readonly string[]> {
  const { io, global } = invocation;
  if (options.growth) return ['--growth'];
  if (given !== undefined) return [given];
  const isNamed = global.repo !== undefined || (await repositoryOfCheckout(io.cwd)) !== null;
  return program === 'doctor' && !isNamed ? [] : [nameOf(await repositoryOf(invocation))];
}
