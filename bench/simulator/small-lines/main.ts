// `node bench/simulator/small-lines/main.ts --out docs/planner` measures how far the planner is from the best policy that
// knows probabilities and no outcomes, in lines of five changes.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareSmallLines, usualLines } from './comparison.ts';
import { smallLinesPage } from './page.ts';

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '12' },
    days: { type: 'string', default: '25' },
    out: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const effort = { lines: Number(values.lines), days: Number(values.days) };
const rows = usualLines.map((kind) => {
  const row = compareSmallLines(kind, effort);
  console.error(
    `${row.name}: ${(row.policies['interlock']?.meanWait ?? NaN).toFixed(2)}, best ${row.exact.toFixed(2)}`,
  );
  return row;
});
if (values.json) console.log(JSON.stringify(rows, null, 2));
else if (values.out === undefined) console.log(smallLinesPage(rows, effort));
else await writeFile(join(values.out, 'small-lines.md'), smallLinesPage(rows, effort));
