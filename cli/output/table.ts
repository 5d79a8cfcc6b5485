// Draws rows in columns, without borders.
import Table from 'cli-table3';

const noChars = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
  ].map((name) => [name, '']),
);

/** Draws a table. The text ends with a line break, or is empty if there are no rows. */
export function table(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const drawn = new Table({
    chars: { ...noChars, middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  drawn.push(...rows.map((row) => [...row]));
  return `${drawn.toString().replaceAll(/ +$/gm, '')}\n`;
}
