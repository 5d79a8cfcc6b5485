// The comments of a repository are read again and again: each comment is new once, also if it is shown late.
import { expect, test } from 'vitest';
import { parseCursor, readComments, readFrom } from '../../../src/hosts/github/comment-cursor.ts';

const start = Date.parse('2026-11-02T10:00:00Z');

function comment(id: number, atSec: number) {
  return { id, created_at: new Date(start + atSec * 1000).toISOString() };
}

/** Reads each answer of GitHub in turn, and returns the ids of the new comments. */
function follow(answers: readonly (readonly ReturnType<typeof comment>[])[], since = start): number[][] {
  let kept: string | null = null;
  return answers.map((seen) => {
    const cursor = parseCursor(kept, since);
    const read = readComments(cursor, seen, readFrom(cursor, kept === null));
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
    answers: [[comment(1, 1)], [comment(2, 200)], [comment(1, 1), comment(2, 200)]],
    fresh: [[1], [2], []],
  },
  {
    name: 'a comment from before the first read',
    answers: [[comment(1, -5), comment(2, 5)]],
    fresh: [[2]],
  },
  {
    name: 'a comment that one answer in between does not have',
    answers: [[comment(1, 1), comment(2, 30)], [comment(2, 30)], [comment(1, 1), comment(2, 30)]],
    fresh: [[1, 2], [], []],
  },
])('$name', ({ answers, fresh }) => {
  expect(follow(answers)).toEqual(fresh);
});

test('only the comments of the last minute are remembered', () => {
  const first = readComments(parseCursor(null, start), [comment(1, 0), comment(2, 30)], start);
  const later = readComments(parseCursor(first.cursor, start), [comment(3, 300)], start - 60_000);
  expect(parseCursor(later.cursor, start)).toEqual({ at: start + 300_000, known: [3] });
});

test('comments in the second in which a repository was added are read, and earlier ones are not', () => {
  expect(follow([[comment(1, 0), comment(2, 1)]], start + 1_600)).toEqual([[2]]);
});
