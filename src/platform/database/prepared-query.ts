// A prepared statement whose columns are described only once for each connection. pg asks for the description at each
// execution. For PostgreSQL and for this process, describing thirty columns costs as much as reading a row of them. The
// columns of a prepared statement never change: after a migration that changes them, PostgreSQL refuses the statement.
import pg from 'pg';

interface RowDescription {
  readonly fields: readonly object[];
}

/** The functions of pg's query that the client calls. */
interface Query {
  readonly name: string;
  submit(connection: pg.Connection): Error | null;
  handleRowDescription(description: RowDescription): void;
  handleCommandComplete(message: object, connection: pg.Connection): void;
}

export interface Answer {
  readonly rows: object[];
}

/** Called once, with an error or with the rows. */
export type Answered = (error: Error | null, answer: Answer) => void;

/** `answered` left out: `pool.query` returns a promise of the rows. */
type NewQuery = new (config: pg.QueryConfig, answered?: Answered) => Query;

/** The columns of the statements of a connection, by the names of the statements. Null: the statement returns no rows. */
type Columns = Map<string, RowDescription | null>;

const columnsOf = new WeakMap<pg.Connection, Columns>();
const silent = new WeakMap<pg.Connection, pg.Connection>();

export class PreparedQuery extends (pg.Query as unknown as NewQuery) {
  /** Where the description is kept. Undefined: it is known already. */
  #columns: Columns | undefined;

  override submit(connection: pg.Connection): Error | null {
    const columns = columnsOf.get(connection) ?? new Map<string, RowDescription | null>();
    const known = columns.get(this.name);
    if (known !== undefined) {
      if (known !== null) super.handleRowDescription(known);
      return super.submit(withoutDescribe(connection));
    }
    columnsOf.set(connection, columns);
    this.#columns = columns;
    return super.submit(connection);
  }

  override handleRowDescription(description: RowDescription): void {
    this.#columns?.set(this.name, description);
    super.handleRowDescription(description);
  }

  override handleCommandComplete(message: object, connection: pg.Connection): void {
    if (this.#columns?.has(this.name) === false) this.#columns.set(this.name, null);
    super.handleCommandComplete(message, connection);
  }
}

/** The same connection, over which no description is asked for. */
function withoutDescribe(connection: pg.Connection): pg.Connection {
  const known = silent.get(connection);
  if (known !== undefined) return known;
  const made = Object.create(connection, { describe: { value: () => {} } }) as pg.Connection;
  silent.set(connection, made);
  return made;
}
