// Lists of one id become ids.
import { describe, expect, it } from 'vitest';
import { idListsOf, listsOfOne, textOfSingleIds, valuesOfSingleIds } from '../../src/platform/database/single-ids.ts';

describe('the lists of ids of a statement', () => {
  it.each([
    ['select 1', []],
    ['id = any ($2::bigint[])', [2]],
    ['id = any($2::bigint[]) and $1 = any ($12::bigint[])', [2, 12]],
    ['name = any ($2::text[])', []],
    ['id <> all ($2::bigint[])', []],
    ['id in (select unnest($2::bigint[]))', []],
    // `$1` is no use of `$12`.
    ['id = any ($1::bigint[]) or n = $12', [1]],
    // Both comparisons would need the same kind of value.
    ['id = any ($1::bigint[]) or cardinality($1::bigint[]) = 0', []],
    ['id = any ($1::bigint[]) or below = any ($1::bigint[])', []],
  ])('%s: %j', (text, lists) => {
    expect(idListsOf(text)).toEqual(lists);
  });
});

it('only lists of one id are compared by `=`', () => {
  const text = 'a = $1 and b = any ($2::bigint[]) and c = any($3::bigint[]) and d = any ($4::bigint[])';
  const values = ['7', ['1'], ['2', '3'], ['4']];
  const single = listsOfOne(idListsOf(text), values);
  expect(single).toEqual([2, 4]);
  expect(textOfSingleIds(text, single)).toBe('a = $1 and b = $2::bigint and c = any($3::bigint[]) and d = $4::bigint');
  expect(valuesOfSingleIds(values, single)).toEqual(['7', '1', ['2', '3'], '4']);
});

it('lists without ids, and lists in the form of PostgreSQL, stay lists', () => {
  expect(listsOfOne([1, 2, 3], [[], '{1}', null])).toEqual([]);
});
