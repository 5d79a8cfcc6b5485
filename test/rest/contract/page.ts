// Reads docs/interface.md as the cases name it: numbered sections, and the rows of their tables.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const file = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'interface.md');

export interface Row {
  readonly section: string;
  /** The names in the first cell: one field or several. */
  readonly names: readonly string[];
  /** The text of the cells, without markup and without the mark of Interlock's own choices. */
  readonly text: string;
}

export interface Page {
  readonly sections: ReadonlySet<string>;
  readonly rows: readonly Row[];
}

export function readPage(markdown = readFileSync(file, 'utf8')): Page {
  const sections = new Set<string>();
  const rows: Row[] = [];
  let section = '';
  let table: string[][] = [];
  const end = (): void => {
    rows.push(...rowsOf(table, section));
    table = [];
  };
  for (const line of markdown.split('\n')) {
    const [, heading] = /^#{2,3} (\d+(?:\.\d+)?)\.? /.exec(line) ?? [];
    if (line.startsWith('|')) table.push(cellsOf(line));
    else end();
    if (heading !== undefined) sections.add((section = heading));
  }
  end();
  return { sections, rows };
}

/** The rows of a reference such as `4.3 pull_request.number`: a section, and the first words of the row. */
export function rowsNamed({ rows }: Page, reference: string): Row[] {
  const [section = '', ...words] = reference.split(' ');
  const begin = words.join(' ');
  return rows.filter(
    (row) => row.section === section && row.text.startsWith(begin) && isWordEnd(row.text.slice(begin.length)),
  );
}

function isWordEnd(rest: string): boolean {
  return /^(?:$|[\s,:;])/.test(rest);
}

function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.replaceAll(/\*\*Interlock:\*\* ?|\*\*|`/g, '').trim());
}

function rowsOf([head, , ...lines]: readonly string[][], section: string): Row[] {
  if (head === undefined) return [];
  // If the heads repeat, a line has two rows side by side.
  const again = head.indexOf(head[0] ?? '', 1);
  const width = again > 0 ? again : head.length;
  return lines
    .flatMap((cells) => [cells.slice(0, width), cells.slice(width)])
    .map((cells) => ({ section, names: (cells[0] ?? '').split(', '), text: cells.filter(Boolean).join(' ') }))
    .filter(({ text }) => text !== '');
}
