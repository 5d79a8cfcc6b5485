// The roles of users, and which scopes each role allows.
import type { Role, Scope } from '../../src/context.ts';

export const roles = ['member', 'maintainer', 'admin'] as const satisfies readonly Role[];

/** Which roles may use a scope: member, maintainer, admin (interface 5.7). */
export const rolesOfScopes: Readonly<Record<Scope, readonly [boolean, boolean, boolean]>> = {
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
