// What a user is called on pull requests. Who has linked no handle has one all the same, made of the first half of the
// email address and the user's id: `service~1`. No handle on any code host holds a `~`, so that it names nobody else, and
// the id in it, not the name, says who may do what.

export interface Named {
  readonly handle: string | null;
  readonly email: string | null;
  readonly userId: string | null;
}

/** What the service itself is called. */
const ownHandle = 'interlock';
const longestPart = 39;

export function handleOf({ handle, email, userId }: Named): string {
  return handle ?? unlinkedHandle({ email, userId }) ?? ownHandle;
}

/** The handle of a user without a linked one; of a linked one as well: it was this before. Null: nobody's. */
export function unlinkedHandle({ email, userId }: Pick<Named, 'email' | 'userId'>): string | null {
  if (userId === null) return null;
  const part = (email ?? '')
    .replace(/@.*$/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, longestPart);
  return `${part || 'user'}~${userId}`;
}

/** The user that an unlinked handle names. Null: it is a handle on the code host. */
export function userIdOf(handle: string): string | null {
  return /^@?[a-z0-9-]+~([1-9]\d{0,17})$/.exec(handle)?.[1] ?? null;
}
