// The commits of a merged pull request on its base, oldest first: a backport picks these.
import type { Context } from '../../../context.ts';
import { codeOf, type HostCommit } from '../../../hosts/port.ts';
import type { HostedRepository } from '../store/hosted-repository.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';

/** One more than a backport picks: a longer series is refused, not cut. */
const mostCommits = 501;

/** A squash or merge gives one commit, a rebase a series. Empty: the host did not say how it was merged. */
export async function findMergedCommits(
  ctx: Context,
  host: HostedRepository,
  row: PullRequestRow,
): Promise<readonly string[]> {
  const landed = await readLanded(ctx, row.id);
  if (landed !== null) return await lineBetween(ctx, host, landed);
  return row.mergeCommitSha ? await findMergedElsewhere(ctx, host, { ...row, merge: row.mergeCommitSha }) : [];
}

interface Landed {
  readonly own_commit: string;
  /** The parent of its own commits: the last commit of the member before it, or the landing's first parent. */
  readonly below: string;
}

async function readLanded(ctx: Context, pullRequestId: string): Promise<Landed | null> {
  const [landed] = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<Landed>(
        `select m.own_commit, coalesce((
           select e.own_commit from landed_member e
           join batch_member eb on eb.account_id = $1 and eb.batch_id = l.batch_id and eb.pull_request_id = e.pull_request_id
           where e.account_id = $1 and e.landing_id = l.id and eb.ordinal < b.ordinal and e.own_commit <> m.own_commit
           order by eb.ordinal desc limit 1), l.first_parent) as below
         from landed_member m
         join landing l on l.account_id = $1 and l.id = m.landing_id
         left join batch_member b on b.account_id = $1 and b.batch_id = l.batch_id and b.pull_request_id = m.pull_request_id
         where m.account_id = $1 and m.pull_request_id = $2`,
        [ctx.accountId, pullRequestId],
      ),
  );
  return landed ?? null;
}

async function lineBetween(ctx: Context, host: HostedRepository, { own_commit, below }: Landed): Promise<string[]> {
  const line = await codeOf(ctx, host).listFirstParents({ from: below, to: own_commit, limit: mostCommits });
  return line.length === 0 ? [own_commit] : oldestFirst(line);
}

/**
 * For a pull request that was merged outside the queue only its last commit is known. If as many commits as the pull
 * request had end there with the same messages, it was rebased, and all of them are its commits. Otherwise it is that
 * one commit.
 */
async function findMergedElsewhere(
  ctx: Context,
  host: HostedRepository,
  { merge, headSha }: { readonly merge: string; readonly headSha: string },
): Promise<string[]> {
  const code = codeOf(ctx, host);
  const own = await code.listFirstParents({ from: merge, to: headSha, limit: mostCommits });
  const line = await code.listFirstParents({ from: null, to: merge, limit: Math.max(own.length, 1) });
  const isRebased = own.length > 1 && own.every((commit, index) => isSameChange(commit, line[index]));
  return isRebased ? oldestFirst(line) : [merge];
}

function isSameChange(a: HostCommit, b: HostCommit | undefined): boolean {
  return b !== undefined && b.parents.length === 1 && a.message === b.message && a.authorEmail === b.authorEmail;
}

function oldestFirst(line: readonly HostCommit[]): string[] {
  return line.map((commit) => commit.commit).toReversed();
}
