// Changes how a connection sends its statements, to save round trips and planning.
import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { PreparedQuery, sendPrepared, type Answer, type Answered } from './prepared-query.ts';
import { idListsOf, listsOfOne, textOfSingleIds, valuesOfSingleIds } from './single-ids.ts';

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

interface Prepared {
  readonly name: string;
  readonly text: string;
  /** The numbers of the parameters that are lists of ids. */
  readonly idLists: readonly number[];
  /** The statements that are sent instead if some of these lists have one id, by the numbers of these lists. */
  readonly withSingleIds: Map<string, Prepared>;
}

/** Returns a function that names a statement of the session. Null: the statement is not prepared. */
function createNames() {
  const statements = new Map<string, Prepared>();
  let count = 0;
  const getOrName = (known: Map<string, Prepared>, key: string, textOf: () => string): Prepared | null => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const text = textOf();
    if (count >= maxNames || hasWildcard.test(text)) return null;
    count += 1;
    const made = { name: `text_${count}`, text, idLists: idListsOf(text), withSingleIds: new Map() };
    known.set(key, made);
    return made;
  };
  return (text: string, values: readonly unknown[]): pg.QueryConfig | null => {
    const statement = getOrName(statements, text, () => text);
    if (statement === null) return null;
    const single = listsOfOne(statement.idLists, values);
    if (single.length === 0) return { name: statement.name, text, values: [...values] };
    const sent = getOrName(statement.withSingleIds, single.join(), () => textOfSingleIds(text, single));
    return sent === null ? null : { name: sent.name, text: sent.text, values: [...valuesOfSingleIds(values, single)] };
  };
}

// Gives each statement with parameters a name, so that PostgreSQL parses and plans it once for each session instead of
// at each execution. Planning takes longer than executing most statements.
export function prepareStatements(client: pg.PoolClient): void {
  const send = client.query.bind(client) as unknown as AnyQuery;
  const prepare = createNames();
  const query: AnyQuery = (text, values, ...rest) => {
    const prepared =
      typeof text === 'string' && Array.isArray(values) && values.length > 0 ? prepare(text, values) : null;
    if (prepared === null) return send(text, values, ...rest);
    const [answered] = rest as [Answered?];
    return answered === undefined ? sendWithStack(send, prepared) : send(new PreparedQuery(prepared, answered));
  };
  Object.assign(client, { query });
}

// Like pg: the stack of an error shows who sent the statement, instead of the socket that received the error.
async function sendWithStack(send: AnyQuery, prepared: pg.QueryConfig): Promise<Answer> {
  try {
    return await sendPrepared(send, prepared);
  } catch (error) {
    Error.captureStackTrace(error as Error);
    throw error;
  }
}
