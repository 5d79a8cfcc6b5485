import { readPage, toConnection, type Connection, type PageRequest } from '../../graphql/connection.ts';
import type { UserPage, UserRead } from './users.reads.ts';

/** A page of users by email address, twenty on a page by default. */
export async function pageOfUsers(
  request: PageRequest,
  read: (page: UserPage) => Promise<UserRead[]>,
): Promise<Connection<UserRead>> {
  const { size, after: key } = readPage(request, { size: 20, keyLength: 1 });
  const rows = await read({ size, after: key && String(key[0]) });
  return toConnection(rows, size, { node: (row): UserRead => row, key: ({ email }) => [email] });
}
