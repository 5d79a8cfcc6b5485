import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { FullRow } from '../../../bench/simulator/measurement.ts';
import { writeReport } from '../../../bench/simulator/report.ts';
import { projectRoot } from '../../../src/platform/project-root.ts';

const committed = join(projectRoot, 'docs/planner');
const folder = mkdtempSync(join(tmpdir(), 'interlock-report-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The rows in docs/planner/tables.md. */
function readRows(): readonly FullRow[] {
  const sections = readFileSync(join(committed, 'tables.md'), 'utf8').split('\n## ').slice(1);
  return sections.flatMap((section) => {
    const [heading = '', ...lines] = section.split('\n');
    const cells = lines.filter((line) => line.startsWith('| ')).map((line) => line.slice(2, -2).split(' | '));
    return cells.slice(2).map(([policy = '', ...figures]) => {
      const [p50, p95, p99, longest, buildsPerChange, landedPerHour, red, unjustly] = figures.map(Number.parseFloat);
      return {
        ...{ policy, cell: heading.replaceAll(', ', ',') },
        ...{ p50: p50 ?? NaN, p95: p95 ?? NaN, p99: p99 ?? NaN, longest: longest ?? NaN },
        ...{ buildsPerChange: buildsPerChange ?? NaN, landedPerHour: landedPerHour ?? NaN },
        ...{ red: red ?? NaN, ejectedUnjustly: (unjustly ?? NaN) / 100 },
      };
    });
  });
}

it('the committed summary of the planner follows from its tables', async () => {
  const rows = readRows();
  expect(rows.length).toBeGreaterThan(200);
  await writeReport(folder, rows, { seeds: '1', changes: 500, past: 2_000 });
  for (const file of ['README.md', 'tables.md'])
    expect(readFileSync(join(folder, file), 'utf8')).toBe(readFileSync(join(committed, file), 'utf8'));
});

it('the summary names a policy that is faster with as few builds', async () => {
  const row = { p50: 1, p99: 1, longest: 1, landedPerHour: 1, red: 0, ejectedUnjustly: 0, cell: 'rate=20,overlap=1' };
  const rows = [
    { ...row, policy: 'interlock', p95: 1.2, buildsPerChange: 2 },
    { ...row, policy: 'in-order-oracle', p95: 1, buildsPerChange: 1 },
    { ...row, policy: 'batches', p95: 1.1, buildsPerChange: 1.5 },
  ];
  await writeReport(folder, rows, { seeds: '1', changes: 10, past: 0 });
  const page = readFileSync(join(folder, 'README.md'), 'utf8');
  expect(page).toContain('On 0 of 1 kinds of days no other policy that does not know outcomes has a lower P95');
  expect(page).toContain(
    'On the day with 20 an hour, 100 workers, targets unknown, `batches` has a P95 of 1.10 with 1.50 builds a change, and `interlock` one of 1.20 with 2.00.',
  );
});
