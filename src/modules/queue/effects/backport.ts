// Carries out a backport: picks the commits of a merged pull request onto another branch and opens a pull request.
// Nothing is pushed unless all commits apply. Each step first looks for the result of an earlier attempt.
import type { Context } from '../../../context.ts';
import {
  backportBody,
  backportBranch,
  backportComment,
  backportKey,
  backportTitle,
  type BackportNews,
} from '../../../domain/queue/explain/branch-comments.ts';
import { hostClient, type HostPullRequest, openOnce, HostRefused } from '../../../hosts/port.ts';
import { findMergedCommits } from './backport.commits.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { syncPullRequest } from '../host-sync/pull-requests.ts';
import type { IntentRow } from '../store/queue.entities.ts';
import { startBranchWork, comment, endBranchWork, type LoadedWork } from './branch-work.ts';
import { changeQueue, changeQueueOf } from '../store/queue.locks.ts';
import { announce, startWork, finishWork } from '../store/status.writer.ts';

interface BackportRow {
  readonly id: string;
  readonly state: string;
  readonly pushed_commit: string | null;
  readonly created_at: Date | string;
}

interface Backport extends LoadedWork {
  readonly record: BackportRow;
  readonly target: string;
  readonly branch: string;
}

export async function carryOutBackport(ctx: Context, intent: IntentRow): Promise<void> {
  const loaded = await startBranchWork(ctx, intent);
  if (loaded === null) return;
  const target = String(intent.payload['target']);
  const record = await readRecord(ctx, loaded.row.id, target);
  if (record === null) return await end(ctx, intent, {});
  const backport = { ...loaded, record, target, branch: backportBranch(loaded.row.number, target) };
  // The target branch was requested twice, and the pull request of the first request serves both requests.
  if (record.state === 'opened') return await end(ctx, intent, { kind: 'opened' });
  if (loaded.row.status !== 'merged') {
    await report(ctx, backport, { kind: 'waiting' });
    return await end(ctx, intent, { kind: 'waiting' });
  }
  await report(ctx, backport, { kind: 'started' });
  const news = await pickAndOpen(ctx, backport);
  await report(ctx, backport, news);
  await conclude(ctx, backport, news);
}

async function readRecord(ctx: Context, pullRequestId: string, target: string): Promise<BackportRow | null> {
  const [record] = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<BackportRow>(
        'select id, state, pushed_commit, created_at from backport where account_id = $1 and pull_request_id = $2 and target_branch = $3',
        [ctx.accountId, pullRequestId, target],
      ),
  );
  return record ?? null;
}

async function report(ctx: Context, backport: Backport, news: BackportNews): Promise<void> {
  const { target } = backport;
  await comment(ctx, backport, { key: backportKey(target, news), body: backportComment(target, news) });
}

async function pickAndOpen(ctx: Context, backport: Backport): Promise<BackportNews> {
  try {
    const opened = await findOpened(ctx, backport);
    if (opened !== null) return opened;
    const made = await makeBranch(ctx, backport);
    return made.kind === 'made' ? await openPullRequest(ctx, backport, made.commit) : made;
  } catch (error) {
    if (error instanceof HostRefused) return { kind: 'refused', message: error.message };
    throw error;
  }
}

/**
 * Finds the pull request that an earlier attempt opened, if that attempt ended before it had recorded the pull request.
 */
async function findOpened(ctx: Context, { host, target, branch }: Backport): Promise<BackportNews | null> {
  const open = await hostClient(ctx, host).findOpenPullRequests(branch);
  const existing = open.find((each) => each.baseBranch === target);
  if (existing !== undefined) return { kind: 'opened', number: existing.number, url: existing.url };
  const [known] = await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.query<{ number: number; url: string }>(
        `select number, url from pull_request where account_id = $1 and repository_id = $2 and head_branch = $3 and head_fork is null and base_branch = $4
         order by id desc limit 1`,
        [ctx.accountId, host.id, branch, target],
      ),
  );
  return known === undefined ? null : { kind: 'opened', ...known };
}

async function makeBranch(
  ctx: Context,
  backport: Backport,
): Promise<BackportNews | { readonly kind: 'made'; readonly commit: string }> {
  const { host, target, branch, record, row } = backport;
  const client = hostClient(ctx, host);
  const ref = `refs/heads/${branch}`;
  const existing = await client.readRef(ref);
  if (existing !== null && existing.commit === record.pushed_commit) return { kind: 'made', commit: existing.commit };
  if (existing !== null)
    return { kind: 'refused', message: `the branch \`${branch}\` already exists; delete it and ask again` };
  const onto = await client.readRef(`refs/heads/${target}`);
  if (onto === null) return { kind: 'refused', message: 'the branch does not exist any more' };
  const commits = await findMergedCommits(ctx, host, row);
  if (commits.length === 0)
    return { kind: 'refused', message: 'it is not known as which commit this pull request was merged' };
  const at = new Date(record.created_at).getTime();
  const picked = await client.cherryPick({ commits, onto: onto.commit, at });
  if (picked.kind === 'conflict') return { ...picked, commits };
  if (picked.kind === 'empty')
    return { kind: 'refused', message: `\`${target}\` already has the changes of this pull request` };
  await ctx.db.transaction(
    ctx.accountId,
    async (tx) =>
      await tx.send('update backport set pushed_commit = $3 where account_id = $1 and id = $2', [
        ctx.accountId,
        record.id,
        picked.commit,
      ]),
  );
  await client.updateRefs([{ ref, from: null, to: picked.commit }]);
  await passFailpoint('backport:after_branch');
  return { kind: 'made', commit: picked.commit };
}

async function openPullRequest(ctx: Context, backport: Backport, commit: string): Promise<BackportNews> {
  const { number, url } = await openAtHost(ctx, backport, commit);
  await passFailpoint('backport:after_open');
  try {
    await syncPullRequest(ctx, backport.host, number);
  } catch (error) {
    // The pull request is open. It is read again when the host reports it, and at the next comparison with the host.
    if (!(error instanceof HostRefused)) throw error;
  }
  return { kind: 'opened', number, url };
}

/** If the host refuses the pull request, its branch is deleted. */
async function openAtHost(
  ctx: Context,
  { host, target, branch, row }: Backport,
  commit: string,
): Promise<HostPullRequest> {
  const client = hostClient(ctx, host);
  try {
    // Called before anybody can approve the new pull request, so that its authors cannot approve their own changes.
    await client.addAuthorsOf(row.number, branch);
    return await openOnce(client, {
      title: backportTitle(target, row.title),
      body: backportBody({ number: row.number, url: row.url, target }),
      author: 'interlock',
      headBranch: branch,
      baseBranch: target,
      draft: false,
    });
  } catch (error) {
    if (error instanceof HostRefused)
      await client.updateRefs([{ ref: `refs/heads/${branch}`, from: commit, to: null }]);
    throw error;
  }
}

async function conclude(ctx: Context, backport: Backport, news: BackportNews): Promise<void> {
  const { intent, record, row, target } = backport;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const work = startWork(ctx, tx, await changeQueueOf(ctx, tx, row.id, [intent.queueId]));
    await tx.send(
      'update backport set state = $3, number = $4, reason = $5, updated_at = $6 where account_id = $1 and id = $2',
      [ctx.accountId, record.id, news.kind, numberOf(news), reasonOf(news), work.now.toISOString()],
    );
    announce(work, row, news.kind === 'opened' ? 'backported' : 'backport_failed', {
      target,
      backport: numberOf(news),
      reason: reasonOf(news),
    });
    await finishWork(work);
    await endBranchWork(ctx, tx, { intent, end: { state: 'done', outcome: news } });
  });
}

function numberOf(news: BackportNews): number | null {
  return news.kind === 'opened' ? news.number : null;
}

function reasonOf(news: BackportNews): string | null {
  if (news.kind === 'conflict') return news.paths.join(', ');
  return news.kind === 'refused' ? news.message : null;
}

async function end(ctx: Context, intent: IntentRow, outcome: Readonly<Record<string, unknown>>): Promise<void> {
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    await changeQueue(ctx, tx, intent.queueId);
    await endBranchWork(ctx, tx, { intent, end: { state: 'done', outcome } });
  });
}
