// How much disk, memory and processor time a push may take, and the message for a push that takes more.
import { describe, expect, test } from 'vitest';
import { RunBoundsRefused } from '../../../src/domain/runs/bounds.ts';
import { decideUnpackBounds, readPushBounds, defaultPushBounds } from '../../../src/domain/runs/push-bounds.ts';
import { explainRefusals } from '../../../src/hosts/git/receiving.ts';

describe('the limits of unpacking a push', () => {
  test.each([
    ['1 kB', 1_000, 1_024_020_000, 61],
    ['10 MB', 10_000_000, 1_224_000_000, 70],
    ['2,048 MB, the largest push that is accepted by default', 2_048_000_000, 41_984_000_000, 2_108],
  ])('follow from its size (%s)', (_size, bytes, inflatedBytes, processorSec) => {
    expect(decideUnpackBounds(bytes, defaultPushBounds)).toEqual({
      inflatedBytes,
      processorSec,
      memoryBytes: 4_096_000_000,
    });
  });

  test('are set by environment variables, which are checked', () => {
    const set = readPushBounds({ GIT_PUSH_MB: '10', GIT_INFLATED_MB: '20', RUN_MEMORY_MB: '30', FREE_DISK_MB: '40' });
    expect(set).toEqual({
      maxPushBytes: 10_000_000,
      maxInflatedBytes: 20_000_000,
      memoryBytes: 30_000_000,
      freeBytes: 40_000_000,
    });
    expect(() => readPushBounds({ GIT_INFLATED_MB: '0' })).toThrow(RunBoundsRefused);
  });
});

describe('the report on a refused push', () => {
  const bounds = { inflatedBytes: 1_224_000_000, memoryBytes: 1, processorSec: 70 };
  const tooLarge = 'its objects inflate to more than 1224 MB, the limit for a push of this size';

  test.each([
    ['ng refs/heads/a pre-receive hook declined', '', `ng refs/heads/a ${tooLarge}`],
    [
      'ng refs/heads/a unpacker error',
      'error: index-pack died of signal 24\n',
      'ng refs/heads/a unpacking it took more than 70 s of processor time',
    ],
    ['ng refs/heads/a unpacker error', 'fatal: out of memory\n', 'ng refs/heads/a unpacker error'],
    ['ok refs/heads/a', '', 'ok refs/heads/a'],
  ])('explains the line %s, printed with %j', (line, errorOutput, expected) => {
    expect(explainRefusals([line], errorOutput, bounds)).toEqual([expected]);
  });
});
