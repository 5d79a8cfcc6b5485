// The rows of an owner as JSON, without secrets.
import type { Ownership } from './ownership.ts';

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
