import { expect, it } from 'vitest';
import { handleOf, unlinkedHandle, userIdOf } from '../../../src/domain/accounts/handle.ts';

it.each([
  [{ handle: 'ada', email: 'ada@acme.test', userId: '7' }, 'ada'],
  [{ handle: null, email: 'service@interlock.local', userId: '1' }, 'service~1'],
  [{ handle: null, email: 'Ada.Lovelace+work@acme.test', userId: '12' }, 'ada-lovelace-work~12'],
  [{ handle: null, email: '..@acme.test', userId: '3' }, 'user~3'],
  [{ handle: null, email: `${'x'.repeat(100)}@acme.test`, userId: '4' }, `${'x'.repeat(39)}~4`],
  [{ handle: null, email: null, userId: null }, 'interlock'],
])('the user %j has the handle %s', (user, name) => {
  expect(handleOf(user)).toBe(name);
});

it.each([
  ['service~1', '1'],
  ['@ada-lovelace~12', '12'],
  ['ada', null],
  ['ada-7', null],
  ['~7', null],
  ['ada~07', null],
  ['ada~7~8', null],
])('the handle %s names the user %s', (handle, userId) => {
  expect(userIdOf(handle)).toBe(userId);
});

it('two users without a linked handle never share a handle', () => {
  const [one, other] = ['1', '2'].map((userId) => unlinkedHandle({ email: 'ada@acme.test', userId }));
  expect(one).not.toBe(other);
});
