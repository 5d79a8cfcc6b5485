// The same programs are called by npm in a clone, and by `interlock` where the package is installed.

/** How the user calls a program, as help and messages show it: `npm run verify --` or `interlock verify`. */
export function calledAs(program: string): string {
  if (process.env['INTERLOCK_CALLED_AS'] === 'interlock') return `interlock ${program}`;
  return program === 'start' ? 'npm start --' : `npm run ${program} --`;
}
