// The recipients of direct messages: of a pull request its author, the user who queued it and the person it was queued
// for, of a deployment the user who asked for it.
import { userIdOf } from '../../domain/accounts/handle.ts';
import type { SystemQueries } from '../../platform/database.ts';

const namesOf = {
  pull_request:
    'select array[author, requested_by, merge_requested_by] as names from pull_request where account_id = $1 and id = $2',
  deployment: 'select array[actor] as names from deployment where account_id = $1 and id = $2',
} as const;

/** Ids of users of the account. The service user is nobody's inbox. */
export async function readRecipients(
  query: SystemQueries['query'],
  accountId: string,
  subject: string,
): Promise<readonly string[]> {
  const [kind = '', id = ''] = subject.split(':');
  if (kind !== 'pull_request' && kind !== 'deployment') return [];
  const [row] = await query<{ names: readonly (string | null)[] }>(namesOf[kind], [accountId, id]);
  const called = row?.names.flatMap((name) => name ?? []) ?? [];
  const users = await query<{ id: string }>(
    `select id::text as id from account_user
     where account_id = $1 and removed_at is null and not is_service
       and (lower(handle) = any ($2::text[]) or lower(email) = any ($2::text[]) or id = any ($3::bigint[]))
     order by id`,
    [accountId, called.map((name) => name.toLowerCase()), called.flatMap((name) => userIdOf(name) ?? [])],
  );
  return users.map((user) => user.id);
}
