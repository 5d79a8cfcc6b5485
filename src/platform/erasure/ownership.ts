// Which rows belong to a repository or an account, derived from the tables and their foreign keys: a table that is
// added is owned without being listed.

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
  /** A condition of rows `t`. $1 is the account, and $2 the repository. */
  readonly where: string;
}

export interface Ownership {
  /** Columns that are set to null first, because their tables refer to each other in a circle. */
  readonly unlinked: readonly (OwnedRows & { readonly column: string })[];
  /** In the order in which they can be deleted; a table may be there twice. */
  readonly owned: readonly (OwnedRows & { /** Which of them can go before the others. */ readonly leaf: string })[];
}

const account = 'account_id';

/** All of an account, and its own row. `spared`: tables whose rows outlive it. */
export function planAccount({ tables, foreignKeys }: Catalogue, spared: readonly string[]): Ownership {
  const where = new Map<string, readonly string[]>();
  for (const { name, columns } of tables)
    if (columns.includes(account) && !spared.includes(name)) where.set(name, [`t.${account} = $1::bigint`]);
  where.set('account', ['t.id = $1::bigint']);
  return order(where, { tables, foreignKeys });
}

/** The rows that belong to a repository, its own row included. */
export function planRepository({ tables, foreignKeys }: Catalogue, spared: readonly string[]): Ownership {
  const where = new Map<string, readonly string[]>([
    ['repository', [`t.${account} = $1::bigint and t.id = $2::bigint`]],
  ]);
  const candidates = tables.filter(({ name }) => name !== 'repository' && !spared.includes(name));
  for (const { name, columns } of candidates)
    if (columns.includes('repository_id'))
      where.set(name, [`t.${account} = $1::bigint and t.repository_id = $2::bigint`]);
  // From parents to their children, until no table is found any more.
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
  // The inner `t` hides the outer one.
  return `t.${account} = $1::bigint and (${own}) in (select ${theirs} from ${parent} t where ${parentWhere})`;
}

/** A condition in SQL: no other row of the same table refers to the row. */
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
  /** A query of the column `row`: JSON texts. */
  readonly text: string;
  /** Columns that are left out. */
  readonly withheld: readonly string[];
}

/**
 * `owner`: the account, and the repository if there is one. `binary`: by table, its columns of bytes. They hold secrets
 * and digests of secrets, and nothing else is stored in such columns.
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

// A cursor takes no parameters.
function withIds(condition: string, owner: readonly string[]): string {
  return condition.replaceAll(/\$(\d)/g, (_, nth: string) => {
    const id = owner[Number(nth) - 1] ?? '';
    if (!/^\d{1,19}$/.test(id)) throw new Error(`${JSON.stringify(id)} is no id.`);
    return `'${id}'`;
  });
}
