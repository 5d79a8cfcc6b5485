// What a person of GitHub may do here: the role in the account, and which permission at GitHub each scope needs in a
// repository.

/** The permissions in a repository at GitHub, the lowest first. A function returns null for a person without any. */
const githubPermissions = ['read', 'triage', 'write', 'maintain', 'admin'] as const;
export type GitHubPermission = (typeof githubPermissions)[number];

export function isPermissionEnough(has: GitHubPermission | null, needed: GitHubPermission): boolean {
  return has !== null && githubPermissions.indexOf(has) >= githubPermissions.indexOf(needed);
}

/**
 * GitHub's answer: `permission` has no values for triage and maintain, and `role_name` may be a role that an
 * organisation has defined. Such a role counts as the standard role that it includes.
 */
export function permissionOf(answer: {
  readonly permission: string;
  readonly role_name?: string | undefined;
}): GitHubPermission | null {
  return (
    githubPermissions.find((each) => each === answer.role_name) ??
    githubPermissions.find((each) => each === answer.permission) ??
    null
  );
}

/**
 * The role holds for the whole account, so it is what the person may do in every repository: an owner of the account at
 * GitHub is an admin, and a person who maintains all active repositories is a maintainer.
 */
export function roleAtGitHub({
  isOwner,
  permissions,
}: {
  readonly isOwner: boolean;
  /** The permission of the person in each active repository that the account has at GitHub. */
  readonly permissions: readonly (GitHubPermission | null)[];
}): 'admin' | 'maintainer' | 'member' {
  if (isOwner) return 'admin';
  const isMaintainer = permissions.length > 0 && permissions.every((each) => isPermissionEnough(each, 'maintain'));
  return isMaintainer ? 'maintainer' : 'member';
}

/** What a person needs in a repository at GitHub, to use a scope there. */
export const neededPermissions = {
  'queue:read': 'read',
  'queue:write': 'write',
  'queue:pause': 'maintain',
  'config:read': 'read',
  'config:write': 'maintain',
  'analytics:read': 'read',
  'audit:read': 'admin',
  'release:read': 'read',
  'release:write': 'maintain',
  'deploy:write': 'maintain',
  'runbook:write': 'write',
  'preview:register': 'write',
  admin: 'admin',
} as const satisfies Readonly<Record<string, GitHubPermission>>;

/** Whether a name at GitHub is that of an App and not of a person. No person's name has brackets. */
export function isBot(login: string): boolean {
  return login.endsWith('[bot]');
}

interface PersonWithoutAddress {
  readonly id: string;
  readonly webUrl: string;
}

/** GitHub's noreply address of a person who shows no address. */
export function noreplyAddress(person: PersonWithoutAddress & { readonly login: string }): string {
  return `${person.id}+${person.login}@users.noreply.${new URL(person.webUrl).hostname}`.toLowerCase();
}

/** The noreply addresses of a person, as a pattern of SQL's `like`: the name in the address may be an earlier one. */
export function noreplyAddresses(person: PersonWithoutAddress): string {
  return noreplyAddress({ ...person, login: '%' });
}
