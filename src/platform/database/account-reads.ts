// Reads for one account. Each is one prepared statement in autocommit.
import type { EntityData, EntitySchema } from '@mikro-orm/core';
import type pg from 'pg';
import type { ReadQueue, Statement } from './read-queue.ts';
import type { RowReaderOf } from './row-readers.ts';
import { idListsOf, listsOfOne, textOfSingleIds, valuesOfSingleIds } from './single-ids.ts';

interface ReadPools {
  readonly reads: ReadQueue;
  /** The pool of the units of work. It parses columns into the values that entities expect. */
  readonly entities: pg.Pool;
}

export function createAccountReads({ reads, entities }: ReadPools, readerOf: RowReaderOf) {
  const loadRows = async <Row extends object>(
    accountId: string,
    entity: EntitySchema<Row>,
    by: { readonly name: string; readonly where: string; readonly values: readonly string[] },
  ): Promise<Row[]> => {
    const { tableName, list, read } = readerOf(entity);
    const values = [...by.values, accountId];
    const found = await entities.query<EntityData<Row>>({
      name: `load_${tableName}_by_${by.name}`,
      text: underAccount(`select ${list} from "${tableName}" where ${by.where}`, values.length),
      values,
    });
    return found.rows.map(read);
  };

  const prepare = createPreparation();

  return {
    read: async <Row extends object>(accountId: string, statement: Statement): Promise<Row[]> =>
      await reads.read<Row>(prepare(accountId, statement)),
    load: async <Row extends object>(accountId: string, entity: EntitySchema<Row>, id: string): Promise<Row | null> => {
      const [row] = await loadRows(accountId, entity, { name: 'id', where: 'id = $1', values: [id] });
      return row ?? null;
    },
    loadAll: async <Row extends object>(
      accountId: string,
      entity: EntitySchema<Row>,
      { column, value, orderBy }: { readonly column: string; readonly value: string; readonly orderBy: string },
    ): Promise<Row[]> =>
      await loadRows(accountId, entity, {
        name: column,
        where: `account_id = $1 and "${column}" = $2 order by "${orderBy}"`,
        values: [accountId, value],
      }),
    loadMany: async <Row extends object>(
      accountId: string,
      entity: EntitySchema<Row>,
      ids: readonly string[],
    ): Promise<Row[]> => {
      const [only, ...others] = ids;
      const by =
        only !== undefined && others.length === 0
          ? { name: 'id', where: 'id = $1', values: [only] }
          : { name: 'ids', where: 'id = any($1::bigint[]) order by id', values: [`{${ids.join(',')}}`] };
      return await loadRows(accountId, entity, by);
    },
  };
}

interface Known {
  readonly text: string;
  readonly lists: readonly number[];
  readonly texts: Map<string, string>;
}

/** Returns a function that makes the statement of an account ready to be sent. */
function createPreparation() {
  /** The text of each name, its lists of ids, and the texts that are sent for it, by the lists of one id. */
  const known = new Map<string, Known>();

  return (accountId: string, { name, text, values }: Statement): Statement => {
    const { lists, texts, ...first } = getOrAdd(known, name, () => ({
      text,
      lists: idListsOf(text),
      texts: new Map(),
    }));
    // Connections refuse a second text too, but only a connection that has prepared the first one.
    if (first.text !== text) throw new Error(`Two statements have the name ${name}.`);
    const single = listsOfOne(lists, values);
    const suffix = single.map((number) => `_one_${number}`).join('');
    return {
      name: `${name}${suffix}`,
      text: getOrAdd(texts, suffix, () => underAccount(textOfSingleIds(text, single), values.length + 1)),
      values: [...valuesOfSingleIds(values, single), accountId],
    };
  };
}

function getOrAdd<Value>(map: Map<string, Value>, key: string, add: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const added = add();
  map.set(key, added);
  return added;
}

// Sets the account and reads the rows in one statement, which costs a third of BEGIN/SET/SELECT/COMMIT. The exact form
// matters: `offset 0` and the materialized CTE make PostgreSQL set the account before it evaluates a policy. A plain
// join with set_config has read rows of another account.
function underAccount(text: string, parameter: number): string {
  return `with _c as materialized (select set_config('app.account', $${parameter}, true) a)
select q.* from _c, lateral (select i.* from (${text}) i where _c.a is not null offset 0) q`;
}
