// Changes how a connection sends its statements, to save round trips and planning.
import type { Duplex } from 'node:stream';
import type pg from 'pg';

type Query = (text: unknown, values?: readonly unknown[], ...rest: unknown[]) => Promise<unknown>;

/**
 * A statement that begins with this comment is sent together with the next statement of its transaction, which saves
 * one round trip. It returns no rows. If it fails, the next statement fails with its error. The next statement may be
 * COMMIT.
 */
export const sentWithNext = '/* sent with next */';

const noRows = { command: '', rowCount: null, rows: [], fields: [] };
const begins = /^(?:begin|start transaction)/;
const setsAccount = /^select set_config\(/;
// An UPDATE that MikroORM makes from changed entities. MikroORM needs the answer only to compare versions, and no entity
// has a version that MikroORM manages.
const storesChanges = /^update "(?!.* returning )/s;

interface Held {
  readonly text: string;
  readonly values: readonly unknown[] | undefined;
}

// A unit of work sends BEGIN and waits, then sets its account and waits, and only then sends its first query. Here these
// statements, the updates of changed entities, and other statements that need no answer are held back, and sent
// together with the next statement. The connection must be in pipeline mode, in which it does not wait for an answer
// before it sends the next statement.
export function sendInOneRoundTrip(client: pg.PoolClient): void {
  const sendAlone = client.query.bind(client) as unknown as Query;
  let held: Held[] = [];
  let isInTransaction = false;
  let firstError: unknown;
  // After an error PostgreSQL refuses the other statements of the transaction. They fail with the first error too,
  // because the caller of statements that are sent at once may see any of their errors.
  const send: Query = async (...statement) => {
    writeTogether(client);
    try {
      return await sendAlone(...statement);
    } catch (error) {
      firstError ??= error;
      throw isRefusedAfterError(error) ? firstError : error;
    }
  };
  const query: Query = async (text, values, ...rest) => {
    if (typeof text === 'string' && (begins.test(text) || (isInTransaction && isHeldBack(text, held)))) {
      if (!isInTransaction) firstError = undefined;
      isInTransaction = true;
      held.push({ text, values });
      return noRows;
    }
    if (text === 'commit' || text === 'rollback') isInTransaction = false;
    if (held.length === 0) return await send(text, values, ...rest);
    const before = inFewMessages(held);
    held = [];
    if (text === 'rollback') return startsTransaction(before) ? noRows : await send(text);
    const answers = [...before.map(async (one) => await send(one.text, one.values)), send(text, values, ...rest)];
    return (await allOf(answers)).at(-1);
  };
  Object.assign(client, { query });
}

const isRefusedAfterError = (error: unknown): boolean => (error as { readonly code?: unknown }).code === '25P02';

// Statements that are sent before the code waits for anything are written to the connection by one system call.
function writeTogether(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

const isHeldBack = (text: string, held: readonly Held[]): boolean =>
  text.startsWith(sentWithNext) ||
  storesChanges.test(text) ||
  (setsAccount.test(text) && held.length === 1 && startsTransaction(held));

const startsTransaction = ([first]: readonly Held[]): boolean => first !== undefined && begins.test(first.text);

/** Joins BEGIN and the next statement, because PostgreSQL accepts both in one message if they have no parameters. */
function inFewMessages([first, second, ...others]: readonly Held[]): readonly Held[] {
  if (first === undefined || second === undefined) return first === undefined ? [] : [first];
  const isJoined = begins.test(first.text) && !(second.values !== undefined && second.values.length > 0);
  return isJoined
    ? [{ text: `${first.text}; ${second.text}`, values: undefined }, ...others]
    : [first, second, ...others];
}

/** Waits for all answers, and then throws the error of the first that failed: later ones fail because of it. */
async function allOf(answers: readonly Promise<unknown>[]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(answers);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
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
