// The command line `interlock`. `run` takes the arguments and the parts of the process that it may use, and returns the
// exit code.
import { Command, CommanderError } from 'commander';
import { addAccountCommands } from './commands/account.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfigurationCommands } from './commands/configuration.ts';
import { addHaltCommands } from './commands/halts.ts';
import { invocationOf, type GlobalOptions, type Registry } from './commands/invocation.ts';
import { addMcpCommand } from './commands/mcp.ts';
import { addPrograms, isSeparateProgram } from './commands/programs.ts';
import { addPullRequestCommands } from './commands/pull-requests.ts';
import { addReleaseCommands } from './commands/releases.ts';
import { addRunbookCommands } from './commands/runbooks.ts';
import { addStatusCommand } from './commands/status.ts';
import { addWebhookCommands } from './commands/webhooks.ts';
import { exitCodes } from '../src/platform/exit-codes.ts';
import { Failure, type Outcome } from './output/failure.ts';
import type { Io } from './output/io.ts';

export interface RunOptions {
  readonly version: string;
}

/** The functions that add commands, in the order in which the help lists the commands. */
const parts = [
  addStatusCommand,
  addPullRequestCommands,
  addHaltCommands,
  addReleaseCommands,
  addRunbookCommands,
  addConfigurationCommands,
  addWebhookCommands,
  addMcpCommand,
  addAccountCommands,
  addPrograms,
];

/** `argv` begins with the name of the command. */
export async function run(argv: readonly string[], io: Io, { version }: RunOptions): Promise<number> {
  const [first, second] = argv;
  try {
    if (isSeparateProgram(first)) return await io.runProgram(first, argv.slice(1));
    if (first === 'help' && isSeparateProgram(second)) return await io.runProgram(second, ['--help']);
    const outcome = await parse(argv, io, version);
    return exitCodes[io.signal.aborted ? 'interrupted' : outcome];
  } catch (error) {
    return exitCodes[report(error, io, argv.includes('--json'))];
  }
}

async function parse(argv: readonly string[], io: Io, version: string): Promise<Outcome> {
  let outcome: Outcome = 'done';
  const program = new Command('interlock')
    .description('The merge queue from a terminal. `interlock <command> --help` explains a command.')
    .version(version)
    .option('--url <address>', 'the address of the service (INTERLOCK_URL)')
    .option('--repo <owner/name>', 'the repository; if left out, the repository of the checkout')
    .option('--data <dir>', 'the data directory of a service on this machine (INTERLOCK_DATA)')
    .option('--json', 'print one JSON document instead of text')
    .option('--no-color', 'print without colours (NO_COLOR)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: () => undefined });
  const registry: Registry = {
    program,
    action: (work) =>
      async function act(this: Command) {
        const invocation = invocationOf(io, this.optsWithGlobals<GlobalOptions>());
        outcome = (await work(invocation, this.opts(), ...(this.processedArgs as (string | undefined)[]))) ?? 'done';
      },
  };
  for (const add of parts) add(registry);
  await addCompletion(program, argv[0]);
  nameHelpIn(program, 'interlock', argv.includes('--json'));
  await program.parseAsync(argv, { from: 'user' });
  return outcome;
}

/** Makes each usage error of the library a failure that names the help of its command. */
function nameHelpIn(command: Command, path: string, isJson: boolean): void {
  command.exitOverride((error) => {
    if (error.exitCode === 0) throw error;
    // The library throws `commander.help` if a command was called without the command below it.
    if (error.code !== 'commander.help')
      throw new Failure('usage', `${error.message.replace(/^error: /, '')} (${path} --help)`);
    const below = command.commands.map((each) => each.name()).join(', ');
    throw new Failure('usage', isJson ? `Name a command after ${path}: ${below}` : command.helpInformation().trimEnd());
  });
  for (const each of command.commands) nameHelpIn(each, `${path} ${each.name()}`, isJson);
}

/** Writes the failure to the standard error, as its message or with `--json` as a document. */
function report(error: unknown, io: Io, isJson: boolean): Outcome {
  if (error instanceof CommanderError && error.exitCode === 0) return 'done';
  const failure = io.signal.aborted ? new Failure('interrupted', 'Interrupted.') : failureOf(error);
  const { outcome, message, code, field } = failure;
  io.stderr.write(`${isJson ? JSON.stringify({ error: { code, message, field } }) : message}\n`);
  return outcome;
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure('failed', error instanceof Error ? (error.stack ?? error.message) : String(error));
}
