import { describe, expect, test } from 'vitest';
import {
  findExceededLimit,
  isWorthALook,
  readRunBounds,
  defaultRunBounds,
  type RunBounds,
  type RunMeasurements,
} from '../../../src/domain/runs/bounds.ts';

const bounds: RunBounds = {
  bytesPerFile: 1_000_000,
  bytes: 10_000_000,
  files: 100,
  outputBytes: 1_000_000,
  processes: 20,
  memoryBytes: 50_000_000,
  freeBytes: 5_000_000,
  freeMemoryBytes: 3_000_000,
};

describe('the limits of a run', () => {
  test.each<[string, RunMeasurements, string | null]>([
    ['are kept if nothing was measured', {}, null],
    [
      'are kept if all measurements are at their limits',
      { bytes: 10_000_000, files: 100, processes: 20, memoryBytes: 50_000_000 },
      null,
    ],
    ['are exceeded by the size of all files', { bytes: 10_000_001 }, 'run: its files take more than 10 MB together'],
    ['are exceeded by the number of files', { files: 101 }, 'run: it has more than 100 files'],
    ['are exceeded by the number of processes', { processes: 21 }, 'run: it has more than 20 processes'],
    [
      'are exceeded by the memory',
      { memoryBytes: 50_000_001 },
      'run: its processes take more than 50 MB of memory together',
    ],
    [
      'are exceeded by a full disk',
      { freeBytes: 4_999_999 },
      "machine: less than 5 MB are free on this machine's disk",
    ],
    [
      'are exceeded by a full memory of the machine',
      { freeMemoryBytes: 1 },
      'machine: less than 3 MB of memory are free on this machine',
    ],
    ['are kept if the machine does not tell its memory', { freeMemoryBytes: null }, null],
    [
      'are exceeded by the run, not by the machine, if the run has filled the memory of the machine',
      { freeMemoryBytes: 1, memoryBytes: 50_000_001 },
      'run: its processes take more than 50 MB of memory together',
    ],
  ])('%s', (_which, seen, expected) => {
    const exceeded = findExceededLimit(seen, bounds);
    expect(exceeded === null ? null : `${exceeded.owner}: ${exceeded.message}`).toBe(expected);
  });
});

test.each([
  [1_000, 1_000, false],
  [1_000, 940, false],
  [1_000, 930, true],
  [1_000, 2_000, false],
])('a run with a limit of 1000 is measured if the free space goes from %i to %i: %s', (before, now, expected) => {
  expect(isWorthALook(before, now, 1_000)).toBe(expected);
});

describe('the settings', () => {
  test('set one limit each', () => {
    expect(readRunBounds({ RUN_PROCESSES: '7', RUN_MEMORY_MB: '8', RUN_DISK_MB: '9', RUN_FILES: '' })).toEqual({
      ...defaultRunBounds,
      processes: 7,
      memoryBytes: 8_000_000,
      bytes: 9_000_000,
    });
    expect(readRunBounds({ FREE_DISK_MB: '0' }).freeBytes).toBe(0);
  });

  test.each(['0', '-1', '1.5', 'many', '1e3', '1234567890'])('refuse %s, and name the variable', (text) => {
    expect(() => readRunBounds({ RUN_MEMORY_MB: text })).toThrow(/^RUN_MEMORY_MB must be a whole number/);
  });
});
