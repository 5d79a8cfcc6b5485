// Rows that decide which approvals count at the local host: reviews, and the authors of a branch.
import type { Database } from '../../platform/database.ts';
import type { HostRepository } from '../port.ts';

export interface Review {
  readonly reviewer: string;
  /** Other names of the same person. Earlier reviews under these names are deleted. */
  readonly alsoKnownAs?: readonly string[];
  /** `dismissed` deletes the reviewer's earlier verdict. */
  readonly verdict: 'approved' | 'changes_requested' | 'dismissed';
}

export async function storeReview(
  db: Database,
  repository: HostRepository,
  { number, review, at }: { readonly number: number; readonly review: Review; readonly at: Date },
): Promise<void> {
  const keys = [repository.accountId, repository.id, number, review.reviewer];
  await db.transaction(repository.accountId, async (tx) => {
    await tx.send(
      `delete from local_review where account_id = $1 and repository_id = $2 and number = $3 and reviewer <> $4
         and lower(reviewer) = any($5::text[])`,
      [...keys, (review.alsoKnownAs ?? []).map((name) => name.toLowerCase())],
    );
    if (review.verdict === 'dismissed') {
      await tx.send(
        'delete from local_review where account_id = $1 and repository_id = $2 and number = $3 and reviewer = $4',
        keys,
      );
      return;
    }
    await tx.send(
      `insert into local_review (account_id, repository_id, number, reviewer, verdict, at) values ($1, $2, $3, $4, $5, $6)
       on conflict (account_id, repository_id, number, reviewer) do update set verdict = excluded.verdict, at = excluded.at`,
      [...keys, review.verdict, at],
    );
  });
}

export async function addBranchAuthors(
  db: Database,
  repository: HostRepository,
  { branch, names }: { readonly branch: string; readonly names: readonly string[] },
): Promise<void> {
  await db.transaction(repository.accountId, async (tx) => {
    await tx.send(
      `insert into local_branch_author (account_id, repository_id, branch, name)
       select $1, $2, $3, name from unnest($4::text[]) as given (name) on conflict do nothing`,
      [repository.accountId, repository.id, branch, names],
    );
  });
}
