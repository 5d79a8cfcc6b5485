import { expect, it } from 'vitest';
import { findExpiredBackups, nameOfBackup, type FoundBackup } from '../../src/backup-folder.ts';

it('the name of a backup is its instant, and names sort like their instants', () => {
  expect(nameOfBackup(new Date('2026-11-23T20:41:07.123Z'))).toBe('2026-11-23T20-41-07Z');
});

const complete = (...names: string[]): FoundBackup[] => names.map((name) => ({ name, isComplete: true }));
const broken = (...names: string[]): FoundBackup[] => names.map((name) => ({ name, isComplete: false }));
const three = complete('2026-11-22T03-00-00Z', '2026-11-23T03-00-00Z', '2026-11-21T03-00-00Z');
const made = '2026-11-23T03-00-00Z';
it.each([
  ['more than are kept: the oldest', three, 2, ['2026-11-21T03-00-00Z']],
  ['as many as are kept: none', three, 3, []],
  ['the new one alone', complete(made), 1, []],
  [
    'names of other things stay',
    [...complete('lost+found', '2026'), ...three],
    1,
    ['2026-11-21T03-00-00Z', '2026-11-22T03-00-00Z'],
  ],
  [
    'incomplete ones after the complete ones: none',
    [...three, ...broken('2026-11-24T03-00-00Z', '2026-11-25T03-00-00Z', '2026-11-26T03-00-00Z')],
    3,
    [],
  ],
  [
    'incomplete ones before and between the complete ones: the older ones',
    [...three, ...broken('2026-11-21T15-00-00Z', '2026-11-22T15-00-00Z', '2026-11-20T03-00-00Z')],
    2,
    ['2026-11-20T03-00-00Z', '2026-11-21T03-00-00Z', '2026-11-21T15-00-00Z'],
  ],
  [
    'incomplete ones besides fewer complete ones than are kept: none',
    [...complete(made), ...broken('2026-11-20T03-00-00Z', '2026-11-21T03-00-00Z')],
    2,
    [],
  ],
  [
    'ones with a later instant than the new one, because a clock was wrong: they do not count, and stay',
    [...three, ...complete('2027-01-01T03-00-00Z', '2027-01-02T03-00-00Z')],
    2,
    ['2026-11-21T03-00-00Z'],
  ],
])('expired backups, of %s', (_, found, keep, expired) => {
  expect(findExpiredBackups(found, { keep, made })).toEqual(expired);
});
