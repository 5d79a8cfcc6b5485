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

describe('the labels that the queue writes', () => {
  const cases: readonly (readonly [
    name: string,
    pullRequest: Partial<LabelledPullRequest> & { readonly status: PullRequestStatus },
    written: readonly string[],
  ])[] = [
    [
      'a blocked pull request loses the trigger label, and gets the blocked label',
      { status: 'blocked', labels: ['go'] },
      ['+stop', '-go'],
    ],
    [
      'a blocked label that somebody removed is put on again',
      { status: 'blocked', labels: [], queueLabels: ['stop'] },
      ['+stop'],
    ],
    [
      "the queue's own mark goes when it is merged",
      { status: 'merged', labels: ['stop'], queueLabels: ['stop'] },
      ['-stop'],
    ],
    ['a closed pull request keeps the stuck label', { status: 'closed', labels: ['slow'], queueLabels: ['slow'] }, []],
    ['a blocked label of a person stays', { status: 'blocked', labels: ['stop'] }, []],
    [
      'a dequeued pull request keeps no label that requests its queueing',
      { status: 'open', labels: ['go', 'first'] },
      ['-go', '-first'],
    ],
    ['a pull request that skips the line gets the skip-line label', { status: 'queued', skipLine: true }, ['+first']],
    ['the trigger label is never put on', { status: 'queued' }, []],
    [
      "the queue's own mark goes when it is queued again",
      { status: 'pending', labels: ['stop'], queueLabels: ['stop'] },
      ['-stop'],
    ],
    [
      'the blocked label is removed even while it is being put on',
      { status: 'queued', queueLabels: ['stop'] },
      ['-stop'],
    ],
    ['a label of a person on a merged pull request stays', { status: 'merged', labels: ['stop'] }, []],
    [
      'a closed pull request keeps its labels',
      { status: 'closed', labels: ['go', 'first', 'stop'], queueLabels: ['stop'] },
      [],
    ],
    [
      'a mark that the configuration names no more goes with the next change, and no label of a person does',
      { status: 'queued', labels: ['halt', 'wait'], queueLabels: ['halt'] },
      ['-halt'],
    ],
    [
      'a former mark goes while the new one is put on',
      { status: 'blocked', labels: ['halt'], queueLabels: ['halt'] },
      ['+stop', '-halt'],
    ],
    ['a stuck pull request gets the stuck label', { status: 'tagged', stuckAnnounced: true }, ['+slow']],
    [
      'the stuck label stays while the pull request is blocked as stuck',
      { status: 'blocked', stuckAnnounced: true, labels: ['stop', 'slow'], queueLabels: ['stop', 'slow'] },
      [],
    ],
    [
      'the stuck label is removed when the pull request is queued again',
      { status: 'queued', labels: ['slow'], queueLabels: ['slow'] },
      ['-slow'],
    ],
    [
      'the stuck label is removed when the pull request is merged',
      { status: 'merged', stuckAnnounced: true, labels: ['slow'], queueLabels: ['slow'] },
      ['-slow'],
    ],
    ['a stuck label of a person stays', { status: 'queued', labels: ['slow'] }, []],
    [
      'a mark that the host spells with other capitals is not put on again',
      { status: 'blocked', labels: ['Stop'], queueLabels: ['stop'] },
      [],
    ],
    [
      'a mark that the host spells with other capitals goes',
      { status: 'queued', labels: ['Stop'], queueLabels: ['STOP'] },
      ['-stop'],
    ],
  ];
  test.each(cases)('%s', (_name, pullRequest, written) => {
    const writes = planLabels(
      { skipLine: false, stuckAnnounced: false, labels: [], queueLabels: [], ...pullRequest },
      rules,
    );
    expect(writes.map(({ label, present }) => `${present ? '+' : '-'}${label}`)).toEqual(written);
  });

  test('no label is written if labels are off or have no name', () => {
    const blocked = { status: 'blocked', skipLine: true, stuckAnnounced: true, labels: [], queueLabels: [] } as const;
    expect(planLabels(blocked, { ...rules, marksBlocked: false, stuck: '' })).toEqual([]);
    expect(planLabels(blocked, { trigger: '', skipLine: '', blocked: '', marksBlocked: true, stuck: '' })).toEqual([]);
  });

  test('after the labels were written once, none is written again', () => {
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

test('changed labels with a meaning are found by a comparison, skip line first', () => {
  expect(changedLabels(['go', 'x'], ['first', 'y'], rules)).toEqual([
    { label: 'first', present: true },
    { label: 'go', present: false },
  ]);
  expect(changedLabels(['go', 'x'], ['go'], rules)).toEqual([]);
  expect(changedLabels(['Go'], ['First', 'GO'], rules)).toEqual([{ label: 'first', present: true }]);
  expect(changedLabels(['go'], ['', 'go'], { ...rules, skipLine: '' })).toEqual([]);
});

test('a label of the queue that was seen and has gone no longer belongs to the queue', () => {
  expect(keptQueueLabels({ labels: ['stop'], queueLabels: ['stop'] }, [])).toEqual([]);
  expect(keptQueueLabels({ labels: [], queueLabels: ['stop'] }, [])).toEqual(['stop']);
  expect(keptQueueLabels({ labels: ['Stop'], queueLabels: ['stop'] }, [])).toEqual([]);
  expect(keptQueueLabels({ labels: ['Stop'], queueLabels: ['stop'] }, ['Stop'])).toEqual(['stop']);
});

describe('the request of a person by a label', () => {
  test.each([
    ['go', true, 'queue'],
    ['go', false, 'dequeue'],
    ['first', true, 'skip_line'],
    ['First', true, 'skip_line'],
    ['first', false, 'end_skip_line'],
  ] as const)('%s, present: %s, requests %s', (label, present, request) => {
    expect(requestOf({ label, present }, rules)).toBe(request);
  });
});
