// A token is limited by its scopes and by the role of its user. These tests show what each role may do with a token
// that has every scope.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Role } from '../../src/context.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { tokensOfRoles } from './account.ts';
import { inventedVariables, operations, scopesOf } from './operations.ts';
import { roles, rolesOfScopes } from './roles-of-scopes.ts';

describe('an operation', () => {
  let s: TestServer;
  let tokens: ReadonlyMap<Role, string>;
  beforeAll(async () => {
    s = await startServer();
    tokens = await tokensOfRoles(s);
  });
  afterAll(async () => await s.close());

  const asked = operations.flatMap((operation) => {
    const { field, document } = operation;
    // If one of several scopes is enough, every role has the first of them.
    const [scope] = scopesOf(operation);
    if (scope === undefined || field.startsWith('Subscription.')) return [];
    return roles.map((role, at) => ({ field, scope, document, role, allowed: rolesOfScopes[scope][at] ?? false }));
  });

  it.each(asked)('$field is allowed to the role $role: $allowed', async ({ scope, document, role, allowed }) => {
    const { errors } = await s.graphql(document, inventedVariables, tokens.get(role));
    const refusals = errors.filter(({ message }) => message.startsWith('This needs '));
    const least = roles[rolesOfScopes[scope].indexOf(true)];
    expect(refusals.map(({ message, extensions }) => [message, extensions.code])).toEqual(
      allowed ? [] : [[`This needs the role ${least}; the user of this token is a ${role}.`, 'FORBIDDEN']],
    );
  });

  it('of a token shows the scopes that the role allows now, not those that the token once got', async () => {
    const { data } = await s.graphql<{ viewer: { role: string; scopes: string[] } }>(
      '{ viewer { role scopes } }',
      {},
      tokens.get('member'),
    );
    expect(data.viewer).toEqual({
      role: 'MEMBER',
      scopes: [
        'QUEUE_READ',
        'QUEUE_WRITE',
        'CONFIG_READ',
        'ANALYTICS_READ',
        'RELEASE_READ',
        'RUNBOOK_WRITE',
        'PREVIEW_REGISTER',
      ],
    });
  });
});
