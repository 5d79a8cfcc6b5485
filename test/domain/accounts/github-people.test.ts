import { describe, expect, it } from 'vitest';
import { scopes } from '../../../src/context.ts';
import {
  isBot,
  isPermissionEnough,
  neededPermissions,
  noreplyAddress,
  permissionOf,
  roleAtGitHub,
} from '../../../src/domain/accounts/github-people.ts';

it.each([
  [{ permission: 'admin', role_name: 'admin' }, 'admin'],
  [{ permission: 'write', role_name: 'maintain' }, 'maintain'],
  [{ permission: 'write', role_name: 'write' }, 'write'],
  [{ permission: 'read', role_name: 'triage' }, 'triage'],
  [{ permission: 'write', role_name: 'release-captain' }, 'write'],
  [{ permission: 'read' }, 'read'],
  [{ permission: 'none', role_name: 'none' }, null],
  [{ permission: 'none', role_name: '' }, null],
])('the answer %j of GitHub is the permission %s', (answer, permission) => {
  expect(permissionOf(answer)).toBe(permission);
});

describe('a permission', () => {
  it.each([
    [null, 'read', false],
    ['read', 'read', true],
    ['triage', 'write', false],
    ['write', 'write', true],
    ['maintain', 'admin', false],
    ['admin', 'maintain', true],
  ] as const)('%s is enough for %s: %s', (has, needed, isEnough) => {
    expect(isPermissionEnough(has, needed)).toBe(isEnough);
  });

  it('every scope has a needed permission', () => {
    expect(Object.keys(neededPermissions).sort()).toEqual([...scopes].sort());
  });
});

it.each([
  ['an owner', { isOwner: true, permissions: [] }, 'admin'],
  ['a maintainer of every repository', { isOwner: false, permissions: ['admin', 'maintain'] }, 'maintainer'],
  ['a maintainer of one of two repositories', { isOwner: false, permissions: ['admin', 'write'] }, 'member'],
  ['a person who does not see one of two repositories', { isOwner: false, permissions: ['admin', null] }, 'member'],
  ['a person without an active repository', { isOwner: false, permissions: [] }, 'member'],
] as const)('%s (%j) has the role %s', (_who, given, role) => {
  expect(roleAtGitHub(given)).toBe(role);
});

it('a person has an address that never changes, with a name without brackets', () => {
  expect(noreplyAddress({ id: '7', login: 'Ada-L', webUrl: 'https://github.com' })).toBe(
    '7+ada-l@users.noreply.github.com',
  );
  expect([isBot('renovate[bot]'), isBot('ada')]).toEqual([true, false]);
});
