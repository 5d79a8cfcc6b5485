// Rows of the authors of a branch besides the author of its pull request. GitHub does not store these authors.
import type { Database } from '../../platform/database.ts';
import type { HostRepository } from '../port.ts';

export async function storeBranchAuthors(
  db: Database,
  repository: HostRepository,
  { branch, names }: { readonly branch: string; readonly names: readonly string[] },
): Promise<void> {
  await db.transaction(repository.accountId, async (tx) => {
    await tx.send(
      `insert into host_branch_author (account_id, repository_id, branch, name)
       select $1, $2, $3, name from unnest($4::text[]) name on conflict do nothing`,
      [repository.accountId, repository.id, branch, [...new Set(names)].toSorted()],
    );
  });
}

export async function findBranchAuthors(
  db: Database,
  repository: HostRepository,
  branches: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await db.read<{ branch: string; name: string }>(repository.accountId, {
    name: 'host_branch_authors',
    text: 'select branch, name from host_branch_author where account_id = $1 and repository_id = $2 and branch = any($3)',
    values: [repository.accountId, repository.id, branches],
  });
  const found = new Map<string, Set<string>>();
  for (const { branch, name } of rows) found.set(branch, (found.get(branch) ?? new Set()).add(name));
  return found;
}
