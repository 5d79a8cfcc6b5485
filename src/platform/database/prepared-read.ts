// A prepared read whose columns are described only once for each connection. pg asks for the description at each
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
}

interface Answer {
  readonly rows: object[];
}

/** `answered`: called once, with an error or with the rows. Left out: `pool.query` returns a promise of the rows. */
type NewQuery = new (config: pg.QueryConfig, answered?: (error: Error | null, answer: Answer) => void) => Query;

/** The columns of the statements of a connection, by the names of the statements. */
const columnsOf = new WeakMap<pg.Connection, Map<string, RowDescription>>();
const silent = new WeakMap<pg.Connection, pg.Connection>();

export class PreparedRead extends (pg.Query as unknown as NewQuery) {
  /** Where the description is kept. Undefined: it is known already. */
  #columns: Map<string, RowDescription> | undefined;

  override submit(connection: pg.Connection): Error | null {
    const columns = columnsOf.get(connection) ?? new Map<string, RowDescription>();
    const known = columns.get(this.name);
    if (known !== undefined) {
      super.handleRowDescription(known);
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
}

/** The same connection, over which no description is asked for. */
function withoutDescribe(connection: pg.Connection): pg.Connection {
  const known = silent.get(connection);
  if (known !== undefined) return known;
  const made = Object.create(connection, { describe: { value: () => {} } }) as pg.Connection;
  silent.set(connection, made);
  return made;
}
