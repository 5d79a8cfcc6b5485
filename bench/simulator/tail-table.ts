// The table of the causes of the longest waits.
import { markdownTable, nameDay } from './figures.ts';
import type { Row } from './measurement.ts';
import { tailCauses, type TailCause } from './tail.ts';

const causes = Object.keys(tailCauses) as TailCause[];

/** `rows`: the rows of `interlock`. Returns the empty text if none of them has a tail. */
export function tailTable(rows: readonly Row[]): string {
  const shown = rows.flatMap(({ cell, tail }) => (tail === undefined || tail.changes === 0 ? [] : [{ cell, tail }]));
  if (shown.length === 0) return '';
  const used = causes.filter((cause) => shown.some(({ tail }) => tail.minutes[cause] > 0));
  const lines = shown.map(({ cell, tail }) => {
    const all = causes.reduce((sum, cause) => sum + tail.minutes[cause], 0);
    return [
      nameDay(cell),
      (all / tail.changes / 60).toFixed(1),
      `${Math.round((100 * tail.moved) / tail.changes)} %`,
      ...used.map((cause) => `${Math.round((100 * tail.minutes[cause]) / all)} %`),
    ];
  });
  return markdownTable([
    ['day', 'mean wait, in hours', 'were moved', ...used.map((cause) => tailCauses[cause])],
    ...lines,
  ]);
}
