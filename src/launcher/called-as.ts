// The programs are called through npm in a clone, and as `interlock` if the package is installed.

/** How the user calls a program, for help texts and messages: `npm run verify --` or `interlock verify`. */
export function calledAs(program: string): string {
  if (process.env['INTERLOCK_CALLED_AS'] === 'interlock') return `interlock ${program}`;
  return program === 'start' ? 'npm start --' : `npm run ${program} --`;
}

/** The examples at the end of a program's help text. `calls` are the arguments of each example. */
export function examplesOf(program: string, ...calls: readonly string[]): string {
  return `\nExamples:\n${calls.map((call) => `  ${calledAs(program)} ${call}`).join('\n')}`;
}
