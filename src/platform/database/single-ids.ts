// Lists of one id in statements. PostgreSQL does not keep a plan for `= any ($2::bigint[])`: it takes lists to be ten ids
// long, so that a new plan for a shorter list seems to cost less. Making the plan takes four times as long as reading a
// row by its id. Most lists have one id. Such an id is compared by `=`, and then PostgreSQL keeps the plan.

/** The comparison with a list of ids, and the number of the list's parameter. */
const comparison = /= any ?\(\$(\d+)::bigint\[\]\)/g;

/** The numbers of the parameters that are lists of ids. A parameter that is used twice is left out. */
export function idListsOf(text: string): readonly number[] {
  const numbers = [...text.matchAll(comparison)].map(([, number]) => Number(number));
  return numbers.filter((number) => text.split(new RegExp(String.raw`\$${number}(?!\d)`)).length === 2);
}

/** Those of the lists that have one id. `lists`: the answer of `idListsOf`. */
export function listsOfOne(lists: readonly number[], values: readonly unknown[]): readonly number[] {
  return lists.filter((number) => {
    const list = values[number - 1];
    return Array.isArray(list) && list.length === 1;
  });
}

/** The text that compares these lists by `=`. */
export function textOfSingleIds(text: string, lists: readonly number[]): string {
  return text.replace(comparison, (found, number: string) =>
    lists.includes(Number(number)) ? `= $${number}::bigint` : found,
  );
}

/** The values for `textOfSingleIds`. */
export function valuesOfSingleIds(values: readonly unknown[], lists: readonly number[]): readonly unknown[] {
  return values.map((value, at) => (lists.includes(at + 1) ? (value as readonly unknown[])[0] : value));
}
