// The name of a user on pull requests. A user without a linked handle gets one from the first half of the email address
// and the user's id: `service~1`. No code host allows a `~` in a handle, so no person there has such a handle.
// Permissions belong to the id, not to the name before it.

export interface UserNames {
  readonly handle: string | null;
  readonly email: string | null;
  readonly userId: string | null;
}

/** The handle of the service itself. */
const ownHandle = 'interlock';
const longestPart = 39;

export function handleOf({ handle, email, userId }: UserNames): string {
  return handle ?? unlinkedHandle({ email, userId }) ?? ownHandle;
}

/**
 * The unlinked handle of a user. A user who has a linked handle now had this handle before. Null: there is no user.
 */
export function unlinkedHandle({ email, userId }: Pick<UserNames, 'email' | 'userId'>): string | null {
  if (userId === null) return null;
  const part = (email ?? '')
    .replace(/@.*$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, longestPart);
  return `${part || 'user'}~${userId}`;
}

/** The id of the user with an unlinked handle. Null: the handle is one of the code host. */
export function userIdOf(handle: string): string | null {
  return /^@?[a-z0-9-]+~([1-9]\d{0,17})$/.exec(handle)?.[1] ?? null;
}
