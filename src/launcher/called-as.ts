// The programs are called through npm in a clone, and as `interlock` if the package is installed.
import type { Command } from 'commander';

/** How the user calls a program, for help texts and messages: `npm run verify --` or `interlock verify`. */
export function calledAs(program: string): string {
  if (process.env['INTERLOCK_CALLED_AS'] === 'interlock') return `interlock ${program}`;
  return program === 'start' ? 'npm start --' : `npm run ${program} --`;
}

/**
 * The options that name the same installation in another call. The URL of the database is not repeated, because it may
 * contain a password.
 */
export function installationFlags({ data, databaseUrl }: { data: string; databaseUrl?: string | undefined }): string {
  const folder = /^[\w@%+=:,./-]+$/.test(data) ? data : `'${data.replaceAll("'", String.raw`'\''`)}'`;
  return [`--data ${folder}`, ...(databaseUrl === undefined ? [] : ['--database-url <url>'])].join(' ');
}

/** Lets the message about a wrong option or argument name the help of the command. `call` is what the user types. */
export function nameHelpInErrors(command: Command, call: string): void {
  command.configureOutput({
    outputError: (text, write) => write(`${text.replace(/^error: /, '').trimEnd()} (${call} --help)\n`),
  });
  for (const each of command.commands) nameHelpInErrors(each, `${call} ${each.name()}`);
}

/** The examples at the end of a program's help text. `calls` are the arguments of each example. */
export function examplesOf(program: string, ...calls: readonly string[]): string {
  return `\nExamples:\n${calls.map((call) => `  ${calledAs(program)} ${call}`).join('\n')}`;
}
