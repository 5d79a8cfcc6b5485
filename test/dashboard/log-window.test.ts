import { describe, expect, it } from 'vitest';
import { emptyLog, lengthOf, withEarlier, withLater, type LogWindow } from '../../dashboard/src/app/log-window.ts';

const piece = (n: number, length = 100_000) => ({ cursor: String(n), text: 'x'.repeat(length) });
const page = (hasPreviousPage: boolean, ...numbers: number[]) => ({
  nodes: numbers.map((n) => piece(n)),
  pageInfo: { hasPreviousPage },
});
const cursors = ({ pieces }: LogWindow): string => pieces.map(({ cursor }) => cursor).join(' ');

describe('the part of a log that is shown', () => {
  it('is the end of the log first, and says whether there is more before it', () => {
    expect(withEarlier(emptyLog, page(false, 1, 2))).toMatchObject({ hasEarlier: false });
    const log = withEarlier(emptyLog, page(true, 4, 5));
    expect([cursors(log), log.hasEarlier]).toEqual(['4 5', true]);
  });

  it('drops whole pieces at its beginning when new ones come, and they can be read again', () => {
    const log = withLater(withEarlier(emptyLog, page(false, 1, 2)), [piece(3), piece(4)]);
    expect([cursors(log), log.hasEarlier]).toEqual(['2 3 4', true]);
  });

  it('keeps the pieces that the user has read while new pieces come', () => {
    const asked = withEarlier(withEarlier(emptyLog, page(true, 3, 4)), page(false, 1, 2));
    expect([cursors(asked), asked.hasEarlier]).toEqual(['1 2 3 4', false]);
    const log = withLater(asked, [piece(5), piece(6), piece(7)]);
    expect([cursors(log), log.hasEarlier]).toEqual(['1 2 3 4 5 6 7', false]);
  });

  it('does not grow with a log of 100 MB', () => {
    let log = emptyLog;
    for (let n = 0; n < 1_000; n += 1) log = withLater(log, [piece(n)]);
    expect([cursors(log), log.hasEarlier]).toEqual(['997 998 999', true]);
    expect(lengthOf(log)).toBe(300_000);
  });

  it('does not grow if the user goes back to the beginning of a log of 100 MB', () => {
    let log = withEarlier(emptyLog, page(true, 998, 999));
    for (let n = 996; n >= 0; n -= 2) log = withEarlier(log, page(n > 0, n, n + 1));
    expect([log.pieces[0]?.cursor, log.pieces.at(-1)?.cursor, log.hasEarlier, log.hasLater]).toEqual([
      '0',
      '39',
      false,
      true,
    ]);
    // A new piece must not be shown directly after piece 39.
    expect(withLater(log, [piece(1_000)])).toBe(log);
  });

  it('has the last piece, however long it is', () => {
    expect(cursors(withLater(emptyLog, [piece(1), piece(2, 1_000_000)]))).toBe('2');
  });
});
