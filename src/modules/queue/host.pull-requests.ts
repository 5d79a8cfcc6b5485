// What a host knows of a pull request, copied into its row. Host events and webhooks are hints: whatever they say, the
// facts are read back here, so that a late, doubled or lost one changes nothing but the moment.
import type { Context } from '../../context.ts';
import { DomainError } from '../../domain/errors.ts';
import { isQueued } from '../../domain/queue/status.ts';
import type { HostCommit, HostPullRequest } from '../../hosts/port.ts';
import type { Transaction } from '../../platform/database.ts';
import { recordBuild, recordChecks } from './build.records.ts';
import { isLandingBegun } from './begun-landings.ts';
import { onCommitAdded } from './commit-added.ts';
import { isBotBranch, mostReads, type HostedRepository } from './host.repository.ts';
import { PullRequestEntity, type PullRequestRow, type QueueRow } from './queue.entities.ts';
import { changeQueuesInOrder, ensureQueue } from './queue.locks.ts';
import { announce, beginWork, finishWork, noOptions, writeStatus, type QueueWork } from './status.writer.ts';

/** Facts about a head commit that the rows need and the pull request does not carry. */
interface HeadFacts {
  readonly tree: string;
  /** Its first parent when it is a plain merge of that parent with the base's tip, adding nothing else. Null otherwise. */
  readonly updates: string | null;
  readonly authorName: string;
  readonly authorEmail: string;
  /** The base's tip when the head contains it: a build of such a head may be evidence. '' otherwise. */
  readonly base: string;
}

/**
 * Reads one pull request and the checks of its head from the host and keeps them. Answers null when the host does not
 * know it. `announceOpened` is false for those that were there before the repository was added.
 */
export async function syncPullRequest(
  ctx: Context,
  repository: HostedRepository,
  number: number,
  options: { readonly announceOpened: boolean } = { announceOpened: true },
): Promise<PullRequestRow | null> {
  const host = ctx.hosts(repository.host);
  for (let reads = 1; ; reads += 1) {
    const before = await writtenAt(ctx, repository, number);
    const seen = await host.getPullRequest(repository, number);
    if (seen === null || isBotBranch(seen.headBranch)) return null;
    const head = await readHead(ctx, repository, seen);
    const row =
      (await findUnchanged(ctx, repository, seen, head)) ??
      (await ctx.db.transaction(ctx.accountId, async (tx) => {
        const standing = await standingOf(ctx, tx, repository, seen);
        // Somebody wrote since this read began, perhaps a later state of the host: the head never goes back to an older one.
        if (reads < mostReads && (standing.known?.updatedAt.getTime() ?? null) !== before) return null;
        const work = await followBase(ctx, tx, standing);
        const pullRequest = await keepPullRequest(work, repository, standing, { seen, head, options });
        if (head !== null)
          await recordBuild(ctx, tx, {
            repositoryId: repository.id,
            commit: seen.headSha,
            tree: head.tree,
            base: head.base,
          });
        await finishWork(work);
        return pullRequest;
      }));
    if (row === null) continue;
    if (head !== null && seen.state === 'open') await recordChecks(ctx, repository, seen.headSha);
    return row;
  }
}

/** When the row was last written; null while there is none. */
async function writtenAt(ctx: Context, repository: HostedRepository, number: number): Promise<number | null> {
  const [row] = await ctx.db.read<{ updated_at: Date }>(ctx.accountId, {
    name: 'pull_request_written_at',
    text: 'select updated_at from pull_request where account_id = $1 and repository_id = $2 and number = $3',
    values: [ctx.accountId, repository.id, number],
  });
  return row?.updated_at.getTime() ?? null;
}

async function readHead(ctx: Context, repository: HostedRepository, seen: HostPullRequest): Promise<HeadFacts | null> {
  const host = ctx.hosts(repository.host);
  const commit = await host.readCommit(repository, seen.headSha);
  if (commit === null) return null;
  const base = await host.readRef(repository, `refs/heads/${seen.baseBranch}`);
  const containsBase = base !== null && (await host.isAncestor(repository, base.commit, seen.headSha));
  const { tree, authorName, authorEmail } = commit;
  const updates = base === null ? null : await updatedHead(ctx, repository, commit, base.commit);
  return { tree, updates, authorName, authorEmail, base: containsBase ? base.commit : '' };
}

// An "update branch" is told from a commit that somebody wrote by merging again: the same two parents must give its tree.
async function updatedHead(
  ctx: Context,
  repository: HostedRepository,
  commit: HostCommit,
  tip: string,
): Promise<string | null> {
  const [previous, base] = commit.parents;
  if (previous === undefined || base !== tip || commit.parents.length !== 2) return null;
  const merged = await ctx.hosts(repository.host).composeCommit(repository, {
    parent: base,
    members: [
      {
        head: previous,
        strategy: 'merge',
        message: commit.message,
        authorName: commit.authorName,
        authorEmail: commit.authorEmail,
      },
    ],
    batchCommit: 'group',
    groupMessage: '',
    at: commit.authoredAt,
    keepRef: `refs/interlock/updates/${commit.commit}`,
  });
  return merged.kind === 'composed' && merged.tree === commit.tree ? previous : null;
}

/** The row when the host says nothing new: then nobody is locked, planned for or woken. */
async function findUnchanged(
  ctx: Context,
  repository: HostedRepository,
  seen: HostPullRequest,
  head: HeadFacts | null,
): Promise<PullRequestRow | null> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const row = await tx.em.findOne(PullRequestEntity, {
      accountId: ctx.accountId,
      repositoryId: repository.id,
      number: seen.number,
    });
    if (row === null || !hasFacts(row, seen) || row.headSha !== seen.headSha || !hasFollowed(row, seen)) return null;
    if (head === null) return row;
    if (row.authorName !== head.authorName || row.authorEmail !== head.authorEmail) return null;
    const builds = await tx.query('select 1 from build where account_id = $1 and repository_id = $2 and commit = $3', [
      ctx.accountId,
      repository.id,
      seen.headSha,
    ]);
    return builds.length === 0 ? null : row;
  });
}

function hasFollowed(row: PullRequestRow, seen: HostPullRequest): boolean {
  switch (seen.state) {
    case 'open':
      return row.status !== 'closed';
    case 'closed':
      return row.status === 'closed' || row.status === 'merged';
    case 'merged':
      return row.status === 'merged';
    default:
      return seen.state satisfies never;
  }
}

/** Where a pull request stands here, with the queues that concern it locked: that of its base branch, and its own. */
interface Standing {
  readonly known: PullRequestRow | null;
  readonly target: QueueRow;
  /** The queue it is counted in. Another one than `target` when its base branch was changed at the host. */
  readonly current: QueueRow;
}

async function standingOf(
  ctx: Context,
  tx: Transaction,
  repository: HostedRepository,
  seen: HostPullRequest,
): Promise<Standing> {
  const targetId = await ensureQueue(ctx, tx, repository.id, seen.baseBranch);
  const [before] = await tx.query<{ queue_id: string | null }>(
    'select queue_id from pull_request where account_id = $1 and repository_id = $2 and number = $3',
    [ctx.accountId, repository.id, seen.number],
  );
  const queues = await changeQueuesInOrder(ctx, tx, [targetId, before?.queue_id ?? targetId]);
  const known = await tx.em.findOne(PullRequestEntity, {
    accountId: ctx.accountId,
    repositoryId: repository.id,
    number: seen.number,
  });
  const target = queues.get(targetId);
  const current = queues.get(known?.queueId ?? targetId);
  // Between the read and the locks it went to a third queue: the caller reads the host again.
  if (target === undefined || current === undefined)
    throw new DomainError('CONFLICT', `The base branch of #${seen.number} changed meanwhile. Try again.`);
  return { known, target, current };
}

/**
 * A base branch changed at the host takes the pull request out of the line it stood in, under the lock of that queue:
 * what was built for one base proves nothing for another. Past the gate of its landing it stays until that is over.
 */
async function followBase(ctx: Context, tx: Transaction, { known, target, current }: Standing): Promise<QueueWork> {
  if (known === null || target === current) return beginWork(ctx, tx, target);
  const work = beginWork(ctx, tx, current);
  if (await isLandingBegun(work.ctx, work.tx, known.id)) return work;
  if (isQueued(known.status) || known.status === 'pending') {
    writeStatus(work, known, 'dequeue');
    announce(work, known, 'dequeued', { statusCode: 104 });
  }
  Object.assign(known, { ...noOptions, queueId: target.id, conflictParent: null, conflictAfter: null });
  await finishWork(work);
  return beginWork(ctx, tx, target);
}

async function keepPullRequest(
  work: QueueWork,
  repository: HostedRepository,
  { known, target }: Standing,
  read: {
    readonly seen: HostPullRequest;
    readonly head: HeadFacts | null;
    readonly options: { readonly announceOpened: boolean };
  },
): Promise<PullRequestRow> {
  const { ctx, tx, now } = work;
  const { seen, head, options } = read;
  if (known === null) {
    const created = tx.em.create(PullRequestEntity, {
      accountId: ctx.accountId,
      repositoryId: repository.id,
      queueId: work.queue.id,
      ...factsOf(seen),
      headSha: seen.headSha,
      authorName: head?.authorName ?? seen.author,
      authorEmail: head?.authorEmail ?? `${seen.author}@users.noreply.interlock`,
      createdAt: now,
      updatedAt: now,
    });
    if (seen.state !== 'open') writeStatus(work, created, seen.state === 'merged' ? 'merge' : 'close');
    await tx.em.flush();
    if (seen.state === 'open' && options.announceOpened) announce(work, created, 'opened');
    return created;
  }
  const { baseBranch } = known;
  Object.assign(known, factsOf(seen));
  // It is still being landed where it stood: it changes its base branch when that is over.
  if (work.queue.id !== target.id) known.baseBranch = baseBranch;
  if (head !== null) Object.assign(known, { authorName: head.authorName, authorEmail: head.authorEmail });
  if (known.headSha !== seen.headSha)
    await onCommitAdded(work, known, { head: seen.headSha, updates: head?.updates ?? null });
  await followState(work, known, seen);
  return known;
}

function factsOf(
  seen: HostPullRequest,
): Pick<
  PullRequestRow,
  | 'number'
  | 'title'
  | 'body'
  | 'author'
  | 'headBranch'
  | 'baseBranch'
  | 'draft'
  | 'labels'
  | 'approvals'
  | 'changesRequested'
  | 'unresolvedConversations'
  | 'url'
> {
  return {
    number: seen.number,
    title: seen.title,
    body: seen.body,
    author: seen.author,
    headBranch: seen.headBranch,
    baseBranch: seen.baseBranch,
    draft: seen.draft,
    labels: [...seen.labels],
    approvals: seen.approvals,
    changesRequested: seen.changesRequested,
    unresolvedConversations: seen.unresolvedConversations,
    url: seen.url,
  };
}

/** Closed, reopened or merged at the host. One whose landing is begun is merged by that landing alone, never from here. */
async function followState(work: QueueWork, row: PullRequestRow, seen: HostPullRequest): Promise<void> {
  if (seen.state === 'closed' && row.status !== 'closed' && row.status !== 'merged') writeStatus(work, row, 'close');
  if (seen.state === 'open' && row.status === 'closed') {
    writeStatus(work, row, 'reopen');
    announce(work, row, 'opened');
  }
  if (seen.state === 'merged' && row.status !== 'merged' && !(await isLandingBegun(work.ctx, work.tx, row.id))) {
    row.mergeCommitSha = seen.mergeCommitSha;
    row.mergedByQueue = false;
    writeStatus(work, row, 'merge');
    if (seen.mergedAt !== null) row.mergedAt = new Date(seen.mergedAt);
    announce(work, row, 'merged');
  }
}

export function hasFacts(row: PullRequestRow, seen: HostPullRequest): boolean {
  const facts = factsOf(seen);
  return (Object.keys(facts) as (keyof typeof facts)[]).every(
    (key) => JSON.stringify(row[key]) === JSON.stringify(facts[key]),
  );
}
