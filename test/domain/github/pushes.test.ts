// What the output of a push means, and when the next push may start.
import { expect, test } from 'vitest';
import { judgeRefs, type PushAnswer, readPushAnswer, refuseUpdates } from '../../../src/hosts/github/push-answers.ts';
import { waitBefore } from '../../../src/hosts/github/push-lane.ts';
import { HostRefused, HostUnavailable, RefMoved } from '../../../src/hosts/port.ts';

const main = 'refs/heads/main';
const landing = 'refs/interlock/landings/7';

/** The output of `git push --porcelain` for a rejected push. */
function rejected(reason: string, others = 'atomic push failed'): string {
  return `To https://github.com/acme/shop.git\n!\tabc:${main}\t[remote rejected] (${reason})\n!\tabc:${landing}\t[remote rejected] (${others})\nDone\n`;
}

const answers: readonly (readonly [string, string, string, PushAnswer['kind']])[] = [
  ['a lease that does not match', rejected('stale info'), '', 'unclear'],
  ['a base that is ahead', rejected('fetch first'), '', 'unclear'],
  ['a transaction that failed', rejected('atomic transaction failed', 'atomic transaction failed'), '', 'unclear'],
  [
    'a ref that another push has locked',
    rejected("cannot lock ref 'refs/heads/main': is at 1 but expected 2"),
    '',
    'unclear',
  ],
  ['a failure without a reason, as under concurrent pushes', rejected('failed', 'failed'), '', 'unclear'],
  ['no output', '', 'fatal: the remote end hung up unexpectedly', 'unclear'],
  [
    'a file that is too large',
    rejected('pre-receive hook declined', 'pre-receive hook declined'),
    "remote: error: GH001: Large files detected.\nremote: error: File big is 120.00 MB; this exceeds GitHub's file size limit of 100.00 MB\n",
    'refused',
  ],
  [
    'a protected branch',
    rejected('protected branch hook declined', 'atomic transaction failed'),
    'remote: error: GH006: Protected branch update failed for refs/heads/main.\nremote: error: Required status check "test" is expected.\n',
    'refused',
  ],
  [
    'an address that is private',
    rejected('push declined due to email privacy restrictions'),
    'remote: error: GH007: Your push would publish a private email address.\n',
    'refused',
  ],
  [
    'rules of a ruleset',
    rejected('push declined due to repository rule violations', 'atomic transaction failed'),
    'remote: error: GH013: Repository rule violations found for refs/heads/main.\n',
    'refused',
  ],
  [
    'a workflow file without the permission',
    rejected(
      'refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission',
    ),
    '',
    'refused',
  ],
  [
    'a rule that the App has bypassed, in a push that failed for another reason',
    rejected('failed', 'failed'),
    'remote: Bypassed rule violations for refs/heads/main:\nremote: - Changes must be made through a pull request.\n',
    'unclear',
  ],
  [
    'a warning about a large file, in a push that failed for another reason',
    rejected('failed', 'failed'),
    'remote: warning: GH001: Large files detected. You may want to try Git Large File Storage.\n',
    'unclear',
  ],
  [
    'a lost race together with the text of a rule',
    rejected('stale info'),
    'remote: error: GH013: Repository rule violations found for refs/heads/main.\n',
    'unclear',
  ],
];

test.each(answers)('%s', (_name, stdout, stderr, kind) => {
  expect(readPushAnswer({ exitCode: 1, stdout, stderr }).kind).toBe(kind);
});

test('a successful push is done, whatever GitHub remarks', () => {
  const stderr = 'remote: Bypassed rule violations for refs/heads/main:\n';
  expect(readPushAnswer({ exitCode: 0, stdout: 'Done\n', stderr })).toEqual({ kind: 'done' });
});

test.each([
  [
    'the sentences of GitHub, in one line',
    rejected('push declined due to repository rule violations'),
    'remote: \nremote: error: GH013: Repository rule violations found for refs/heads/main.\nremote: \nremote: - Required status check "build" is expected.\nremote: \n',
    'GH013: Repository rule violations found for refs/heads/main. Required status check "build" is expected',
  ],
  [
    'the reason of the ref that a rule refuses, if GitHub says no more',
    `!\tabc:${landing}\t[remote rejected] (atomic push failed)\n!\tabc:${main}\t[remote rejected] (protected branch hook declined)\n`,
    '',
    'protected branch hook declined',
  ],
])('a refusal has %s', (_name, stdout, stderr, message) => {
  expect(readPushAnswer({ exitCode: 1, stdout, stderr })).toMatchObject({ kind: 'refused', message });
});

test.each([
  ['- Changes must be made through the merge queue', true],
  ['- Changes must be made through a pull request.', true],
  ["- You're not authorized to push to this branch. Visit https://docs.github.com for more information.", true],
  ['- Cannot update this protected ref.', true],
  ['- Cannot change this locked branch', true],
  ['- Required status check "build" is expected.', false],
  ['- Commits must have verified signatures.', false],
  ['- This branch must not contain merge commits.', false],
])('the sentence "%s" is about every push: %s', (sentence, isForAll) => {
  const stdout = rejected('push declined due to repository rule violations');
  const stderr = `remote: error: GH013: Repository rule violations found for refs/heads/main.\nremote: \nremote: ${sentence}\n`;
  expect(readPushAnswer({ exitCode: 1, stdout, stderr })).toMatchObject({ kind: 'refused', isForAll });
});

test('a rule about every push that the App has bypassed does not refuse every push', () => {
  const stderr =
    'remote: Bypassed rule violations for refs/heads/main:\nremote: - Changes must be made through a pull request.\nremote: error: GH006: Protected branch update failed for refs/heads/main.\nremote: - Required status check "build" is expected.\n';
  const stdout = rejected('protected branch hook declined');
  expect(readPushAnswer({ exitCode: 1, stdout, stderr })).toMatchObject({ kind: 'refused', isForAll: false });
});

const [before, after, strange] = ['a', 'b', 'c'].map((digit) => digit.repeat(40)) as [string, string, string];
const moves = [
  { ref: main, from: before, to: after },
  { ref: landing, from: null, to: after },
];

const lostAnswers: readonly (readonly [string, Record<string, string>, Error | null])[] = [
  ['all refs are at their new commits', { [main]: after, [landing]: after }, null],
  ['nothing moved', { [main]: before }, new HostUnavailable('GitHub moved nothing: lost')],
  ['somebody moved the base', { [main]: strange }, new RefMoved(main, before, strange)],
  ['somebody deleted the base', {}, new RefMoved(main, before, null)],
  ['a tombstone is at the landing ref', { [main]: before, [landing]: strange }, new RefMoved(landing, null, strange)],
  ['only one ref moved', { [main]: after }, new HostUnavailable(`GitHub moved ${main} alone: lost`)],
  [
    'the landing ref exists, and somebody moved the base on',
    { [main]: strange, [landing]: after },
    new RefMoved(main, before, strange),
  ],
];

test.each(lostAnswers)('after a push without an answer: %s', (_name, actual, error) => {
  const judged = judgeRefs(moves, new Map(Object.entries(actual)), 'lost');
  expect(judged).toEqual(error);
  expect(judged?.constructor).toBe(error?.constructor);
});

test('a deletion has happened if the ref does not exist', () => {
  expect(judgeRefs([{ ref: main, from: before, to: null }], new Map(), 'lost')).toBeNull();
});

test('an update that names a ref twice is refused', () => {
  const [first] = moves;
  expect(() => refuseUpdates([...moves, { ref: main, from: first?.from ?? null, to: strange }])).toThrow(HostRefused);
});

test.each([
  { startedAt: [], now: 0, wait: 0, why: 'nothing was pushed' },
  { startedAt: [0, 1, 2], now: 3, wait: 0, why: 'fewer than a minute permits' },
  { startedAt: [0, 1, 2, 3, 4, 5], now: 10_000, wait: 50_000, why: 'the oldest of six is ten seconds old' },
  { startedAt: [0, 1, 2, 3, 4, 5], now: 60_000, wait: 0, why: 'the oldest of six is a minute old' },
  { startedAt: [9_000, 1, 2, 3, 4, 5], now: 70_000, wait: 0, why: 'all are old' },
  { startedAt: [8, 9, 10, 11, 12, 13].map((hour) => hour * 3_600_000), now: 1, wait: 0, why: 'the clock was set back' },
])('the next push waits $wait ms: $why', ({ startedAt, now, wait }) => {
  expect(waitBefore(startedAt, 6, now)).toBe(wait);
});

test('a workflow that the App may not push is refused with the permission that an owner grants', () => {
  const message = 'refusing to allow a GitHub App to create or update workflow `a.yml` without `workflows` permission';
  const answer = readPushAnswer({ exitCode: 1, stdout: rejected(message), stderr: '' });
  expect(answer).toMatchObject({
    kind: 'refused',
    message: expect.stringMatching(
      /without `workflows` permission.*An owner must grant the App the permission "Workflows"/s,
    ) as string,
  });
});
