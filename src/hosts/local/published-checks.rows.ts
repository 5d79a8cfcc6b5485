// Checks that Interlock itself reports on head commits, such as the status of a pull request in the queue. `readChecks`
// never returns them.
import type { Database } from '../../platform/database.ts';
import type { HostRepository, PublishedHostCheck } from '../port.ts';

/** Checks are stored in the order of their keys, so that two writers cannot deadlock. */
export async function storePublishedChecks(
  db: Database,
  repository: HostRepository,
  { checks, at }: { readonly checks: readonly PublishedHostCheck[]; readonly at: Date },
): Promise<void> {
  await db.transaction(repository.accountId, async (tx) => {
    await tx.send(
      `insert into local_status_check as c (account_id, repository_id, commit, name, state, title, summary, url, version, reported_at)
       select $1::bigint, $2::bigint, p.*, $10::timestamptz
       from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[]) as p (commit, name, state, title, summary, url, version)
       order by p.commit, p.name
       on conflict (account_id, repository_id, commit, name) do update
         set state = excluded.state, title = excluded.title, summary = excluded.summary, url = excluded.url,
             version = excluded.version, reported_at = excluded.reported_at
       where excluded.version >= c.version`,
      [
        repository.accountId,
        repository.id,
        checks.map(({ commit }) => commit),
        checks.map(({ name }) => name),
        checks.map(({ state }) => state),
        checks.map(({ title }) => title),
        checks.map(({ summary }) => summary),
        checks.map(({ url }) => url),
        checks.map(({ version }) => version),
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
