// How a connection sends its statements.
import type pg from 'pg';

type Query = (text: unknown, values?: readonly unknown[], ...rest: unknown[]) => Promise<unknown>;

// A unit of work says BEGIN, waits, sets its account, waits, and only then asks. Here BEGIN waits for the query behind
// it, and both go to the server in one message: one round trip less for each transaction.
export function sendBeginWithTheFirstQuery(client: pg.PoolClient): void {
  const send = client.query.bind(client) as unknown as Query;
  let isBeginDue = false;
  const query: Query = async (text, values, ...rest) => {
    if (text === 'begin') {
      isBeginDue = true;
      return { command: 'BEGIN', rowCount: null, rows: [], fields: [] };
    }
    if (!isBeginDue) return await send(text, values, ...rest);
    isBeginDue = false;
    // Only a text without parameters can carry another statement.
    if (typeof text === 'string' && (values === undefined || values.length === 0)) {
      const results = await send(`begin; ${text}`);
      return Array.isArray(results) ? results.at(-1) : results;
    }
    await send('begin');
    return await send(text, values, ...rest);
  };
  Object.assign(client, { query });
}

type AnyQuery = (statement: unknown, values?: unknown, ...rest: unknown[]) => unknown;

/** A session keeps its plans until it ends. Texts beyond these are planned each time. */
const mostNames = 1_000;
const names = new Map<string, string>();

// PostgreSQL refuses a prepared statement whose columns have changed, as those of a wildcard do when a migration adds
// one.
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

// A statement with parameters is parsed and planned once for each session and not for each execution: it gets a name by
// its text. Planning costs PostgreSQL more than executing most of them.
export function prepareStatements(client: pg.PoolClient): void {
  const send = client.query.bind(client) as unknown as AnyQuery;
  const query: AnyQuery = (text, values, ...rest) => {
    const name = typeof text === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(text) : null;
    return name === null ? send(text, values, ...rest) : send({ name, text, values }, ...rest);
  };
  Object.assign(client, { query });
}
