// What a token may do by its scopes, and by the role of its user.
import { describe, expect, it } from 'vitest';
import { scopes, type Context, type Role, type Scope } from '../../../src/context.ts';
import { DomainError } from '../../../src/domain/errors.ts';
import {
  hasScope,
  haveSameRights,
  mayUse,
  refusalOfAction,
  requireAction,
  requireRepositoryScope,
  requireScope,
  scopeOfAction,
  type Action,
} from '../../../src/modules/accounts/authorisation.ts';
import { roles, rolesOfScopes } from '../../accounts/roles-of-scopes.ts';

function caller(role: Role, ...held: readonly Scope[]): Context {
  return { actor: { role, scopes: new Set(held) } } as unknown as Context;
}

/** The code and the message of the refusal. Null: it was not refused. */
function refusal(request: () => void): readonly string[] | null {
  try {
    request();
    return null;
  } catch (error) {
    if (error instanceof DomainError) return [error.code, error.message];
    throw error;
  }
}

describe.each(Object.entries(rolesOfScopes))('the scope %s', (name, expected) => {
  const scope = name as Scope;
  it(`is allowed to member, maintainer, admin: ${expected.join(', ')}`, () => {
    expect(roles.map((role) => mayUse(role, scope))).toEqual(expected);
  });

  it('of a token counts only if the role of its user allows the scope', () => {
    expect(roles.map((role) => hasScope(caller(role, scope), scope))).toEqual(expected);
    const least = roles[expected.indexOf(true)];
    expect(roles.map((role) => refusal(() => requireScope(caller(role, scope), scope)))).toEqual(
      roles.map((role, at) =>
        expected[at] ? null : ['FORBIDDEN', `This needs the role ${least}; the user of this token is a ${role}.`],
      ),
    );
  });

  it('is refused to a token without it, whatever the role', () => {
    const refused = ['FORBIDDEN', `This needs a token with the scope ${scope}.`];
    expect(roles.map((role) => hasScope(caller(role), scope))).toEqual([false, false, false]);
    expect(roles.map((role) => refusal(() => requireScope(caller(role), scope)))).toEqual([refused, refused, refused]);
  });
});

it.each([
  ['the same', {}, true],
  ['another role', { role: 'member' }, false],
  ['a scope less', { scopes: new Set<Scope>(['queue:read']) }, false],
  ['a scope more', { scopes: new Set<Scope>(['queue:read', 'admin', 'config:read']) }, false],
  ['another scope', { scopes: new Set<Scope>(['queue:read', 'config:read']) }, false],
  ['the permissions of a person at GitHub', { personAtGitHub: { id: '1', login: 'ada' } }, false],
] as const)('two actors have the same rights if the second has %s', (_what, change, expected) => {
  const scopesOfFirst: ReadonlySet<Scope> = new Set(['queue:read', 'admin']);
  const first = { role: 'admin' as Role, scopes: scopesOfFirst, personAtGitHub: null };
  expect(haveSameRights(first, { ...first, ...change })).toBe(expected);
});

describe('a scope that may change something may also read it, and no other scope includes another:', () => {
  const included: Partial<Record<Scope, readonly Scope[]>> = {
    'queue:write': ['queue:read'],
    admin: ['queue:read'],
    'config:write': ['config:read'],
    'release:write': ['release:read'],
    'deploy:write': ['release:read'],
  };
  it.each(scopes)('%s', (held) => {
    const usable = scopes.filter((scope) => hasScope(caller('admin', held), scope));
    expect(usable.toSorted()).toEqual([held, ...(included[held] ?? [])].toSorted());
  });
});

describe('the action', () => {
  const needed: Readonly<Record<Action, Scope>> = {
    queue: 'queue:write',
    dequeue: 'queue:write',
    skip_line: 'queue:write',
    skip_validation: 'queue:write',
    sync: 'queue:write',
    refresh: 'queue:write',
    backport: 'queue:write',
    verify: 'queue:write',
    pause: 'queue:pause',
    freeze: 'release:write',
    reset_queue: 'queue:pause',
    retry_build: 'queue:write',
    halt: 'admin',
    configure: 'config:write',
    start_runbook: 'runbook:write',
    deploy: 'deploy:write',
    roll_back: 'deploy:write',
    update_environment: 'release:write',
    administer: 'admin',
  };
  it.each(Object.entries(needed))('%s needs the scope %s', (name, scope) => {
    const action = name as Action;
    expect(scopeOfAction(action)).toBe(scope);
    const [without, withAllOthers] = [caller('admin'), caller('admin', ...scopes.filter((each) => each !== scope))];
    for (const each of [without, withAllOthers]) {
      expect(refusalOfAction(each, action)).toBe(`This needs a token with the scope ${scope}.`);
      expect(refusal(() => requireAction(each, action))).toEqual([
        'FORBIDDEN',
        `This needs a token with the scope ${scope}.`,
      ]);
    }
    const alone = caller('admin', scope);
    expect([refusalOfAction(alone, action), refusal(() => requireAction(alone, action))]).toEqual([null, null]);
  });
});

describe('a repository and its own fields', () => {
  const enough: readonly Scope[] = [
    'queue:read',
    'queue:write',
    'queue:pause',
    'config:read',
    'config:write',
    'analytics:read',
    'release:read',
    'release:write',
    'deploy:write',
    'runbook:write',
    'admin',
  ];
  const refused = [
    'FORBIDDEN',
    'This needs a token with one of the scopes queue:read, queue:pause, config:read, analytics:read, release:read, runbook:write.',
  ];
  it.each(scopes)('are read with the scope %s alone only if it concerns repositories', (scope) => {
    expect(refusal(() => requireRepositoryScope(caller('admin', scope)))).toEqual(
      enough.includes(scope) ? null : refused,
    );
  });

  it('are not read with a scope that the role does not allow', () => {
    expect(refusal(() => requireRepositoryScope(caller('member', 'queue:pause')))).toEqual(refused);
    expect(refusal(() => requireRepositoryScope(caller('maintainer', 'queue:pause')))).toBeNull();
  });
});
