// A prepared statement whose columns are described only once for each connection. pg asks for the description at each
// execution, and looks up the parser of each column again. For PostgreSQL and for this process, describing thirty columns
// costs as much as reading a row of them. The columns of a prepared statement never change: after a migration that
// changes them, PostgreSQL refuses the statement.
import pg from 'pg';

interface RowDescription {
  readonly fields: readonly object[];
}

interface DataRow {
  readonly fields: readonly (string | null)[];
}

/** The functions of pg's query that the client calls. */
interface Query {
  readonly name: string;
  callback: Answered;
  submit(connection: pg.Connection): Error | null;
  handleRowDescription(description: RowDescription): void;
  handleDataRow(row: DataRow): void;
  handleCommandComplete(message: object, connection: pg.Connection): void;
  handleReadyForQuery(connection: pg.Connection): void;
  handleError(error: Error, connection: pg.Connection): void;
}

export interface Answer {
  readonly rows: object[];
}

/** Called once, with an error or with the rows. */
export type Answered = (error: Error | null, answer: Answer) => void;

/** `answered` left out: `pool.query` returns a promise of the rows. */
type NewQuery = new (config: pg.QueryConfig, answered?: Answered) => Query;

/** Makes rows of the texts of their columns. */
interface RowParser {
  addFields(fields: readonly object[]): void;
  parseRow(texts: readonly (string | null)[]): object;
}

type NewRowParser = new (rowMode: undefined, types: typeof pg.types) => RowParser;

/** Those of a connection, by the names of the statements. Null: the statement returns no rows. */
type RowParsers = Map<string, RowParser | null>;

const rowParsersOf = new WeakMap<pg.Connection, RowParsers>();
const silent = new WeakMap<pg.Connection, pg.Connection>();

export class PreparedQuery extends (pg.Query as unknown as NewQuery) {
  readonly #rows: object[] = [];
  #parsers: RowParsers | undefined;
  #parser: RowParser | null | undefined;
  #failure: Error | undefined;

  override submit(connection: pg.Connection): Error | null {
    this.#parsers = parsersOf(connection);
    this.#parser = this.#parsers.get(this.name);
    return super.submit(this.#parser === undefined ? connection : withoutDescribe(connection));
  }

  override handleRowDescription({ fields }: RowDescription): void {
    this.#parser = new (pg.Result as unknown as NewRowParser)(undefined, pg.types);
    this.#parser.addFields(fields);
    this.#parsers?.set(this.name, this.#parser);
  }

  override handleDataRow({ fields }: DataRow): void {
    try {
      if (!this.#parser) throw new Error(`The columns of ${this.name} are unknown.`);
      this.#rows.push(this.#parser.parseRow(fields));
    } catch (error) {
      this.#failure ??= error as Error;
    }
  }

  override handleCommandComplete(message: object, connection: pg.Connection): void {
    if (this.#parser === undefined) this.#parsers?.set(this.name, null);
    super.handleCommandComplete(message, connection);
  }

  override handleReadyForQuery(connection: pg.Connection): void {
    if (this.#failure !== undefined) {
      this.handleError(this.#failure, connection);
      return;
    }
    const { callback } = this;
    this.callback = (error, answer) =>
      callback(error, error === null ? Object.assign(answer, { rows: this.#rows }) : answer);
    super.handleReadyForQuery(connection);
  }
}

function parsersOf(connection: pg.Connection): RowParsers {
  const known = rowParsersOf.get(connection);
  if (known !== undefined) return known;
  const made: RowParsers = new Map();
  rowParsersOf.set(connection, made);
  return made;
}

/** Sends a prepared statement by `send`, before this function returns. The promise resolves with the answer. */
export function sendPrepared(send: (query: PreparedQuery) => unknown, config: pg.QueryConfig): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  send(
    new PreparedQuery(config, (error, answer) => {
      if (error === null) resolve(answer);
      else reject(error);
    }),
  );
  return promise;
}

/** The same connection, over which no description is asked for. */
function withoutDescribe(connection: pg.Connection): pg.Connection {
  const known = silent.get(connection);
  if (known !== undefined) return known;
  const made = Object.create(connection, { describe: { value: () => {} } }) as pg.Connection;
  silent.set(connection, made);
  return made;
}
