// Reads the parts of a help text.

/** The commands that a help text lists. */
export function commandsIn(help: string): readonly string[] {
  return partOf(help, 'Commands:').flatMap((line) => /^ {2}(\w[\w-]*)/.exec(line)?.[1] ?? []);
}

/** The examples of a help text, each on a line. Empty: there are none. */
export function exampleIn(help: string): string {
  return partOf(help, 'Examples:').join('\n');
}

/** The lines below a heading, up to the next empty line. */
function partOf(help: string, heading: string): readonly string[] {
  const lines = help.split('\n');
  const from = lines.indexOf(heading);
  if (from === -1) return [];
  const to = lines.indexOf('', from);
  return lines.slice(from + 1, to === -1 ? undefined : to);
}
