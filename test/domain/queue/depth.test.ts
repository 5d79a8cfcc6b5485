import { expect, test } from 'vitest';
import { decideDepth } from '../../../src/domain/queue/model/depth.ts';

test.each([
  [
    'serial mode processes the whole line',
    { waiting: 5, tagged: 0, mode: 'serial', maxParallelBuilds: 1 },
    { queued: 5, processing: 5, waiting: 0 },
  ],
  [
    'parallel mode processes the pull requests in bot pull requests',
    { waiting: 5, tagged: 3, mode: 'parallel', maxParallelBuilds: 4 },
    { queued: 8, processing: 3, waiting: 5 },
  ],
  [
    'parallel mode processes at most max_parallel_builds',
    { waiting: 5, tagged: 8, mode: 'parallel', maxParallelBuilds: 2 },
    { queued: 13, processing: 2, waiting: 11 },
  ],
  [
    'parallel mode without a limit',
    { waiting: 0, tagged: 8, mode: 'parallel', maxParallelBuilds: null },
    { queued: 8, processing: 8, waiting: 0 },
  ],
  [
    'an empty queue',
    { waiting: 0, tagged: 0, mode: 'parallel', maxParallelBuilds: null },
    { queued: 0, processing: 0, waiting: 0 },
  ],
] as const)('%s', (_name, queue, depth) => expect(decideDepth(queue)).toEqual(depth));
