// The comments of a repository are read again and again: each comment is new once, also if it is shown late or edited.
import { expect, test } from 'vitest';
import { parseCursor, readComments, readFrom } from '../../../src/hosts/github/comment-cursor.ts';

const start = Date.parse('2026-11-02T10:00:00Z');

function comment(id: number, atSec: number, changedSec = atSec) {
  return { id, created_at: new Date(start + atSec * 1000).toISOString(), changedAt: start + changedSec * 1000 };
}

type Answer = readonly ReturnType<typeof comment>[];

/** Reads each answer of GitHub in turn, and returns the ids of the new comments. */
function follow(answers: readonly (Answer | { readonly full: Answer })[], since = start): number[][] {
  let kept: string | null = null;
  return answers.map((answer) => {
    const [seen, hasMore] = 'full' in answer ? [answer.full, true] : [answer, false];
    const readTo = Math.max(...seen.map(({ changedAt }) => changedAt));
    const read = readComments(parseCursor(kept, since), seen, { readTo, hasMore });
    kept = read.cursor;
    return read.fresh.map(({ id }) => id);
  });
}

test.each([
  { name: 'no comment', answers: [[], []], fresh: [[], []] },
  { name: 'each is new once', answers: [[comment(1, 1)], [comment(1, 1), comment(2, 2)]], fresh: [[1], [2]] },
  { name: 'two comments in one second', answers: [[comment(1, 1)], [comment(1, 1), comment(2, 1)]], fresh: [[1], [2]] },
  {
    name: 'a comment that is shown late, within the minute',
    answers: [
      [comment(1, 1), comment(3, 50)],
      [comment(1, 1), comment(2, 20), comment(3, 50)],
    ],
    fresh: [[1, 3], [2]],
  },
  {
    name: 'an old comment that was edited',
    answers: [[comment(1, 1)], [comment(2, 200)], [comment(1, 1, 210), comment(2, 200)]],
    fresh: [[1], [2], []],
  },
  {
    name: 'a comment from before the first read',
    answers: [[comment(1, -5), comment(2, 5)]],
    fresh: [[2]],
  },
  {
    name: 'a comment from before the first read that is edited soon after it',
    answers: [[comment(2, 5)], [comment(2, 5), comment(1, -5, 6)]],
    fresh: [[2], []],
  },
  {
    name: 'a comment that one answer in between does not have',
    answers: [[comment(1, 1), comment(2, 30)], [comment(2, 30)], [comment(1, 1), comment(2, 30)]],
    fresh: [[1, 2], [], []],
  },
  {
    name: 'a comment that was edited before it was read',
    answers: [[comment(2, 20), comment(1, 10, 30)]],
    fresh: [[1, 2]],
  },
  {
    name: 'a comment that was edited long after its creation, on a page after the first',
    answers: [[], { full: [comment(2, 3_600)] }, [comment(1, 10, 3_700)], [comment(1, 10, 3_800)]],
    fresh: [[], [2], [1], []],
  },
  {
    name: 'a comment that is edited while later pages are read',
    answers: [{ full: [comment(1, 10)] }, { full: [comment(2, 3_600)] }, [comment(1, 10, 7_200)]],
    fresh: [[1], [2], []],
  },
])('$name', ({ answers, fresh }) => {
  expect(follow(answers)).toEqual(fresh);
});

test('only the comments of the last minute are remembered', () => {
  const seen = [comment(1, 0), comment(2, 30), comment(3, 60), comment(4, 90)];
  let cursor: string | null = null;
  for (const each of seen)
    ({ cursor } = readComments(parseCursor(cursor, start), [each], { readTo: each.changedAt, hasMore: false }));
  expect([...parseCursor(cursor, start).known.keys()]).toEqual([2, 3, 4]);
});

test('comments in the second in which a repository was added are read, and earlier ones are not', () => {
  expect(follow([[comment(1, 0), comment(2, 1)]], start + 1_600)).toEqual([[2]]);
});

test.each([
  { name: 'the first read', cursor: null, from: 0 },
  { name: 'a read within the first minute', cursor: `${start + 20_000}::${start}`, from: 0 },
  { name: 'a later read', cursor: `${start + 300_000}::${start + 240_000}`, from: 240 },
  { name: 'a read after a full page', cursor: `${start + 300_000}::${start}`, from: 240 },
  { name: 'a read from a cursor of an earlier version', cursor: `${start + 300_000}:1,2`, from: 240 },
])('$name asks for the changes of the last minute', ({ cursor, from }) => {
  expect(readFrom(parseCursor(cursor, start))).toBe(start + from * 1000);
});

test('a cursor of an earlier version names the comments that were new before', () => {
  const cursor = parseCursor(`${start + 300_000}:1,2`, start);
  const seen = [comment(1, 290), comment(3, 310)];
  expect(readComments(cursor, seen, { readTo: start + 310_000, hasMore: false }).fresh.map(({ id }) => id)).toEqual([
    3,
  ]);
});
