import { expect, it } from 'vitest';
import type { Actor } from '../../src/context.ts';
import { systemContext, type Ports } from '../../src/context.ts';
import { createSharedLoaders } from '../../src/graphql/shared-loaders.ts';

const caller = (accountId: string, changes: Partial<Actor> = {}): { accountId: string; actor: Actor } => {
  const { actor } = systemContext({} as Ports, accountId);
  return { accountId, actor: { ...actor, kind: 'user_token', tokenId: '1', userId: '1', ...changes } };
};

it.each<[string, ReturnType<typeof caller>, boolean]>([
  ['the same caller', caller('1'), true],
  ['the same caller with other scopes', caller('1', { scopes: new Set(['queue:read']) }), false],
  ['another account', caller('2'), false],
  ['another token', caller('1', { tokenId: '2' }), false],
  ['another role', caller('1', { role: 'member' }), false],
  ['a person of GitHub', caller('1', { personAtGitHub: { id: '7', login: 'ada' } }), false],
])('a caller shares loaders only with the same caller, compared with %s', (_name, other, isShared) => {
  const loadersOf = createSharedLoaders();
  const loaders = loadersOf(caller('1'));
  expect(loadersOf(other) === loaders).toBe(isShared);
});

it('the order of scopes does not matter', () => {
  const loadersOf = createSharedLoaders();
  const one = loadersOf(caller('1', { scopes: new Set(['admin', 'queue:read']) }));
  expect(loadersOf(caller('1', { scopes: new Set(['queue:read', 'admin']) }))).toBe(one);
});
