import { describe, expect, test } from 'vitest';
import { decideIdentity, isMapped } from '../../src/platform/sandbox/privileges.ts';

const nobody = { isRoot: true, uid: 65534, gid: 65534 };

describe('the user of a run', () => {
  test('is another user for each run if the service is root', () => {
    const runs = [1, 2, 3].map(() => decideIdentity({ ...nobody, hasOwnUids: true }));
    expect(new Set(runs.map(({ uid }) => uid)).size).toBe(3);
    for (const { uid, gid } of runs) expect([gid, uid >= 0x70000000, uid < 0x7fffffff]).toEqual([uid, true, true]);
  });

  test('is nobody for all runs if the machine has no separate users', () => {
    expect(decideIdentity({ ...nobody, hasOwnUids: false })).toMatchObject(nobody);
  });

  test.each<[string, string, boolean]>([
    ['a machine', '         0          0 4294967295\n', true],
    ['a container without root', '         0       1000          1\n         1     100000      65536\n', false],
    ['a container with its last users missing', '         0     100000 2147483000\n', false],
    ['a machine without user namespaces', '', false],
  ])('can be another user for each run on %s: %s', (_where, map, expected) => {
    expect(isMapped(map, { first: 0x70000000, count: 0x0fffffff })).toBe(expected);
  });
});
