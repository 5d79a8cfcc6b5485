// Handles hints of a host. A hint only says what may have changed; the facts are read from the host.
import { systemContext, type Context, type Ports } from '../../../context.ts';
import { readConfigurationFile } from '../../repositories/index.ts';
import { resetClosedBuild } from '../planning/closed-bot-pull-request.ts';
import { recordChecks } from '../facts/build.records.ts';
import { followComments } from './commands.service.ts';
import { recordGates } from '../facts/final-gates.ts';
import { noteDeletion, syncBase, syncRules } from '../facts/base-branches.ts';
import { syncPullRequest } from '../host-sync/pull-requests.ts';
import { planHint, type TakenHint } from '../store/host-hints.ts';
import type { HostedRepository } from '../../../hosts/port.ts';

const branches = 'refs/heads/';
/** How long the deletion of a base branch, or a closed bot pull request, waits for the end of a landing. */
const untilLandedMs = 2_000;
/** How long a closed bot pull request waits for the end of a halt. Each look reads the pull request from the host. */
const untilResumedMs = 60_000;

export async function receiveHostHint(ports: Ports, hint: TakenHint): Promise<void> {
  if (hint.repository === null) return;
  const ctx = systemContext(ports, hint.accountId);
  const { owner, name, host, defaultBranch } = hint.repository;
  const repository: HostedRepository = { accountId: hint.accountId, id: hint.repositoryId, owner, name, host };
  const { kind, subject } = hint;
  switch (kind) {
    case 'push':
      return subject.startsWith(branches)
        ? await receivePush(ctx, repository, { branch: subject.slice(branches.length), defaultBranch })
        : undefined;
    case 'deletion': {
      const [commit = '', ref = ''] = subject.split(' ');
      if (!ref.startsWith(branches)) return;
      const isNoted = await noteDeletion(ctx, repository, { baseBranch: ref.slice(branches.length), commit });
      if (!isNoted) await planAgain(ctx, hint, untilLandedMs);
      return;
    }
    case 'pull_request':
      if (
        (await isBotPullRequest(ctx, repository.id, Number(subject))) ||
        (await syncPullRequest(ctx, repository, Number(subject))) === null
      )
        await receiveBotPullRequest(ctx, repository, hint);
      return;
    case 'comment':
      return await followComments(ctx, repository.id);
    case 'checks':
      await recordChecks(ctx, repository, subject);
      return await recordGates(ctx, repository, subject);
    case 'rules':
      return await receiveRules(ctx, repository);
    default:
      kind satisfies never;
  }
}

async function receiveBotPullRequest(ctx: Context, repository: HostedRepository, hint: TakenHint): Promise<void> {
  const keptBy = await resetClosedBuild(ctx, repository, Number(hint.subject));
  if (keptBy !== null) await planAgain(ctx, hint, keptBy === 'landing' ? untilLandedMs : untilResumedMs);
}

/** The host reports the change only once, so the hint is handled again later. */
async function planAgain(ctx: Context, hint: TakenHint, afterMs: number): Promise<void> {
  await planHint(ctx, hint, new Date(ctx.clock().getTime() + afterMs));
}

async function receiveRules(ctx: Context, repository: HostedRepository): Promise<void> {
  const bases = await ctx.db.read<{ baseBranch: string }>(ctx.accountId, {
    name: 'bases_of_repository',
    text: `select base_branch as "baseBranch" from queue where account_id = $1 and repository_id = $2 order by id`,
    values: [ctx.accountId, repository.id],
  });
  for (const { baseBranch } of bases) await syncRules(ctx, repository, baseBranch);
}

async function isBotPullRequest(ctx: Context, repositoryId: string, number: number): Promise<boolean> {
  const found = await ctx.db.read(ctx.accountId, {
    name: 'is_bot_pull_request',
    text: 'select 1 as is from bot_pull_request where account_id = $1 and repository_id = $2 and number = $3',
    values: [ctx.accountId, repositoryId, number],
  });
  return found.length > 0;
}

async function receivePush(
  ctx: Context,
  repository: HostedRepository,
  { branch, defaultBranch }: { readonly branch: string; readonly defaultBranch: string },
): Promise<void> {
  if (branch === defaultBranch) await readConfigurationFile(ctx, repository.id);
  const [known] = await ctx.db.read<{ isBase: boolean; numbers: number[] }>(ctx.accountId, {
    name: 'pushed_branch',
    text: `select exists (select from queue where account_id = $1 and repository_id = $2 and base_branch = $3) as "isBase",
             array(select number from pull_request where account_id = $1 and repository_id = $2 and head_branch = $3 and head_fork is null
                   and status not in ('merged', 'closed') order by number) as numbers`,
    values: [ctx.accountId, repository.id, branch],
  });
  if (known?.isBase) await syncBase(ctx, repository, branch);
  for (const number of known?.numbers ?? []) await syncPullRequest(ctx, repository, number);
}
