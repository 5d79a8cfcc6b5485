// GitHub's enums.
export type PermissionLevel = 'read' | 'write' | 'admin';
export type RepositoryRole = 'read' | 'triage' | 'write' | 'maintain' | 'admin';

export type ConclusionName =
  | 'success'
  | 'failure'
  | 'neutral'
  | 'cancelled'
  | 'skipped'
  | 'timed_out'
  | 'action_required'
  | 'stale'
  | 'startup_failure';

const permissionRank = { read: 1, write: 2, admin: 3 } as const;
const roleRank = { read: 1, triage: 2, write: 3, maintain: 4, admin: 5 } as const;

export function isPermissionAtLeast(given: PermissionLevel | undefined, wanted: PermissionLevel): boolean {
  return given !== undefined && permissionRank[given] >= permissionRank[wanted];
}

export function isRoleAtLeast(given: RepositoryRole | null, wanted: RepositoryRole): boolean {
  return given !== null && roleRank[given] >= roleRank[wanted];
}

export function higherRole(a: RepositoryRole | null, b: RepositoryRole | null): RepositoryRole | null {
  if (a === null || b === null) return a ?? b;
  return roleRank[a] >= roleRank[b] ? a : b;
}
