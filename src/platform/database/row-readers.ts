// Reads rows of an entity outside of a unit of work.
import type { EntityData, EntitySchema } from '@mikro-orm/core';
import type { MikroORM } from '@mikro-orm/postgresql';

export interface RowReader<Row extends object> {
  readonly tableName: string;
  /** The columns, as SQL. */
  readonly list: string;
  readonly read: (columns: EntityData<Row>) => Row;
}

export type RowReaderOf = <Row extends object>(entity: EntitySchema<Row>) => RowReader<Row>;

/**
 * Returns the reader of each entity. A reader makes the same object of a row as `em.map`, but takes half the time of
 * the query, where `em.map` takes twice the time of the query.
 */
export function createRowReaders(orm: MikroORM): RowReaderOf {
  const readers = new WeakMap<object, unknown>();
  const driver = orm.em.getDriver();
  const platform = driver.getPlatform();
  const makeReader = <Row extends object>(entity: EntitySchema<Row>): RowReader<Row> => {
    const meta = orm.getMetadata().get(entity);
    const stored = meta.props.filter((prop) => prop.persist !== false && !prop.lazy);
    const converted = stored.flatMap(({ name, customType }) =>
      customType === undefined ? [] : [{ name, customType }],
    );
    return {
      tableName: meta.tableName,
      list: stored.flatMap((prop) => prop.fieldNames.map((column) => `"${column}"`)).join(', '),
      read(columns) {
        const row = driver.mapResult(columns, meta) as Row;
        for (const { name, customType } of converted)
          row[name] = customType.convertToJSValue(row[name], platform) as Row[typeof name];
        return row;
      },
    };
  };
  return <Row extends object>(entity: EntitySchema<Row>) => {
    const known = readers.get(entity) as RowReader<Row> | undefined;
    if (known !== undefined) return known;
    const made = makeReader(entity);
    readers.set(entity, made);
    return made;
  };
}
