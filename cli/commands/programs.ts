// Programs of this package that need more than the API: they work on a data directory of this machine.
import { resolve } from 'node:path';
import type { ProgramName } from '../output/io.ts';
import { Failure, type Outcome } from '../output/failure.ts';
import { examples, nameOf, repositoryOf, type Invocation, type Registry } from './invocation.ts';

const passedOn = [
  'start',
  'import',
  'backup',
  'restore',
  'export',
  'recover',
] as const satisfies readonly ProgramName[];

/** These read their own options, `--help` included. */
export function isPassedOn(name: string | undefined): name is (typeof passedOn)[number] {
  return passedOn.some((program) => program === name);
}

const descriptions = {
  start: 'Starts Interlock on this machine, with an embedded PostgreSQL and Temporal.',
  import: 'Makes a repository of any git repository.',
  backup: 'Saves the database and the repositories.',
  restore: 'Restores what backup saved.',
  export: 'Writes all of a repository, or of an account, as JSON and git.',
  recover: 'Records what landed since a backup that was restored.',
} as const satisfies Record<(typeof passedOn)[number], string>;

export function addPrograms({ program, action }: Registry): void {
  for (const name of passedOn)
    program
      .command(name)
      .description(descriptions[name])
      .helpOption(false)
      .allowUnknownOption()
      .allowExcessArguments()
      .action(() => {
        throw new Failure('usage', `Write the options behind the command: interlock ${name} <options>`);
      });
  for (const [name, description] of [
    ['verify', 'Derives the proof of each landing again from git and the records.'],
    ['doctor', 'Proves that a repository can land pull requests, and names the cure for what is missing.'],
  ] as const) {
    const command = program
      .command(name)
      .description(`${description} Needs the data directory.`)
      .argument('[repository]', 'as <owner>/<name>; that of the checkout if left out')
      .option('--database-url <url>', 'a PostgreSQL of yours')
      .option('--account <name>', 'account, where there are several')
      .addHelpText('after', examples(`interlock ${name} acme/shop`, `interlock ${name} acme/shop --json`))
      .action(
        action<ServiceOptions>(async (invocation, options, given) => await runOn(name, invocation, { options, given })),
      );
    if (name === 'verify') command.option('--export <file>', 'write the proofs as a file for verify.py instead');
  }
}

interface ServiceOptions {
  readonly databaseUrl?: string;
  readonly account?: string;
  readonly export?: string;
}

async function runOn(
  program: 'verify' | 'doctor',
  invocation: Invocation,
  { options, given }: { readonly options: ServiceOptions; readonly given: string | undefined },
): Promise<Outcome> {
  const { io, global } = invocation;
  const repository = given ?? nameOf(await repositoryOf(invocation));
  const flags = [
    ...(global.data === undefined ? [] : ['--data', global.data]),
    ...(options.databaseUrl === undefined ? [] : ['--database-url', options.databaseUrl]),
    ...(options.account === undefined ? [] : ['--account', options.account]),
    ...(options.export === undefined ? [] : ['--export', resolve(io.cwd, options.export)]),
    ...(global.json ? ['--json'] : []),
  ];
  return (await io.runProgram(program, [repository, ...flags])) === 0 ? 'done' : 'refused';
}
