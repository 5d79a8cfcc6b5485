// Reads a pull request from the host and stores it (pull-request.writer.ts). Events of the host are only hints, and the
// facts are always read from the host. So a late, repeated or lost hint only changes when the facts are read.
import type { Context } from '../../../context.ts';
import { isManagedBranch, previewEntries, type Configuration } from '../../../domain/configuration/index.ts';
import { DomainError, notFound } from '../../../domain/errors.ts';
import { isTerminal } from '../../../domain/queue/model/status.ts';
import { hostClient, type HostPullRequest, HostRefused, type HostedRepository } from '../../../hosts/port.ts';
import { followHead } from '../../previews/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { withoutBots } from '../facts/bot-branches.ts';
import { readKeptChecks, recordBuild, recordChecks, recordNewChecks, type KeptBuild } from '../facts/build.records.ts';
import { configurationOf } from '../store/rules-in-force.ts';
import { readHead, type HeadFacts } from './head.facts.ts';
import { withTipAsHead, withoutUnseen, hasFacts, hasHostState, type SeenPullRequest } from './pull-request.facts.ts';
import { keepPullRequest } from './pull-request.writer.ts';
import { followLabels, readLabelActs, noActs, type LabelAct } from './labels.ts';
import {
  moveToQueueOfBase,
  isAssigned,
  readAssignment,
  readOutdatedBelow,
  readPullRequestsAbove,
  lockAssignment,
  type PullRequestFromHost,
} from './queue-assignment.ts';
import { maxReads } from '../facts/base-branches.ts';
import { planHint } from '../store/host-hints.ts';
import { PullRequestEntity, type PullRequestRow } from '../store/queue.entities.ts';
import { finishWork } from '../store/status.writer.ts';

interface SyncOptions {
  readonly announceOpened: boolean;
  /** Whether the pull request is read because it is below another one. Then the one below it is not read too. */
  readonly isBelow?: boolean;
  /** Whether a batch cannot go on without this read. */
  readonly isForLanding?: boolean;
}

/** The options of a read without which a batch cannot go on. */
export const forLanding = { announceOpened: true, isForLanding: true } as const satisfies SyncOptions;

/**
 * Reads a pull request and the checks of its head from the host and stores them. Null: the host has no such pull
 * request, or it is a bot pull request. `announceOpened` is false for pull requests that are older than the repository
 * at Interlock.
 */
export async function syncPullRequest(
  ctx: Context,
  repository: HostedRepository,
  number: number,
  options: SyncOptions = { announceOpened: true },
): Promise<PullRequestRow | null> {
  const client = hostClient(ctx, repository);
  const { isForLanding = false } = options;
  for (let reads = 1; ; reads += 1) {
    const readAt = ctx.clock();
    const before = await readBefore(ctx, repository, number);
    const recorded = await client.getPullRequest(number, { isForLanding });
    const [person] = recorded === null ? [] : await withoutBots(ctx, repository, [recorded]);
    if (person === undefined) return null;
    const seen = withTipAsHead(person);
    const rules = { configuration: configurationOf(before), defaultBranch: before.defaultBranch };
    const found = { repository, seen, rules };
    // The pull request below must have its newest head before somebody skips the validation of this one. Otherwise a
    // landing below would not show that it leaves out commits which this pull request contains.
    const below = options.isBelow ? [] : await readOutdatedBelow(ctx, found);
    for (const each of below)
      await syncPullRequest(ctx, repository, each, { announceOpened: true, isBelow: true, isForLanding });
    const [head, stored] = await Promise.all([
      readHead(ctx, repository, { seen, before, isForLanding }),
      readStored(ctx, found, before.pullRequestId),
    ]);
    const isNew = before.status === null;
    // A label that is still on a reopened pull request is no new request.
    const { acts, unseen } = (isNew ? options.announceOpened : before.status !== 'closed')
      ? await readLabelActs(
          ctx,
          { ...repository, ...before },
          { seen, before: { ...before, isOpened: isNew }, isForLanding },
        )
      : noActs;
    const since = before.labelUnseenSince ?? ctx.clock();
    const kept = { ...found, seen: withoutUnseen(seen, { unseen, since }) };
    const unchanged = await findUnchanged(ctx, kept, { stored, head });
    const row =
      unchanged ??
      (await storePullRequest(ctx, kept, {
        readAt,
        head,
        acts,
        options,
        writtenAt: reads < maxReads ? before.writtenAt : 'any',
      }));
    if (row === null) continue;
    if (seen.headUnseen || unseen.length > 0)
      await planNextRead(ctx, repository, { number, isNews: before.writtenAt !== row.updatedAt.getTime() });
    if (head !== null && seen.state === 'open') {
      if (unchanged === null) await recordChecks(ctx, repository, seen.headSha);
      else await recordNewChecks(ctx, repository, { commit: seen.headSha, kept: stored?.checks ?? null });
    }
    if (rules.configuration.merge_rules.auto_detect_stacks && hasMoved(before, row))
      for (const { number: above } of await readPullRequestsAbove(ctx, row))
        await syncPullRequest(ctx, repository, above, { announceOpened: true, isForLanding });
    const base = unchanged === null && row.belowId ? await findBaseAfterLanding(ctx, row) : null;
    return base === null ? row : await retarget(ctx, repository, { number, base, isForLanding });
  }
}

/** Gives a pull request another base branch at the host, unless the host refuses that, and reads the pull request. */
export async function retarget(
  ctx: Context,
  repository: HostedRepository,
  to: { readonly number: number; readonly base: string; readonly isForLanding?: boolean },
): Promise<PullRequestRow | null> {
  return (await tryRetarget(ctx, repository, to)).row;
}

/** Like `retarget`, and also returns the message of the host. Null: the host has not refused the base branch. */
export async function tryRetarget(
  ctx: Context,
  repository: HostedRepository,
  {
    number,
    base,
    isForLanding = false,
  }: { readonly number: number; readonly base: string; readonly isForLanding?: boolean },
): Promise<{ readonly row: PullRequestRow | null; readonly refusal: string | null }> {
  let refusal: string | null = null;
  try {
    await hostClient(ctx, repository).setBaseBranch(number, base);
  } catch (error) {
    if (!(error instanceof HostRefused)) throw error;
    refusal = error.message;
    ctx.log.warn(
      { number, reason: refusal },
      'The host refused to change the base branch of a pull request that was stacked on a landed one.',
    );
  }
  return { row: await syncPullRequest(ctx, repository, number, { announceOpened: true, isForLanding }), refusal };
}

/**
 * The base branch for an open pull request whose base branch is still the head of a landed one. Usually a landing
 * retargets the pull requests above. It does not know one that was opened before it and is first read after it. Null:
 * the pull request has its base branch, or the landing will retarget it.
 */
async function findBaseAfterLanding(ctx: Context, { id }: PullRequestRow): Promise<string | null> {
  const [found] = await ctx.db.read<{ base: string }>(ctx.accountId, {
    name: 'base_after_landing',
    text: `select q.base_branch as base from pull_request p
           join pull_request b on b.account_id = p.account_id and b.id = p.below_id and b.queue_id = p.queue_id
           join queue q on q.account_id = p.account_id and q.id = p.queue_id
           where p.account_id = $1 and p.id = $2 and p.status not in ('merged', 'closed') and p.base_branch = b.head_branch
             and b.status = 'merged' and not exists (
               select from intent i where i.account_id = b.account_id and i.pull_request_id = b.id
                 and i.kind = 'conclude_pull_request' and i.state in ('planned', 'started'))`,
    values: [ctx.accountId, id],
  });
  return found?.base ?? null;
}

/** Rolls a transaction back, which has increased the queue's version by its locks, and would wake the queue for nothing. */
class WrittenMeanwhile extends Error {}

interface Found extends PullRequestFromHost {
  readonly seen: SeenPullRequest;
}

/**
 * Writes what was read in one transaction. Null: another writer has written the row or moved it to another queue since
 * this read began, possibly with a newer state of the host. The host must then be read again, because a head never
 * changes back to an older one. Throws CONFLICT if that happens at the last read.
 */
async function storePullRequest(
  ctx: Context,
  found: Found,
  read: {
    /** When the read began. */
    readonly readAt: Date;
    readonly head: HeadFacts | null;
    readonly acts: readonly LabelAct[];
    readonly options: { readonly announceOpened: boolean };
    /** When the row was last written before the read. Null: there was no row. `any`: the row is written in any case. */
    readonly writtenAt: number | 'any' | null;
  },
): Promise<PullRequestRow | null> {
  const { repository, seen, rules } = found;
  const { readAt, head, acts, options, writtenAt } = read;
  const storing = ctx.db.transaction(ctx.accountId, async (tx) => {
    const locked = await lockAssignment(ctx, tx, found);
    if (locked === null) {
      if (writtenAt !== 'any') throw new WrittenMeanwhile();
      throw new DomainError('CONFLICT', `The base branch of #${seen.number} changed meanwhile. Try again.`);
    }
    if (writtenAt !== 'any' && (locked.storedRow?.updatedAt.getTime() ?? null) !== writtenAt)
      throw new WrittenMeanwhile();
    const isNew = locked.storedRow?.headSha !== seen.headSha || locked.storedRow.status === 'closed';
    const baseBefore = locked.storedRow?.baseBranch;
    const work = await moveToQueueOfBase(ctx, tx, locked);
    if (head !== null)
      await recordBuild(ctx, tx, {
        repositoryId: repository.id,
        commit: seen.headSha,
        tree: head.tree,
        base: head.base,
      });
    const { configuration } = rules;
    const pullRequest = await keepPullRequest(work, repository, {
      ...locked,
      read: { seen, readAt, head, options, configuration },
    });
    await followLabels(work, pullRequest, acts);
    await finishWork(work);
    await followHead(ctx, tx, {
      repositoryId: repository.id,
      pullRequestId: pullRequest.id,
      head: seen.headSha,
      isNew: isNew || pullRequest.baseBranch !== baseBefore,
      isVerified: isVerified(seen, { ...rules, baseBranch: locked.assignment.baseBranch }),
    });
    return pullRequest;
  });
  return await storing.catch((error: unknown) => {
    if (error instanceof WrittenMeanwhile) return null;
    throw error;
  });
}

/**
 * Plans to read the pull request again. A host reports a push or a label, but does not report when its record of the
 * pull request has the new head, or when it shows who has added the label. Usually it does so within seconds.
 */
async function planNextRead(
  ctx: Context,
  repository: HostedRepository,
  { number, isNews }: { readonly number: number; readonly isNews: boolean },
): Promise<void> {
  const hint = { accountId: ctx.accountId, repositoryId: repository.id, kind: 'pull_request' } as const;
  const dueAt = new Date(ctx.clock().getTime() + (isNews ? 2_000 : 10_000));
  await planHint(ctx, { ...hint, subject: String(number) }, dueAt);
}

function isVerified(
  { state }: HostPullRequest,
  of: { readonly configuration: Configuration; readonly defaultBranch: string; readonly baseBranch: string },
): boolean {
  const { configuration, baseBranch, defaultBranch } = of;
  const hasPreviews = previewEntries(configuration).length > 0;
  return state === 'open' && hasPreviews && isManagedBranch(configuration, baseBranch, defaultBranch);
}

/**
 * Whether the pull requests stacked on this one must be read again, because it was opened, ended or changed its queue.
 */
function hasMoved(before: Before, row: PullRequestRow): boolean {
  const wasOpen = before.status !== null && !isTerminal(before.status);
  return wasOpen === isTerminal(row.status) || before.queueId !== row.queueId;
}

/** What the rows contain before the host is read. */
interface Before extends Pick<RepositoryRow, 'active' | 'configurationYaml' | 'defaultBranch'> {
  /** When the row was last written. Null: there is no row. The id, the status and the queue are then null too. */
  readonly writtenAt: number | null;
  readonly pullRequestId: string | null;
  readonly status: PullRequestRow['status'] | null;
  readonly queueId: string | null;
  readonly labels: readonly string[];
  readonly labelUnseenSince: Date | null;
  readonly headSha: string | null;
  readonly verifiedHead: string | null;
  /** The base branch for which signatures were counted. Null: there is no row. */
  readonly baseBranch: string | null;
  readonly baseChangedAt: Date | null;
}

async function readBefore(ctx: Context, repository: HostedRepository, number: number): Promise<Before> {
  const [row] = await ctx.db.read<Omit<Before, 'writtenAt'> & { updated_at: Date | null }>(ctx.accountId, {
    name: 'pull_request_before',
    text: `select p.updated_at, p.id as "pullRequestId", p.status, p.queue_id as "queueId", coalesce(p.labels, '{}') as labels, p.label_unseen_since as "labelUnseenSince", p.head_sha as "headSha",
             p.verified_head as "verifiedHead",
             p.base_branch as "baseBranch", p.base_changed_at as "baseChangedAt", r.active,
             r.configuration_yaml as "configurationYaml",
             r.default_branch as "defaultBranch"
           from repository r
           left join pull_request p on p.account_id = r.account_id and p.repository_id = r.id and p.number = $3
           where r.account_id = $1 and r.id = $2`,
    values: [ctx.accountId, repository.id, number],
  });
  if (row === undefined) throw notFound('Repository');
  return { ...row, writtenAt: row.updated_at?.getTime() ?? null };
}

/** The stored row, and what is stored about its queue and its head. */
interface Stored {
  readonly row: PullRequestRow | null;
  readonly kept: KeptOf | undefined;
  readonly checks: KeptBuild | null;
}

/** Null: there is no row. */
async function readStored(ctx: Context, { repository, seen }: Found, id: string | null): Promise<Stored | null> {
  if (id === null) return null;
  const [row, kept, checks] = await Promise.all([
    ctx.db.load(ctx.accountId, PullRequestEntity, id),
    readKeptOf(ctx, { repositoryId: repository.id, id, head: seen.headSha }),
    seen.state === 'open' ? readKeptChecks(ctx, repository.id, seen.headSha) : null,
  ]);
  return { row, kept, checks };
}

/** Returns the row if the host has no new facts. Then nothing is locked, planned or woken. */
async function findUnchanged(
  ctx: Context,
  of: Found,
  { stored, head }: { readonly stored: Stored | null; readonly head: HeadFacts | null },
): Promise<PullRequestRow | null> {
  const { seen } = of;
  if (stored === null) return null;
  const { row, kept } = stored;
  if (row === null || !hasFacts(row, seen) || row.headSha !== seen.headSha || !hasHostState(row, seen)) return null;
  if (head !== null && head.unverified !== null) return null;
  if (head !== null && (row.authorName !== head.authorName || row.authorEmail !== head.authorEmail)) return null;
  if (kept === undefined || kept.hasBaseChange || (head !== null && !kept.hasBuild)) return null;
  return row.status === 'merged' || isAssigned(row, kept, await readAssignment(ctx, of)) ? row : null;
}

interface KeptOf {
  readonly baseBranch: string;
  readonly isBelowMerged: boolean | null;
  readonly hasBuild: boolean;
  /** Whether a change of the base branch is recorded at the started landing of the pull request. */
  readonly hasBaseChange: boolean;
}

async function readKeptOf(
  ctx: Context,
  of: { readonly repositoryId: string; readonly id: string; readonly head: string },
): Promise<KeptOf | undefined> {
  const [kept] = await ctx.db.read<KeptOf>(ctx.accountId, {
    name: 'pull_request_unchanged',
    text: `select q.base_branch as "baseBranch",
             (select b.status = 'merged' and b.queue_id = p.queue_id from pull_request b where b.account_id = $1 and b.id = p.below_id) as "isBelowMerged",
             exists (select from build where account_id = $1 and repository_id = $3 and commit = $4) as "hasBuild",
             exists (select from intent i where i.account_id = $1 and i.queue_id = p.queue_id and i.kind = 'land' and i.state = 'started'
               and i.payload #>> array['atHost', p.id::text, 'kind'] = 'retargeted') as "hasBaseChange"
           from pull_request p join queue q on q.account_id = $1 and q.id = p.queue_id where p.account_id = $1 and p.id = $2`,
    values: [ctx.accountId, of.id, of.repositoryId, of.head],
  });
  return kept;
}
