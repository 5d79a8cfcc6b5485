// Finds the rows of docs/interface.md that the contract covers: by a case that names the row, by a shape that contains
// it, or by another test.
import { type Contract, type Notation } from './contract.ts';
import { namesIn } from './notation.ts';
import { type Page, type Row, rowsNamed } from './page.ts';

interface Holder {
  readonly section: string;
  /** The fields and values in its shapes. */
  readonly names: ReadonlySet<string>;
}

export function holdersOf(contracts: readonly Contract[]): Holder[] {
  const holder = (section: string, ...shapes: readonly (Notation | undefined)[]): Holder => ({
    section,
    names: new Set(shapes.flatMap((shape) => (shape === undefined ? [] : namesIn(shape)))),
  });
  return contracts.flatMap(({ operations, payloads, cases, elsewhere }) => [
    ...operations.map(({ section, query, body, bodies, answers }) =>
      holder(section, query, body, ...Object.values(bodies ?? {}), ...Object.values(answers)),
    ),
    ...payloads.map(({ section, payload }) => holder(section, payload)),
    ...[...cases, ...elsewhere].map(({ section }) => holder(section)),
  ]);
}

export function referencesOf(section: string): string[] {
  return section.split(';').map((each) => each.trim());
}

/** The rows that nothing covers. */
export function rowsWithoutCase(page: Page, holders: readonly Holder[]): Row[] {
  const named = new Set(
    holders.flatMap(({ section }) =>
      referencesOf(section).flatMap((each) => (each.includes(' ') ? rowsNamed(page, each) : [])),
    ),
  );
  const shown = (row: Row): boolean =>
    holders.some(
      ({ section, names }) =>
        referencesOf(section).some((each) => each.split(' ')[0] === row.section) &&
        row.names.every((name) => names.has(name)),
    );
  return page.rows.filter((row) => !named.has(row) && !shown(row));
}
