// What docs/command-line.md says about documents of `--json` and about exit codes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root.ts';
import type { Ran } from './terminal.ts';

const page = readFileSync(join(projectRoot, 'docs', 'command-line.md'), 'utf8');
const quoted = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
const rows = page
  .split('\n')
  .filter((line) => /^\| (?:each of )?`/.test(line))
  .map((line) => {
    const [, commands = '', keys = ''] = line.split('|');
    return { commands: quoted(commands), keys: quoted(keys).toSorted() };
  });

/** `[code, outcome]`, as the page has them. */
export const documentedCodes = [...page.matchAll(/^\| (\d+) \| (\w+) \|/gm)].map(
  ([, code, outcome]) => [outcome, Number(code)] as const,
);

/** The documents of a run with `--json`: one, a list, or one on each line. */
export function documentsOf({ stdout }: Ran, argv: readonly string[]): readonly object[] {
  if (!argv.includes('--json') || stdout === '') return [];
  const isOfMany = /^\{.*\}\n/.test(stdout);
  const documents = isOfMany
    ? stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object)
    : [JSON.parse(stdout) as object];
  return documents.flat();
}

/** Whether a row of the page for this command has exactly the keys of the document. */
export function isDocumented(document: object, argv: readonly string[]): boolean {
  const words = argv.filter((word) => !word.startsWith('-'));
  const names = [words[0], `${words[0]} ${words[1]}`];
  const keys = Object.keys(document).toSorted().join();
  return rows.some((row) => row.commands.some((command) => names.includes(command)) && row.keys.join() === keys);
}
