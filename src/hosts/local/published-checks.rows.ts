// Checks that Interlock itself reports on head commits, such as the status of a pull request in the queue. `readChecks`
// never returns them.
import type { Database } from '../../platform/database.ts';
import type { HostRepository, PublishedHostCheck } from '../port.ts';

export async function storePublishedCheck(
  db: Database,
  repository: HostRepository,
  { check, at }: { readonly check: PublishedHostCheck; readonly at: Date },
): Promise<void> {
  await db.transaction(repository.accountId, async (tx) => {
    await tx.send(
      `insert into local_status_check as c (account_id, repository_id, commit, name, state, title, summary, url, version, reported_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       on conflict (account_id, repository_id, commit, name) do update
         set state = excluded.state, title = excluded.title, summary = excluded.summary, url = excluded.url,
             version = excluded.version, reported_at = excluded.reported_at
       where excluded.version >= c.version`,
      [
        repository.accountId,
        repository.id,
        check.commit,
        check.name,
        check.state,
        check.title,
        check.summary,
        check.url,
        check.version,
        at,
      ],
    );
  });
}

export async function findPublishedChecks(
  db: Database,
  repository: HostRepository,
  commit: string,
): Promise<PublishedHostCheck[]> {
  return await db.read<PublishedHostCheck>(repository.accountId, {
    name: 'local_status_checks',
    text: `select commit, name, state, title, summary, url, version::float8 as version from local_status_check
where account_id = $1 and repository_id = $2 and commit = $3 order by name`,
    values: [repository.accountId, repository.id, commit],
  });
}
