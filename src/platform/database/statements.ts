// Changes how a connection sends its statements, to save round trips and planning.
import type pg from 'pg';

type Query = (text: unknown, values?: readonly unknown[], ...rest: unknown[]) => Promise<unknown>;

// A unit of work sends BEGIN and waits, then sets its account and waits, and only then sends its first query. Here
// BEGIN is held back and sent in one message with the next statement, which saves one round trip for each transaction.
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
    // PostgreSQL accepts several statements in one message only if they have no parameters.
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

/**
 * A session keeps prepared statements until it ends, so their number is limited. Further texts are planned at each
 * execution.
 */
const maxNames = 1_000;

// PostgreSQL refuses a prepared statement whose result columns have changed. A migration that adds a column changes the
// result of a statement with a wildcard.
const hasWildcard = /\bselect \*|\breturning \*|\w\.\*/i;

/** `names`: the names of the session, by text. Null: the statement is not prepared. */
function nameOf(text: string, names: Map<string, string>): string | null {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= maxNames || hasWildcard.test(text)) return null;
  const name = `text_${names.size + 1}`;
  names.set(text, name);
  return name;
}

// Gives each statement with parameters a name, so that PostgreSQL parses and plans it once for each session instead of
// at each execution. Planning takes longer than executing most statements.
export function prepareStatements(client: pg.PoolClient): void {
  const send = client.query.bind(client) as unknown as AnyQuery;
  const names = new Map<string, string>();
  const query: AnyQuery = (text, values, ...rest) => {
    const name = typeof text === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(text, names) : null;
    return name === null ? send(text, values, ...rest) : send({ name, text, values }, ...rest);
  };
  Object.assign(client, { query });
}
