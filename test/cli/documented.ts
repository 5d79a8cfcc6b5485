// Reads from docs/command-line.md the keys of the documents of `--json`, and the exit codes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/platform/project-root.ts';
import type { CommandRun } from './terminal.ts';

const page = readFileSync(join(projectRoot, 'docs', 'command-line.md'), 'utf8');
const quoted = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
const rows = page
  .split('\n')
  .filter((line) => /^\| (?:each of )?`/.test(line))
  .map((line) => {
    const [, commands = '', keys = ''] = line.split('|');
    return { commands: quoted(commands), keys: quoted(keys).toSorted() };
  });

/** `[outcome, code]` of each row of the table of exit codes. */
export const documentedCodes = [...page.matchAll(/^\| (\d+) \| (\w+) \|/gm)].map(
  ([, code, outcome]) => [outcome, Number(code)] as const,
);

/** The documents that a run with `--json` printed: one document, a list, or one on each line. */
export function documentsOf({ stdout }: CommandRun, argv: readonly string[]): readonly object[] {
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

/** Whether the page has a row for this command with exactly the keys of the document. */
export function isDocumented(document: object, argv: readonly string[]): boolean {
  const words = argv.filter((word) => !word.startsWith('-'));
  const names = [words[0], `${words[0]} ${words[1]}`];
  const keys = Object.keys(document).toSorted().join();
  return rows.some((row) => row.commands.some((command) => names.includes(command)) && row.keys.join() === keys);
}
