import { describe, expect, test } from 'vitest';
import { hour, now, planned, pr, situation, type BatchSpec, type Situation } from './situation.ts';

const first: BatchSpec = { of: [1], build: 'pending' };
const second: BatchSpec = { of: [2], build: 'pending' };

describe('a batch that is no longer valid is reset, with all batches behind it', () => {
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    ['a valid line is not changed', { line: [first, second] }, []],
    [
      'a valid line is not changed, in whatever order its batches are read',
      { line: [first, second], change: { batches: situation({ line: [first, second] }).batches.toReversed() } },
      [],
    ],
    [
      '303: a member was dequeued',
      { line: [first, second], change: { departures: [{ pullRequest: 'p1', code: 303 }] } },
      ['supersede b1 303 by p1', 'supersede b2 303 by p1', 'start new p2 on tip'],
    ],
    [
      '305: the first batch was made on a commit that was never the tip',
      { line: [{ of: [1], build: 'pending', change: { parentCommit: 'foreign', base: 'foreign' } }] },
      ['supersede b1 305', 'start new p1 on tip'],
    ],
    [
      '305: a batch whose merge was given up',
      { line: [{ of: [1], build: 'making', change: { givenUp: true } }] },
      ['supersede b1 305', 'start new p1 on tip'],
    ],
    [
      '309: a batch whose commit is missing at the host',
      { line: [{ of: [1], build: 'pending', change: { givenUp: true, commitMissing: true } }, second] },
      ['supersede b1 309', 'supersede b2 309', 'start new p1 on tip'],
    ],
    [
      'a pull request whose batch was reset is not announced as the one that is validated',
      { line: [first], waiting: [pr(1, { head: 'newer', status: 'tagged', topAnnounced: false })] },
      ['supersede b1 310 by p1', 'start new p1 on tip'],
    ],
    [
      '304: a member was closed',
      { line: [first, second], change: { departures: [{ pullRequest: 'p2', code: 304 }] } },
      ['supersede b2 304 by p2'],
    ],
    [
      '310: a commit was added to a pull request that is in line again',
      { line: [first, second], waiting: [pr(2, { head: 'newer' })] },
      ['supersede b2 310 by p2', 'start new p2 on b1'],
    ],
    [
      '302: a pull request that skips the line is before it',
      { line: [first, second], waiting: [pr(3, { skipLine: true })] },
      ['supersede b1 302 by p3', 'supersede b2 302 by p3', 'start new p3 on tip'],
    ],
    [
      '302: one of its members skips the others',
      { line: [first, second], waiting: [pr(2, { skipLine: true, status: 'tagged' })] },
      ['supersede b1 302 by p2', 'supersede b2 302 by p2', 'start new p2 on tip'],
    ],
    [
      'the first in line may skip the line, which changes nothing',
      { line: [first, second], waiting: [pr(1, { skipLine: true, status: 'tagged' })] },
      [],
    ],
    [
      '302: a batch whose landing was planned is reset too',
      { line: [{ of: [1], build: 'success', change: { landingPlanned: true } }], waiting: [pr(2, { skipLine: true })] },
      ['supersede b1 302 by p2', 'start new p2 on tip'],
    ],
    [
      '305: the base moved from outside',
      { line: [first, second], queue: { tip: 'pushed', lineage: ['tip', 'pushed'] } },
      ['supersede b1 305', 'supersede b2 305', 'start new p1 on pushed'],
    ],
    [
      '305: the base moved on top of the batch it was built on',
      {
        line: [{ ...second, change: { parentBatch: 'landed', parentCommit: 'landing' } }],
        queue: { tip: 'pushed', lineage: ['tip', 'landing', 'pushed'] },
      },
      ['supersede b1 305', 'start new p2 on pushed'],
    ],
    [
      'a base that became the batch before it is what this batch was built on',
      {
        line: [{ ...second, change: { parentBatch: 'landed', parentCommit: 'landing' } }],
        queue: { tip: 'landing', lineage: ['tip', 'landing'] },
      },
      [],
    ],
    [
      '301: the batch before it has gone',
      { line: [{ ...second, change: { parentBatch: 'failed', parentCommit: 'never landed' } }] },
      ['supersede b1 301', 'start new p2 on tip'],
    ],
    [
      '307: a build key changed',
      { line: [first, { ...second, change: { buildKeysHash: 'older' } }] },
      ['supersede b2 307', 'start new p2 on b1'],
    ],
    [
      '308: its green build is older than a day',
      { line: [{ of: [1], build: 'success', buildChange: { finishedAt: now - 25 * hour } }] },
      ['supersede b1 308', 'start new p1 on tip'],
    ],
    [
      '309: its green build may have tested the head together with other commits',
      {
        line: [
          {
            of: [1],
            build: 'success',
            buildChange: {
              otherBaseUntil: now,
              checks: [{ name: 'test', attempt: 1, conclusion: 'success', event: 'pull_request' }],
            },
          },
        ],
      },
      ['supersede b1 309', 'start new p1 on tip'],
    ],
    [
      '309: its build was canceled',
      { line: [{ of: [1], build: 'cancelled' }, second] },
      ['supersede b1 309', 'supersede b2 309', 'start new p1 on tip'],
    ],
    [
      '309: a pull request that was never built is before it',
      { line: [second], waiting: [pr(1)] },
      ['supersede b1 309 by p1', 'start new p1 on tip'],
    ],
    [
      '309: its first pull request skips validation, so it lands alone without a build',
      { line: [{ of: [1, 2], build: 'pending' }], waiting: [pr(1, { skipValidation: true, status: 'tagged' })] },
      ['supersede b1 309 by p1', 'start new p1 on tip'],
    ],
    [
      'a pull request that skips validation behind another of its batch waits for that one, and the build goes on',
      { line: [{ of: [1, 2], build: 'pending' }], waiting: [pr(2, { skipValidation: true, status: 'tagged' })] },
      [],
    ],
    [
      'a batch behind another one goes on if its first pull request skips validation',
      {
        line: [first, { of: [2, 3], build: 'pending' }],
        waiting: [pr(2, { skipValidation: true, status: 'tagged' })],
      },
      [],
    ],
    [
      'a build goes on during a pause if its first pull request skips validation',
      {
        line: [{ of: [1, 2], build: 'pending' }],
        waiting: [pr(1, { skipValidation: true, status: 'tagged' })],
        queue: { paused: true },
      },
      [],
    ],
    [
      'a green batch lands, of which one pull request skips validation',
      { line: [{ of: [1, 2], build: 'success' }], waiting: [pr(1, { skipValidation: true, status: 'tagged' })] },
      ['land b1 by commit of b1'],
    ],
    [
      'a batch that was only being made is reset alone',
      {
        line: [
          { of: [1], build: 'making' },
          { of: [2], build: 'pending', change: { parentBatch: null } },
        ],
        change: { departures: [{ pullRequest: 'p1', code: 303 }] },
      },
      ['supersede b1 303 by p1'],
    ],
    [
      'of several causes, the first in line counts',
      {
        line: [first, second],
        waiting: [pr(2, { head: 'newer' })],
        change: { departures: [{ pullRequest: 'p1', code: 303 }] },
      },
      ['supersede b1 303 by p1', 'supersede b2 303 by p1', 'start new p2 on tip'],
    ],
    [
      '305: also during a pause',
      { line: [first], queue: { paused: true, tip: 'pushed', lineage: ['tip', 'pushed'] } },
      ['supersede b1 305'],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});

describe('a merge conflict', () => {
  const onTip = { conflict: { parent: 'tip', after: [] } };
  const onFirst = { conflict: { parent: 'commit of b1', after: [] } };
  const made: BatchSpec = { of: [1], build: 'success', change: { landingPlanned: true } };
  const probe: BatchSpec = { of: [2], build: 'making' };
  const behind: BatchSpec = { of: [3], build: 'success', change: { parentBatch: null, parentCommit: 'tip' } };
  const cases: readonly (readonly [name: string, from: Situation, decisions: readonly string[]])[] = [
    [
      'with the tip blocks the pull request',
      { line: [{ of: [1], build: 'making' }], waiting: [pr(1, onTip)] },
      ['supersede b1 301 by p1', 'block p1 106'],
    ],
    [
      'that is known blocks the pull request without another try',
      {
        waiting: [pr(1), pr(2)],
        change: { mergeResults: [{ parent: 'tip', heads: ['h1'], tree: null, conflictAt: 0 }] },
      },
      ['block p1 106', 'start new p2 on tip'],
    ],
    [
      'with the batch before it: pull requests behind it are built without it',
      { line: [made, { of: [2], build: 'making' }], waiting: [pr(2, onFirst), pr(3)] },
      ['supersede b2 301 by p2', 'start new p3 on b1'],
    ],
    [
      'inside of a batch: the batch ends before the pull request',
      {
        line: [{ of: [1, 2, 3], build: 'making' }],
        waiting: [pr(2, { conflict: { parent: 'tip', after: ['h1'] } })],
        rules: { batchSize: 4, batchMaxWaitMinutes: 5 },
      },
      ['supersede b1 301 by p2', 'start new p1 on tip'],
    ],
    [
      'that is known with the new tip: the pull request is not built again',
      {
        line: [{ of: [1], build: 'pending', change: { parentCommit: 'older' } }],
        waiting: [pr(1, { status: 'tagged', conflict: { parent: 'tip', after: [] } })],
        queue: { lineage: ['older', 'tip'] },
      },
      ['supersede b1 305', 'block p1 106'],
    ],
    [
      'that follows from a known merge is found without a record of its own',
      {
        line: [{ of: [1, 2], build: 'making' }],
        change: { mergeResults: [{ parent: 'tip', heads: ['h1', 'h2'], tree: null, conflictAt: 1 }] },
        rules: { batchSize: 2 },
      },
      ['supersede b1 301 by p2', 'start new p1 on tip'],
    ],
    [
      'with a batch that has left does not count',
      { line: [made], waiting: [pr(2, { conflict: { parent: 'superseded', after: [] } })] },
      ['start new p2 on b1'],
    ],
    [
      'stops the landing of pull requests behind it, until it is decided',
      {
        line: [{ ...behind, change: {} }],
        waiting: [pr(2, onFirst)],
        queue: { paused: true, lineage: ['tip', 'commit of b1'] },
      },
      [],
    ],
    [
      'is tried on the tip, if no other pull request is before it',
      {
        line: [{ ...behind, change: {} }],
        waiting: [pr(2, { conflict: { parent: 'older', after: [] } })],
        queue: { lineage: ['older', 'tip'] },
      },
      ['start probe p2 on tip'],
    ],
    [
      'also stops blocks of pull requests behind it, until it is decided',
      {
        line: [{ of: [3], build: 'failure' }],
        waiting: [pr(2, { conflict: { parent: 'older', after: [] } })],
        queue: { lineage: ['older', 'tip'] },
      },
      ['start probe p2 on tip'],
    ],
    [
      'is tried within the limit of builds',
      {
        line: [{ of: [3], build: 'pending' }],
        waiting: [pr(2, { conflict: { parent: 'older', after: [] } })],
        queue: { lineage: ['older', 'tip'] },
        rules: { maxParallelBuilds: 1 },
      },
      [],
    ],
    ['leaves the pull requests behind it alone while it is tried', { line: [probe, behind] }, []],
    [
      'resets the pull requests behind it if it merges',
      { line: [{ of: [2], build: 'pending' }, behind] },
      ['supersede b2 309 by p2', 'start new p3 on b1'],
    ],
    [
      'keeps the pull requests behind it if it conflicts',
      { line: [probe, behind], waiting: [pr(2, onTip)] },
      ['supersede b1 301 by p2', 'block p2 106', 'land b2 by commit of b2'],
    ],
    [
      'suspects no pull request if builds run one at a time',
      {
        line: [{ of: [1], build: 'pending' }],
        waiting: [pr(2, { skipLine: true, conflict: { parent: 'older', after: [] } })],
        queue: { lineage: ['older', 'tip'] },
        rules: { mode: 'serial' },
      },
      ['supersede b1 302 by p2', 'start new p2 on tip'],
    ],
  ];
  test.each(cases)('%s', (_name, from, decisions) => expect(planned(from)).toEqual(decisions));
});
