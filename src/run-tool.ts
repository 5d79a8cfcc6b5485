// How the programs besides `npm start` read their arguments and end. Exit codes and the documents of `--json` are those
// of docs/command-line.md.
import { CommanderError, type Command } from 'commander';
import color from 'picocolors';
import { exitCodes, outcomeOf, type Outcome } from './platform/exit-codes.ts';
import { DomainError } from './domain/errors.ts';
import { createProgress, type Progress } from './launcher/progress.ts';
import { readSecretFiles } from './launcher/secret-files.ts';
import { StartError } from './launcher/start-error.ts';
import { errorText, secretsOf, textRedactor } from './platform/logging.ts';
import { isOutage } from './platform/outage.ts';

/**
 * Parses the arguments of this process. Throws CommanderError after `--help`, for which `runTool` prints nothing.
 * Throws StartError if arguments are wrong, with a message that names the help.
 */
export function parseArguments(command: Command): void {
  command
    .exitOverride((error) => {
      if (error.exitCode === 0) throw error;
      throw new StartError(`${withoutPrefix(error)} (${command.name()} --help)`, 'usage');
    })
    .configureOutput({ writeErr: () => {} })
    .parse();
}

function withoutPrefix({ message }: CommanderError): string {
  return message.replace(/^error: /, '');
}

/**
 * Progress for the user. With `--json` it is written to the standard error, because the standard output is one document.
 */
export function progressOf({ json }: { readonly json: boolean | undefined }): Progress {
  return createProgress((line) => void (json ? process.stderr : process.stdout).write(`${line}\n`));
}

/** Prints the result of a program: with `--json` the document, otherwise the lines. */
export function printResult(
  { json }: { readonly json: boolean | undefined },
  document: object,
  lines: readonly string[],
): void {
  console.log(json ? JSON.stringify(document, null, 2) : lines.join('\n'));
}

/** Runs a program. `main` returns the exit code. Failures are printed without secrets. */
export function runTool(main: () => Promise<number>): void {
  const run = async (): Promise<number> => {
    readSecretFiles(process.env);
    return await main();
  };
  run().then(
    (code) => process.exit(code),
    (error: unknown) => process.exit(exitCodes[printFailure(error, process.argv.includes('--json'))]),
  );
}

/** Prints why a program failed, without secrets, and returns its outcome. */
export function printFailure(error: unknown, isJson = false): Outcome {
  if (error instanceof CommanderError && error.exitCode === 0) return 'done';
  const { outcome, message, code = outcome.toUpperCase(), field = null } = failureOf(error);
  const shown = textRedactor(secretsOf(process.env))(message);
  if (isJson) console.error(JSON.stringify({ error: { code, message: shown, field } }));
  else console.error(outcome === 'failed' ? shown : color.red(shown));
  return outcome;
}

interface Failure {
  readonly outcome: Outcome;
  readonly message: string;
  readonly code?: string;
  readonly field?: string | undefined;
}

function failureOf(error: unknown): Failure {
  if (error instanceof CommanderError) return { outcome: 'usage', message: withoutPrefix(error) };
  if (error instanceof StartError) return error;
  if (error instanceof DomainError) {
    const { code, message, field } = error;
    return { outcome: outcomeOf(code), code, message, field };
  }
  if (error instanceof Error && isOutage(error)) {
    const reason = error.message || (error as NodeJS.ErrnoException).code;
    return { outcome: 'unreachable', message: `The database does not answer (${reason}). Try again.` };
  }
  return { outcome: 'failed', message: errorText(error) };
}
