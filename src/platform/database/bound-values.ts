// Sends the values of inserts and updates as parameters. MikroORM writes them into the text of the statement, character
// by character. A value of 4 MiB left more than 100 MiB of garbage. On a busy machine the garbage collection took more
// than five seconds, and PostgreSQL ended the transaction because it was idle. PostgreSQL also planned each of these
// statements at each execution.
import type { AnyEntity, EntityData, QueryResult } from '@mikro-orm/core';
import { PostgreSqlConnection, PostgreSqlDriver } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';

type Row = EntityData<AnyEntity>;

const storesRows = /^(?:insert into|update) "/;

/**
 * Returns the statement with `$1`, `$2`, … instead of `?`. Null: the statement stores no rows, or has a placeholder or
 * a value that only MikroORM can write.
 */
export function bindValues(
  text: string,
  values: readonly unknown[],
): { readonly text: string; readonly values: readonly unknown[] } | null {
  if (!storesRows.test(text)) return null;
  const parts = text.split('?');
  const bound = values.map(toParameter);
  if (parts.length !== values.length + 1 || bound.includes(undefined)) return null;
  return { text: parts.reduce((before, part, at) => `${before}$${at}${part}`), values: bound };
}

/** Undefined: PostgreSQL cannot get this value as a parameter. */
function toParameter(value: unknown): unknown {
  if (value === null || value instanceof Date || ArrayBuffer.isView(value)) return value;
  if (typeof value === 'object')
    return Object.getPrototypeOf(value) === Object.prototype ? JSON.stringify(value) : undefined;
  return typeof value === 'function' || typeof value === 'symbol' ? undefined : value;
}

class BindingConnection extends PostgreSqlConnection {
  override async execute<T extends QueryResult | Row | Row[] = Row[]>(
    ...[query, values = [], method = 'all', ctx, ...rest]: Parameters<PostgreSqlConnection['execute']>
  ): Promise<T> {
    const bound = typeof query === 'string' && ctx && Array.isArray(values) ? bindValues(query, values) : null;
    if (bound === null) return await super.execute<T>(query, values, method, ctx, ...rest);
    const result = await ctx.executeQuery(CompiledQuery.raw(bound.text, [...bound.values]));
    return this.transformRawResult<T>(result, method);
  }
}

/** MikroORM's driver for PostgreSQL, which sends values as parameters. */
export const BindingDriver: typeof PostgreSqlDriver = class extends PostgreSqlDriver {
  protected override readonly connection = new BindingConnection(this.config);
};
