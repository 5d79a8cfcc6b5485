import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Figures, Row } from '../../../bench/simulator/measurement.ts';
import { readReport, writeReport } from '../../../bench/simulator/report.ts';
import { projectRoot } from '../../../src/platform/project-root.ts';

const committed = join(projectRoot, 'docs/planner');
const folder = mkdtempSync(join(tmpdir(), 'interlock-report-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('the committed pages of the planner follow from the committed rows', async () => {
  const findings = await readReport(committed);
  expect(findings.rows.length).toBeGreaterThan(100);
  await writeReport(folder, findings);
  for (const file of ['README.md', 'tables.md', 'rows.jsonl'])
    expect(readFileSync(join(folder, file), 'utf8')).toBe(readFileSync(join(committed, file), 'utf8'));
});

const cell = 'rate=20,workers=20,overlap=1,failure=0.08,flake=0,median=30';

/** The row of a policy with a P95 and builds, compared with `ours` on the same days. */
function rowOf(policy: string, figures: Partial<Figures>, ours: Partial<Figures> | null): Row {
  const usual: Figures = { p50: 1, p95: 1, p99: 1, buildsPerChange: 1 };
  return {
    ...{ policy, cell, days: 2, landedPerHour: 1, red: 0, ejectedUnjustly: 0, longest: 1 },
    ...{ ...usual, ...figures },
    worst: { ...usual, ...figures },
    interlock: ours === null ? null : { ...usual, ...ours },
  };
}

async function summaryOf(rows: readonly Row[]): Promise<string> {
  await writeReport(folder, { rows, effort: { changes: 10, past: 0 } });
  return readFileSync(join(folder, 'README.md'), 'utf8');
}

it('the summary names a policy that is faster with as few builds on the same days', async () => {
  const page = await summaryOf([
    // On the days of `batches`, `interlock` is slower than on average.
    rowOf('interlock', { p95: 1.05, buildsPerChange: 2 }, { p95: 1.05, buildsPerChange: 2 }),
    rowOf('in-order-oracle', {}, null),
    rowOf('batches', { p95: 1.1, buildsPerChange: 1.5 }, { p95: 1.2, buildsPerChange: 2.1 }),
  ]);
  expect(page).toContain('On 0 of 1 kinds of days no other policy that does not know outcomes has a lower P95');
  expect(page).toContain(
    'On the day with 20 an hour, 20 workers, targets unknown, `batches` has a P95 of 1.10 with 1.50 builds a change, and `interlock` one of 1.20 with 2.10.',
  );
});

it('the summary says on which days linear speculation is better', async () => {
  const ours = { p50: 0.9, p95: 1.2, buildsPerChange: 2 };
  const row = rowOf('interlock', ours, ours);
  const better = await summaryOf([row, rowOf('interlock-linear', { p95: 1.3 }, ours)]);
  expect(better).toContain(
    'On none of the 1 kinds of days does adaptive speculation have longer waits. On 1 of 1 it makes more builds a change: with 20 an hour, 20 workers, targets unknown, 2.00 instead of 1.00 (`interlock-linear`).',
  );
  const worse = await summaryOf([row, rowOf('interlock-linear', { p95: 1.1, buildsPerChange: 3 }, ours)]);
  expect(worse).toContain(
    'adaptive speculation has longer waits: with 20 an hour, 20 workers, targets unknown, P95 1.20 instead of 1.10',
  );
  expect(worse).toContain('On none of the 1 does it make more builds a change.');
});

it('the summary shows what the longest waits were spent on', async () => {
  const minutes = { landingBuild: 30, noWorker: 0, moved: 60, ownBuilds: 0, behindMoved: 0 };
  const tail = { changes: 2, moved: 1, minutes: { ...minutes, behindSecondBuild: 0, chain: 30, other: 0 } };
  const page = await summaryOf([{ ...rowOf('interlock', {}, {}), tail }]);
  expect(page).toContain('| 20 an hour, 20 workers, targets unknown | 1.0 | 50 % | 25 % | 50 % | 25 % |');
});

it('the summary says which versions of our planner were measured, and the tables say so for each row', async () => {
  const newest = { ...rowOf('interlock', {}, {}), plannerVersions: [9] };
  expect(await summaryOf([newest])).toContain('measured with version 9 of its rules.');
  const older = { ...rowOf('interlock-linear', {}, {}), plannerVersions: [7, 9] };
  const other = rowOf('one-at-a-time', {}, null);
  expect(await summaryOf([older, newest, other])).toContain('measured with versions 7 to 9 of its rules');
  const tables = readFileSync(join(folder, 'tables.md'), 'utf8').split('\n');
  expect(tables.flatMap((line) => /^\| (\S+) \| 2 \| (.*?) ?\| 1\.00 /.exec(line)?.slice(1) ?? [])).toEqual([
    'interlock-linear',
    '7, 9',
    'interlock',
    '9',
    'one-at-a-time',
    '',
  ]);
});

it('the summary says on how many days figures rest, and whether all policies ran on all kinds of days', async () => {
  const everywhere = await summaryOf([rowOf('interlock', {}, {}), rowOf('in-order-oracle', {}, null)]);
  expect(everywhere).toContain('means over 2 days of each kind');
  expect(everywhere).not.toContain('Not all policies');
  const elsewhere = { ...rowOf('interlock', {}, {}), cell: cell.replace('workers=20', 'workers=1'), days: 4 };
  const some = await summaryOf([rowOf('interlock', {}, {}), rowOf('in-order-oracle', {}, null), elsewhere]);
  expect(some).toContain('means over 2 to 4 days of each kind');
  expect(some).toContain('Not all policies ran on all 2 kinds of days.');
});
