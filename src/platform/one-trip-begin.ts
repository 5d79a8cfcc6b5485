// A unit of work says BEGIN, waits, sets its account, waits, and only then asks. Here BEGIN waits for the query behind it,
// and both go to the server in one message: one round trip less for each transaction.
import type pg from 'pg';

type Query = (text: unknown, values?: readonly unknown[], ...rest: unknown[]) => Promise<unknown>;

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
