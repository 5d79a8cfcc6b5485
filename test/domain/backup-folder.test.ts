import { expect, it } from 'vitest';
import { findExpiredBackups, nameOfBackup } from '../../src/backup-folder.ts';

it('the name of a backup is its instant, and names sort like their instants', () => {
  expect(nameOfBackup(new Date('2026-11-23T20:41:07.123Z'))).toBe('2026-11-23T20-41-07Z');
});

const three = ['2026-11-22T03-00-00Z', '2026-11-23T03-00-00Z', '2026-11-21T03-00-00Z'];
it.each([
  ['more than are kept: the oldest', three, 2, ['2026-11-21T03-00-00Z']],
  ['as many as are kept: none', three, 3, []],
  ['none at all', [], 1, []],
  ['names of other things stay', ['lost+found', '2026', ...three], 1, ['2026-11-21T03-00-00Z', '2026-11-22T03-00-00Z']],
])('expired backups, of %s', (_, names, keep, expired) => {
  expect(findExpiredBackups(names, keep)).toEqual(expired);
});
