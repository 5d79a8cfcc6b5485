// Finds the rows that belong to a repository or an account, by the tables' columns and foreign keys. A new table
// therefore needs no entry in a list.

export interface CatalogueTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns that may be null. */
  readonly nullable: readonly string[];
}

export interface ForeignKey {
  readonly table: string;
  readonly columns: readonly string[];
  readonly parent: string;
  readonly parentColumns: readonly string[];
}

export interface Catalogue {
  readonly tables: readonly CatalogueTable[];
  readonly foreignKeys: readonly ForeignKey[];
}

export interface OwnedRows {
  readonly table: string;
  /** An SQL condition on rows `t`. $1 is the account, and $2 the repository. */
  readonly where: string;
}

export interface Ownership {
  /** Columns that are set to null first, because their tables refer to each other in a circle. */
  readonly unlinked: readonly (OwnedRows & { readonly column: string })[];
  /** The rows to delete, in an order that foreign keys allow. A table may occur twice. */
  readonly owned: readonly (OwnedRows & {
    /** An SQL condition: the rows that can be deleted first. */ readonly leaf: string;
  })[];
}

const account = 'account_id';

/** All rows of an account, and the account's own row. `spared`: tables whose rows outlive the account. */
export function planAccount({ tables, foreignKeys }: Catalogue, spared: readonly string[]): Ownership {
  const where = new Map<string, readonly string[]>();
  for (const { name, columns } of tables)
    if (columns.includes(account) && !spared.includes(name)) where.set(name, [`t.${account} = $1::bigint`]);
  where.set('account', ['t.id = $1::bigint']);
  return order(where, { tables, foreignKeys });
}

/** All rows of a repository, and the repository's own row. `spared`: tables whose rows outlive the repository. */
export function planRepository({ tables, foreignKeys }: Catalogue, spared: readonly string[]): Ownership {
  const where = new Map<string, readonly string[]>([
    ['repository', [`t.${account} = $1::bigint and t.id = $2::bigint`]],
  ]);
  const candidates = tables.filter(({ name }) => name !== 'repository' && !spared.includes(name));
  for (const { name, columns } of candidates)
    if (columns.includes('repository_id'))
      where.set(name, [`t.${account} = $1::bigint and t.repository_id = $2::bigint`]);
  // Adds tables that refer to owned rows, until a pass adds no table.
  for (let grown = true; grown; ) {
    grown = false;
    for (const table of candidates) {
      const isWhole = table.columns.includes('repository_id') && !table.nullable.includes('repository_id');
      if (isWhole) continue;
      for (const key of foreignKeys) {
        const parent = where.get(key.parent)?.[0];
        if (key.table !== table.name || key.parent === table.name || key.parent === 'repository' || !parent) continue;
        const condition = within(key, parent);
        const known = where.get(table.name) ?? [];
        if (known.some((each) => each.startsWith(condition.slice(0, condition.indexOf(' in ('))))) continue;
        where.set(table.name, [...known, condition]);
        grown = true;
      }
    }
  }
  return order(where, { tables, foreignKeys });
}

function within({ columns, parent, parentColumns }: ForeignKey, parentWhere: string): string {
  const own = columns.map((column) => `t.${column}`).join(', ');
  const theirs = parentColumns.map((column) => `t.${column}`).join(', ');
  // Inside the subquery, `t` is the parent table.
  return `t.${account} = $1::bigint and (${own}) in (select ${theirs} from ${parent} t where ${parentWhere})`;
}

/** An SQL condition: no other row of the same table refers to the row. */
function isLeaf({ table, columns, parentColumns }: ForeignKey): string {
  const pairs = columns.map((column, at) => `c.${column} = t.${parentColumns[at] ?? column}`);
  return `not exists (select from ${table} c where ${pairs.join(' and ')} and c.ctid <> t.ctid)`;
}

function order(where: ReadonlyMap<string, readonly string[]>, { tables, foreignKeys }: Catalogue): Ownership {
  const nullable = new Map(tables.map(({ name, nullable }) => [name, nullable]));
  const unlinkable = ({ table, columns }: ForeignKey): string | undefined =>
    columns.find((column) => column !== account && nullable.get(table)?.includes(column));
  const between = foreignKeys.filter(({ table, parent }) => where.has(table) && where.has(parent));
  const cut: ForeignKey[] = [];
  let open = between.filter((key) => key.table !== key.parent);
  const left = new Set(where.keys());
  const names: string[] = [];
  while (left.size > 0) {
    const childless = [...left].filter((name) => !open.some(({ parent }) => parent === name));
    if (childless.length > 0) {
      for (const name of childless) left.delete(name);
      names.push(...childless);
      open = open.filter(({ table }) => left.has(table));
      continue;
    }
    const circle = open.find((key) => unlinkable(key) !== undefined);
    if (circle === undefined) throw new Error(`These tables refer to each other: ${[...left].join(', ')}.`);
    cut.push(circle);
    open = open.filter((key) => key !== circle);
  }
  return {
    unlinked: cut.flatMap((key) => {
      const column = unlinkable(key);
      if (column === undefined) return [];
      return (where.get(key.table) ?? []).map((each) => ({ table: key.table, column, where: each }));
    }),
    owned: names.flatMap((table) => {
      const leaf = between.filter((key) => key.table === table && key.parent === table).map(isLeaf);
      return (where.get(table) ?? []).map((each) => ({ table, where: each, leaf: leaf.join(' and ') || 'true' }));
    }),
  };
}

export interface OwnedTable {
  readonly table: string;
  /** A query whose column `row` has each row as JSON text. */
  readonly text: string;
  /** Columns that are left out. */
  readonly withheld: readonly string[];
}

/**
 * `owner`: the id of the account, and that of the repository if rows of a repository are selected. `binary`: the binary
 * columns of each table. They are left out, because they store only secrets and digests of secrets.
 */
export function selectOwned(
  { owned }: Ownership,
  owner: readonly string[],
  binary: ReadonlyMap<string, readonly string[]>,
): readonly OwnedTable[] {
  return [...Map.groupBy(owned, ({ table }) => table)].map(([table, parts]) => {
    const withheld = binary.get(table) ?? [];
    const without = withheld.map((column) => ` - '${column}'`).join('');
    const condition = parts.map(({ where }) => `(${withIds(where, owner)})`).join(' or ');
    return { table, withheld, text: `select (to_jsonb(t)${without})::text as row from ${table} t where ${condition}` };
  });
}

// Writes the ids into the text, because the query is run by a cursor, which takes no parameters.
function withIds(condition: string, owner: readonly string[]): string {
  return condition.replaceAll(/\$(\d)/g, (_, nth: string) => {
    const id = owner[Number(nth) - 1] ?? '';
    if (!/^\d{1,19}$/.test(id)) throw new Error(`${JSON.stringify(id)} is no id.`);
    return `'${id}'`;
  });
}
