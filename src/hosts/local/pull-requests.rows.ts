// Rows of the local host's pull requests, and of their labels.
import type { Database, Statement } from '../../platform/database.ts';
import { hasLabel, isSameLabel } from '../../domain/label-names.ts';
import type { Review as CountedReview } from '../../domain/queue/requests/reviews.ts';
import type { HostRepository } from '../port.ts';
import type { Numbers } from './numbers.ts';

export interface PullRequestRow {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly head_branch: string;
  /** `owner/name` of the fork that has the head branch. Null: the head branch is in the repository itself. */
  readonly head_fork: string | null;
  readonly base_branch: string;
  readonly head_sha: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly draft: boolean;
  readonly labels: string[];
  /** The newest review of each reviewer. */
  readonly reviews: readonly CountedReview[];
  /** The authors of the branch besides `author`. */
  readonly branch_authors: readonly string[];
  readonly unresolved: number;
  readonly created_at: Date;
  readonly reopened_at: Date | null;
  readonly merged_at: Date | null;
  readonly merge_commit_sha: string | null;
}

export interface NewPullRequest {
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly headBranch: string;
  readonly headFork: string | null;
  readonly baseBranch: string;
  readonly headSha: string;
  readonly draft: boolean;
  readonly labels: readonly string[];
  readonly at: Date;
}

const selected = `select p.number, p.title, p.body, p.author, p.head_branch, p.head_fork, p.base_branch, p.head_sha, p.state, p.draft, p.labels,
  p.created_at, p.reopened_at, p.merged_at, p.merge_commit_sha,
  coalesce(r.reviews, '[]') as reviews,
  array(select b.name from local_branch_author b
    where b.account_id = p.account_id and b.repository_id = p.repository_id and b.branch = p.head_branch and p.head_fork is null) as branch_authors,
  (select count(*)::int from local_thread t
   where t.account_id = p.account_id and t.repository_id = p.repository_id and t.number = p.number and t.resolved_at is null) as unresolved
from local_pull_request p
cross join lateral (
  select json_agg(json_build_object('reviewer', v.reviewer, 'verdict', v.verdict)) as reviews
  from local_review v
  where v.account_id = p.account_id and v.repository_id = p.repository_id and v.number = p.number
) r
where p.account_id = $1 and p.repository_id = $2`;

export async function findPullRequest(
  db: Database,
  repository: HostRepository,
  number: number,
): Promise<PullRequestRow | null> {
  const rows = await read(db, repository, {
    name: 'local_pull_request_one',
    text: `${selected} and p.number = $3`,
    values: [number],
  });
  return rows[0] ?? null;
}

export async function findOpenPullRequests(db: Database, repository: HostRepository): Promise<PullRequestRow[]> {
  return await read(db, repository, {
    name: 'local_pull_request_open',
    text: `${selected} and p.state = 'open' order by p.number`,
    values: [],
  });
}

/** The open pull requests whose heads are these branches of the repository itself, and not of a fork. */
export async function findOpenPullRequestsOf(
  db: Database,
  repository: HostRepository,
  headBranches: readonly string[],
): Promise<PullRequestRow[]> {
  if (headBranches.length === 0) return [];
  return await read(db, repository, {
    name: 'local_pull_request_open_of',
    text: `${selected} and p.state = 'open' and p.head_branch = any($3) and p.head_fork is null order by p.number`,
    values: [headBranches],
  });
}

/** The branches of the open pull requests. */
export async function findOpenBranches(
  db: Database,
  repository: HostRepository,
): Promise<Pick<PullRequestRow, 'head_branch' | 'head_fork' | 'base_branch'>[]> {
  return await db.read(repository.accountId, {
    name: 'local_pull_request_open_branches',
    text: `select head_branch, head_fork, base_branch from local_pull_request
           where account_id = $1 and repository_id = $2 and state = 'open'`,
    values: [repository.accountId, repository.id],
  });
}

async function read(db: Database, repository: HostRepository, statement: Statement): Promise<PullRequestRow[]> {
  return await db.read<PullRequestRow>(repository.accountId, {
    ...statement,
    values: [repository.accountId, repository.id, ...statement.values],
  });
}

/**
 * Stores a pull request under the next number that neither the database nor the repository has used. Returns the
 * number. Null: an open pull request has the same head and base.
 */
export async function insertPullRequest(
  db: Database,
  repository: HostRepository,
  { numbers, ...opened }: NewPullRequest & { readonly numbers: Numbers },
): Promise<number | null> {
  return await db.transaction(repository.accountId, async (tx) => {
    const keys = [repository.accountId, repository.id];
    // The lock of this row serialises transactions that open pull requests with the same head and base.
    const [counter] = await tx.query<{ number: number }>(
      'select next_number as number from local_repository where account_id = $1 and repository_id = $2 for update',
      keys,
    );
    if (counter === undefined) throw new Error(`Repository ${repository.id} was not set up on the local host`);
    const number = Math.max(counter.number, (await numbers.readLast()) + 1);
    const inserted = await tx.query<{ number: number }>(
      `insert into local_pull_request (account_id, repository_id, number, title, body, author, head_branch, base_branch, head_sha, draft, labels, created_at, head_fork)
       select $1, $2, $3::int, $4, $5, $6, $7, $8, $9, $10, $11::text[], $12, $13::text
       where not exists (select from local_pull_request
         where account_id = $1 and repository_id = $2 and state = 'open' and head_branch = $7 and base_branch = $8
           and head_fork is not distinct from $13::text)
       returning number`,
      [
        ...keys,
        number,
        opened.title,
        opened.body,
        opened.author,
        opened.headBranch,
        opened.baseBranch,
        opened.headSha,
        opened.draft,
        [...new Set(opened.labels)],
        opened.at,
        opened.headFork,
      ],
    );
    if (inserted.length === 0) return null;
    await numbers.note(number);
    await tx.send('update local_repository set next_number = $3 where account_id = $1 and repository_id = $2', [
      ...keys,
      number + 1,
    ]);
    return number;
  });
}

/**
 * Runs `update … set` on one pull request. `set` has the assignments and a condition. Returns whether the row changed.
 */
async function change(
  db: Database,
  repository: HostRepository,
  { number, set, values }: { readonly number: number; readonly set: string; readonly values: readonly unknown[] },
): Promise<boolean> {
  const rows = await db.transaction(
    repository.accountId,
    async (tx) =>
      await tx.query<{ number: number }>(
        `update local_pull_request set ${set} and account_id = $1 and repository_id = $2 and number = $3 returning number`,
        [repository.accountId, repository.id, number, ...values],
      ),
  );
  return rows.length > 0;
}

export async function markClosed(db: Database, repository: HostRepository, number: number): Promise<boolean> {
  return await change(db, repository, { number, set: `state = 'closed' where state = 'open'`, values: [] });
}

export async function markReopened(
  db: Database,
  repository: HostRepository,
  { number, headSha, at }: { readonly number: number; readonly headSha: string; readonly at: Date },
): Promise<boolean> {
  return await change(db, repository, {
    number,
    set: `state = 'open', head_sha = $4, reopened_at = $5 where state = 'closed'`,
    values: [headSha, at],
  });
}

/** Also marks a closed pull request, because its branch may have been deleted before the landing was reported. */
export async function markMerged(
  db: Database,
  repository: HostRepository,
  { number, commit, at }: { readonly number: number; readonly commit: string; readonly at: Date },
): Promise<boolean> {
  return await change(db, repository, {
    number,
    set: `state = 'merged', merge_commit_sha = $4, merged_at = $5 where state <> 'merged'`,
    values: [commit, at],
  });
}

export async function setHead(
  db: Database,
  repository: HostRepository,
  { number, headSha }: { readonly number: number; readonly headSha: string },
): Promise<boolean> {
  return await change(db, repository, {
    number,
    set: `head_sha = $4 where state = 'open' and head_sha <> $4`,
    values: [headSha],
  });
}

export async function setBase(
  db: Database,
  repository: HostRepository,
  { number, baseBranch }: { readonly number: number; readonly baseBranch: string },
): Promise<boolean> {
  return await change(db, repository, {
    number,
    set: `base_branch = $4 where state = 'open' and base_branch <> $4`,
    values: [baseBranch],
  });
}

/** One label that is added or removed. `by` is a handle. Null: the queue. */
export interface LabelWrite {
  readonly number: number;
  readonly label: string;
  readonly present: boolean;
  readonly by: string | null;
  readonly at: Date;
}

export async function setLabelPresence(
  db: Database,
  repository: HostRepository,
  { number, label, present, by, at }: LabelWrite,
): Promise<boolean> {
  const keys = [repository.accountId, repository.id, number];
  return await db.transaction(repository.accountId, async (tx) => {
    const [found] = await tx.query<{ labels: string[]; changed: string[] }>(
      `select p.labels, array(select c.label from local_label_change c
              where c.account_id = p.account_id and c.repository_id = p.repository_id and c.number = p.number) as changed
       from local_pull_request p where p.account_id = $1 and p.repository_id = $2 and p.number = $3 for no key update`,
      keys,
    );
    if (found === undefined || hasLabel(found.labels, label) === present) return false;
    const others = found.labels.filter((each) => !isSameLabel(each, label));
    const respelled = found.changed.filter((each) => each !== label && isSameLabel(each, label));
    await tx.query(
      `with respelled as (
         delete from local_label_change
         where account_id = $1 and repository_id = $2 and number = $3 and label = any($8::text[])),
       changed as (
         update local_pull_request set labels = $9 where account_id = $1 and repository_id = $2 and number = $3)
       insert into local_label_change (account_id, repository_id, number, label, present, by, at)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (account_id, repository_id, number, label) do update
         set present = excluded.present, by = excluded.by, at = excluded.at
       returning 1`,
      [...keys, label, present, by, at, respelled, present ? [...others, label] : others],
    );
    return true;
  });
}

interface LabelChange {
  readonly present: boolean;
  readonly by: string | null;
  readonly at: Date;
}

export async function findLabelChange(
  db: Database,
  repository: HostRepository,
  { number, label }: { readonly number: number; readonly label: string },
): Promise<LabelChange | null> {
  const changes = await db.read<LabelChange & { readonly label: string }>(repository.accountId, {
    name: 'local_label_changes_of',
    text: `select label, present, by, at from local_label_change
           where account_id = $1 and repository_id = $2 and number = $3 order by at desc`,
    values: [repository.accountId, repository.id, number],
  });
  const found = changes.find((change) => isSameLabel(change.label, label));
  return found === undefined ? null : { present: found.present, by: found.by, at: found.at };
}

export interface PullRequestEdit {
  readonly title?: string;
  readonly body?: string;
  readonly draft?: boolean;
}

export async function edit(
  db: Database,
  repository: HostRepository,
  { number, changes }: { readonly number: number; readonly changes: PullRequestEdit },
): Promise<boolean> {
  return await change(db, repository, {
    number,
    set: `title = coalesce($4::text, title), body = coalesce($5::text, body), draft = coalesce($6::boolean, draft) where state = 'open'`,
    values: [changes.title ?? null, changes.body ?? null, changes.draft ?? null],
  });
}
