import { describe, expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import {
  changedLabels,
  keptQueueLabels,
  planLabels,
  requestOf,
  type LabelledPullRequest,
} from '../../../src/domain/queue/requests/labels.ts';
import type { PullRequestStatus } from '../../../src/domain/queue/model/snapshot.ts';

const rules = { trigger: 'go', skipLine: 'first', blocked: 'stop', marksBlocked: true, stuck: 'slow' };

describe('what the queue does with labels', () => {
  const cases: readonly (readonly [
    name: string,
    pullRequest: Partial<LabelledPullRequest> & { readonly status: PullRequestStatus },
    written: readonly string[],
  ])[] = [
    [
      'the trigger label of a blocked one goes, the blocked label comes',
      { status: 'blocked', labels: ['go'] },
      ['+stop', '-go'],
    ],
    ["a person's blocked label stays", { status: 'blocked', labels: ['stop'] }, []],
    [
      'a dequeued one keeps no label that asks to queue it',
      { status: 'open', labels: ['go', 'first'] },
      ['-go', '-first'],
    ],
    ['a pull request that skips the line says so', { status: 'queued', skipLine: true }, ['+first']],
    ['the trigger label is never put on', { status: 'queued' }, []],
    [
      "the queue's own mark goes when it is queued again",
      { status: 'pending', labels: ['stop'], queueLabels: ['stop'] },
      ['-stop'],
    ],
    ['even while it is only being put on', { status: 'queued', queueLabels: ['stop'] }, ['-stop']],
    ["a person's mark does not go", { status: 'merged', labels: ['stop'] }, []],
    ['a closed one is left alone', { status: 'closed', labels: ['go', 'first', 'stop'], queueLabels: ['stop'] }, []],
    ['a stuck one is marked', { status: 'tagged', stuckAnnounced: true }, ['+slow']],
    [
      'and stays so while it is blocked for that',
      { status: 'blocked', stuckAnnounced: true, labels: ['stop', 'slow'], queueLabels: ['stop', 'slow'] },
      [],
    ],
    ['until it is queued again', { status: 'queued', labels: ['slow'], queueLabels: ['slow'] }, ['-slow']],
    ['or merged', { status: 'merged', stuckAnnounced: true, labels: ['slow'], queueLabels: ['slow'] }, ['-slow']],
    ["a person's mark of that kind stays", { status: 'queued', labels: ['slow'] }, []],
  ];
  test.each(cases)('%s', (_name, pullRequest, written) => {
    const writes = planLabels(
      { skipLine: false, stuckAnnounced: false, labels: [], queueLabels: [], ...pullRequest },
      rules,
    );
    expect(writes.map(({ label, present }) => `${present ? '+' : '-'}${label}`)).toEqual(written);
  });

  test('marks nothing where that is switched off, and writes no label without a name', () => {
    const blocked = { status: 'blocked', skipLine: true, stuckAnnounced: true, labels: [], queueLabels: [] } as const;
    expect(planLabels(blocked, { ...rules, marksBlocked: false, stuck: '' })).toEqual([]);
    expect(planLabels(blocked, { trigger: '', skipLine: '', blocked: '', marksBlocked: true, stuck: '' })).toEqual([]);
  });

  test('done once, leaves nothing to do', () => {
    const some = fc.subarray(['go', 'first', 'stop', 'slow', 'other']);
    const status = fc.constantFrom<PullRequestStatus>(
      'open',
      'pending',
      'queued',
      'tagged',
      'blocked',
      'merged',
      'closed',
    );
    fc.assert(
      fc.property(
        status,
        some,
        some,
        fc.boolean(),
        fc.boolean(),
        (at, labels, queueLabels, skipLine, stuckAnnounced) => {
          const after = { status: at, skipLine, stuckAnnounced, labels: [...labels], queueLabels: [...queueLabels] };
          for (const { label, present } of planLabels(after, rules)) {
            const next = present ? [...after.labels, label] : after.labels.filter((name) => name !== label);
            if (present) after.queueLabels.push(label);
            else after.queueLabels = after.queueLabels.filter((name) => name !== label);
            after.labels = next;
          }
          expect(planLabels(after, rules)).toEqual([]);
        },
      ),
    );
  });
});

test('labels that mean something follow from two readings, skip line first', () => {
  expect(changedLabels(['go', 'x'], ['first', 'y'], rules)).toEqual([
    { label: 'first', present: true },
    { label: 'go', present: false },
  ]);
});

test('a label of the queue that was seen and is gone is its own no longer', () => {
  expect(keptQueueLabels({ labels: ['stop'], queueLabels: ['stop'] }, [])).toEqual([]);
  expect(keptQueueLabels({ labels: [], queueLabels: ['stop'] }, [])).toEqual(['stop']);
});

describe('what a person requests by a label', () => {
  test.each([
    ['go', true, 'queue'],
    ['go', false, 'dequeue'],
    ['first', true, 'skip_line'],
    ['first', false, 'end_skip_line'],
  ] as const)('%s, present: %s, requests %s', (label, present, request) => {
    expect(requestOf({ label, present }, rules)).toBe(request);
  });
});
