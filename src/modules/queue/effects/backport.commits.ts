// Finds the commits of a merged pull request on its base branch, oldest first. A backport picks these commits.
import type { Context } from '../../../context.ts';
import { hostClient, type HostCommit, type HostedRepository } from '../../../hosts/port.ts';
import type { PullRequestRow } from '../store/queue.entities.ts';

/** One more than a backport may pick, so that a longer series is refused and not shortened. */
const maxCommits = 501;

/**
 * A pull request that was squashed or merged has one commit. A pull request that was rebased has a series of commits.
 * Empty: the host did not report how the pull request was merged, or which commits it had.
 */
export async function findMergedCommits(
  ctx: Context,
  host: HostedRepository,
  row: PullRequestRow,
): Promise<readonly string[]> {
  const landed = await readLanded(ctx, row.id);
  if (landed !== null) return await lineBetween(ctx, host, landed);
  const { number, headSha, mergeCommitSha: merge } = row;
  return merge ? await findMergedElsewhere(ctx, host, { number, headSha, merge }) : [];
}

interface Landed {
  readonly own_commit: string;
  /** The commit below its own commits: the last commit of the member before it, or the first parent of the landing. */
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
  const line = await hostClient(ctx, host).listFirstParents({ from: below, to: own_commit, limit: maxCommits });
  return line.length === 0 ? [own_commit] : oldestFirst(line);
}

/**
 * Finds the commits of a pull request that was merged outside the queue. Only its last commit on the base branch is
 * known. If the commits up to that commit have the messages of the pull request's commits, the pull request was
 * rebased, and these commits are returned. If its head is on the first-parent line of the base branch, the base branch
 * was fast-forwarded, and the host lists the commits. Otherwise the known commit is its only commit.
 */
async function findMergedElsewhere(
  ctx: Context,
  host: HostedRepository,
  { number, merge, headSha }: { readonly number: number; readonly merge: string; readonly headSha: string },
): Promise<readonly string[]> {
  const client = hostClient(ctx, host);
  const own = await client.listFirstParents({ from: merge, to: headSha, limit: maxCommits });
  const line = await client.listFirstParents({ from: null, to: merge, limit: Math.max(own.length, 1) });
  const isRebased = own.length > 1 && own.every((commit, index) => isSameChange(commit, line[index]));
  if (isRebased) return oldestFirst(line);
  if (own.length > 0 || !(await isOnLine(client, { merge, headSha }))) return [merge];
  const listed = await client.listCommitsOf(number);
  if (listed === null) return [];
  return pickListed(await client.listFirstParents({ from: null, to: headSha, limit: maxCommits }), listed);
}

async function isOnLine(
  client: ReturnType<typeof hostClient>,
  { merge, headSha }: { readonly merge: string; readonly headSha: string },
): Promise<boolean> {
  if (merge === headSha) return true;
  const since = await client.listFirstParents({ from: headSha, to: merge, limit: maxCommits });
  return since.at(-1)?.parents[0] === headSha;
}

/**
 * The commits of a fast-forwarded pull request. `line` has the first parents of its head, newest first. A merge commit
 * that only merged the base branch into the branch has no change to backport.
 */
function pickListed(line: readonly HostCommit[], listed: readonly string[]): string[] {
  const known = new Set(listed);
  const end = line.findIndex(({ commit }) => !known.has(commit));
  const own = end < 0 ? line : line.slice(0, end);
  return oldestFirst(own.filter(({ parents }) => parents[1] === undefined || known.has(parents[1])));
}

function isSameChange(a: HostCommit, b: HostCommit | undefined): boolean {
  return b !== undefined && b.parents.length === 1 && a.message === b.message && a.authorEmail === b.authorEmail;
}

function oldestFirst(line: readonly HostCommit[]): string[] {
  return line.map((commit) => commit.commit).toReversed();
}
