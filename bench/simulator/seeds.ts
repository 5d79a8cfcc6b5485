/** Reads seeds: `10` is the first ten, `3-5` and `1,7` name them. */
export function seedsOf(text: string): number[] {
  const refuse = (): never => {
    throw new Error(`--seeds ${text}: must be a number of seeds, such as 10, or seeds, such as 3-5 or 1,7.`);
  };
  const parts = text.split(',').map((part) => part.split('-').map((word) => (/^\d+$/.test(word) ? Number(word) : NaN)));
  if (parts.some((part) => part.length > 2 || part.some(Number.isNaN))) refuse();
  const [[count = 0, ...more] = []] = parts;
  const ranges = parts.length === 1 && more.length === 0 ? [[1, count]] : parts;
  return ranges.flatMap(([first = 0, last = first]) =>
    last < first ? refuse() : Array.from({ length: last - first + 1 }, (_, index) => first + index),
  );
}
