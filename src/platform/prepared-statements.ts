// A statement with parameters is parsed and planned once for each session and not for each execution: it gets a name by
// its text. Planning costs PostgreSQL more than executing most of them.
import type pg from 'pg';

type Query = (statement: unknown, values?: unknown, ...rest: unknown[]) => unknown;

/** A session keeps its plans until it ends. Texts beyond these are planned each time. */
const mostNames = 1_000;
const names = new Map<string, string>();

// PostgreSQL refuses a prepared statement whose columns have changed, as those of a wildcard do when a migration adds one.
const hasWildcard = /\bselect \*|\breturning \*|\w\.\*/i;

/** Null: the statement is not prepared. */
function nameOf(text: string): string | null {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= mostNames || hasWildcard.test(text)) return null;
  const name = `text_${names.size + 1}`;
  names.set(text, name);
  return name;
}

export function prepareStatements(client: pg.PoolClient): void {
  const send = client.query.bind(client) as unknown as Query;
  const query: Query = (text, values, ...rest) => {
    const name = typeof text === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(text) : null;
    return name === null ? send(text, values, ...rest) : send({ name, text, values }, ...rest);
  };
  Object.assign(client, { query });
}
