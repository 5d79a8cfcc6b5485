// The same programs are called by npm in a clone, and by `interlock` where the package is installed.

/** How the user calls a program, as help and messages show it: `npm run verify --` or `interlock verify`. */
export function calledAs(program: string): string {
  if (process.env['INTERLOCK_CALLED_AS'] === 'interlock') return `interlock ${program}`;
  return program === 'start' ? 'npm start --' : `npm run ${program} --`;
}

/** The examples that close the help of a program; each is what stands behind the program's name. */
export function examplesOf(program: string, ...calls: readonly string[]): string {
  return `\nExamples:\n${calls.map((call) => `  ${calledAs(program)} ${call}`).join('\n')}`;
}
