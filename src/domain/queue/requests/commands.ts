// Reads commands in comments: `/interlock <command>`, one on each line.
export type Command =
  | { readonly kind: 'queue' }
  | { readonly kind: 'dequeue' }
  | { readonly kind: 'skip_line'; readonly reason: string | null }
  | { readonly kind: 'skip_validation' }
  | { readonly kind: 'refresh' }
  | { readonly kind: 'sync' }
  | { readonly kind: 'backport'; readonly branch: string }
  | { readonly kind: 'help' };

/** A line that begins like a command but is not one. The sentence says why. */
export interface InvalidCommand {
  readonly kind: 'invalid';
  readonly text: string;
}

const address = '/interlock';
const maxCommands = 5;

/** The commands of a comment in their order, at most five. Quoted lines and code are ignored. */
export function readCommands(body: string): (Command | InvalidCommand)[] {
  return linesOutsideQuotes(body)
    .filter((line) => line === address || line.startsWith(`${address} `))
    .slice(0, maxCommands)
    .map((line) => readCommand(line.slice(address.length).trim()));
}

function linesOutsideQuotes(body: string): string[] {
  const lines: string[] = [];
  let fence: string | null = null;
  for (const line of body.split(/\r\n|\r|\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    if (fence !== null) {
      if (mark !== null && mark.startsWith(fence) && line.trim() === mark) fence = null;
    } else if (mark !== null) fence = mark;
    else if (/^ {0,3}\S/.test(line)) lines.push(line.trim());
  }
  return lines;
}

function readCommand(text: string): Command | InvalidCommand {
  const [, name = '', rest = ''] = /^(\S*)\s*(.*)$/.exec(text) ?? [];
  const word = name.toLowerCase();
  switch (word) {
    case 'queue':
    case 'merge':
      return withoutArguments({ kind: 'queue' }, word, rest);
    case 'dequeue':
    case 'cancel':
      return withoutArguments({ kind: 'dequeue' }, word, rest);
    case 'skip-validation':
      return withoutArguments({ kind: 'skip_validation' }, word, rest);
    case 'refresh':
      return withoutArguments({ kind: 'refresh' }, word, rest);
    case 'sync':
      return withoutArguments({ kind: 'sync' }, word, rest);
    case 'skip-line':
      return { kind: 'skip_line', reason: rest === '' ? null : rest };
    case 'backport':
      return /^\S+$/.test(rest)
        ? { kind: 'backport', branch: rest }
        : { kind: 'invalid', text: 'backport needs the name of one branch: `/interlock backport release-1`.' };
    case 'help':
    case '':
      return { kind: 'help' };
    default:
      return {
        kind: 'invalid',
        text: `\`${name.replaceAll('`', '')}\` is not a command. \`/interlock help\` lists the commands.`,
      };
  }
}

// A command without arguments. Text after the command makes it invalid: "merge after lunch" does not mean "merge".
function withoutArguments(command: Command, word: string, rest: string): Command | InvalidCommand {
  return rest === '' ? command : { kind: 'invalid', text: `\`${word}\` takes no text after it.` };
}

const usages = {
  queue: '`/interlock queue` (or `merge`) asks to merge this pull request.',
  dequeue: '`/interlock dequeue` (or `cancel`) takes this pull request out of the queue.',
  skip_line: '`/interlock skip-line [reason]` queues this pull request ahead of the others. Needs authorisation.',
  skip_validation:
    '`/interlock skip-validation` queues this pull request to be merged without validation. Needs authorisation.',
  refresh: '`/interlock refresh` reads the checks, reviews and state of this pull request again.',
  sync: '`/interlock sync` brings this pull request up to date with its base branch.',
  backport: '`/interlock backport <branch>` opens a pull request with the same change for another branch.',
  help: '`/interlock help` lists these commands.',
} as const satisfies Record<Command['kind'], string>;

export function helpText(kinds: readonly Command['kind'][]): string {
  return ['Commands, each on a line of its own:', '', ...kinds.map((kind) => `- ${usages[kind]}`)].join('\n');
}

const minFailingMs = 5 * 60_000;
const minAttempts = 5;

/** Whether a comment whose commands fail repeatedly is skipped. Later comments wait for it until then. */
export function isPassedOver({
  attempts,
  failingForMs,
}: {
  readonly attempts: number;
  readonly failingForMs: number;
}): boolean {
  return attempts >= minAttempts && failingForMs >= minFailingMs;
}

export interface CommandRestriction {
  readonly commands: readonly ('skip_line' | 'skip_validation' | 'dequeue')[];
  readonly allowedActors: readonly string[];
}

/** Who may use a command: users as `@user`, teams as `@org/team`. Null: everybody. */
export function allowedActors(
  restrictions: readonly CommandRestriction[],
  kind: Command['kind'],
): readonly string[] | null {
  const matching = restrictions.filter(({ commands }) => commands.some((command) => command === kind));
  return matching.length === 0 ? null : matching.flatMap(({ allowedActors: actors }) => actors);
}
