// A token is limited by its scopes and by the role of its user. These tests show what each role may do with a token
// that has every scope.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scopes, type Role, type Scope } from '../../src/context.ts';
import { mayUse } from '../../src/modules/accounts/authorisation.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { accountOf, type AccountVerbs } from './account.ts';
import { inventedVariables, operations, scopesOf } from './operations.ts';

const roles = ['member', 'maintainer', 'admin'] as const satisfies readonly Role[];

// The columns are member, maintainer, admin.
const table: Readonly<Record<Scope, readonly [boolean, boolean, boolean]>> = {
  'queue:read': [true, true, true],
  'queue:write': [true, true, true],
  'queue:pause': [false, true, true],
  'config:read': [true, true, true],
  'config:write': [false, true, true],
  'analytics:read': [true, true, true],
  'audit:read': [false, false, true],
  'release:read': [true, true, true],
  'release:write': [false, true, true],
  'deploy:write': [false, true, true],
  'runbook:write': [true, true, true],
  'preview:register': [true, true, true],
  admin: [false, false, true],
};

it.each(Object.entries(table))('the scope %s is allowed to member, maintainer, admin: %j', (scope, expected) => {
  expect(roles.map((role) => mayUse(role, scope as Scope))).toEqual(expected);
});

describe('an operation', () => {
  let s: TestServer;
  let account: AccountVerbs;
  const tokens = new Map<Role, string>();
  beforeAll(async () => {
    s = await startServer();
    account = accountOf(s);
    // The tokens are made while all three users are admins, so that each token gets every scope.
    const users = [];
    for (const role of roles) users.push({ role, ...(await account.add(role, { role: 'admin', scopes })) });
    for (const { role, id, token } of users) {
      if (role !== 'admin') await account.update(id, { role: role.toUpperCase() });
      tokens.set(role, token);
    }
  });
  afterAll(async () => await s.close());

  const asked = operations.flatMap((operation) => {
    const { field, document } = operation;
    // If one of several scopes is enough, every role has the first of them.
    const [scope] = scopesOf(operation);
    if (scope === undefined || field.startsWith('Subscription.')) return [];
    return roles.map((role, at) => ({ field, scope, document, role, allowed: table[scope][at] ?? false }));
  });

  it.each(asked)('$field is allowed to the role $role: $allowed', async ({ scope, document, role, allowed }) => {
    const { errors } = await s.graphql(document, inventedVariables, tokens.get(role));
    const refusals = errors.filter(({ message }) => message.startsWith('This needs '));
    const least = roles[table[scope].indexOf(true)];
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
