// Works on one leaf. The agent works in a worktree at the tip of the branch, and its changes become one commit. The
// commit is recorded before it is pushed, so that the next attempt to push finds the commit.
import type { Context } from '../../../context.ts';
import { changePolicy, judgeChanges } from '../../../domain/runbooks/policy.ts';
import { commitMessage } from '../../../domain/runbooks/pull-requests.ts';
import { hostClient, type FolderCommitResult, HostRefused, HostUnavailable } from '../../../hosts/port.ts';
import { AgentRefused, type WorkReport } from '../../../platform/agents/port.ts';
import type { Transaction } from '../../../platform/database.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { toStorableText } from '../../../platform/storable-text.ts';
import { maskSecrets } from '../../../platform/providers/mask.ts';
import { withRunFolders, type RunFolders } from '../../../platform/sandbox/index.ts';
import type { RepositoryRow } from '../../repositories/repositories.entities.ts';
import { RunbookCommitEntity, type RunbookStepRow } from '../runbooks.entities.ts';
import { writeLeaf } from '../steps.writer.ts';
import type { WorkResult, Work } from './work.ts';
import type { SupervisedAgent } from './agent-session.ts';
import { agentOf, openAgentSession, outlineOf } from './agent-session.ts';
import { checkOutBase } from './bases.ts';
import { placeCommit } from './commit-places.ts';
import { writeEndedPullRequests } from './pull-requests.ended.ts';
import { markForFinalLabels } from './runbook.advance.ts';
import { leafOf, readRows, type RunbookRows } from './runbook.rows.ts';

export function workOnLeaf(ctx: Context, leafId: string): Work {
  const wanted = `exists (select 1 from runbook_step s where s.account_id = runbook.account_id and s.id = ${BigInt(leafId)}
                          and s.status in ('queued', 'in_progress'))`;
  const isWanted = (rows: RunbookRows): boolean => {
    const { status } = leafOf(rows, leafId);
    return status === 'queued' || status === 'in_progress';
  };
  return {
    leased: { wanted, kept: 'true' },
    isWanted,
    begin: async (tx, rows) => {
      const leaf = leafOf(rows, leafId);
      leaf.attempts += 1;
      await writeLeaf(ctx, tx, { runbook: rows.runbook, leaf, to: 'in_progress' });
    },
    carryOut: async (supervised, rows) => await work(supervised, rows, leafOf(rows, leafId)),
    fail: async (tx, rows, message) =>
      await writeLeaf(ctx, tx, {
        runbook: rows.runbook,
        leaf: leafOf(rows, leafId),
        to: 'failed',
        errorMessage: message,
      }),
  };
}

interface Worked {
  readonly report: WorkReport;
  readonly base: string;
  readonly committed: Committed;
}

type Committed = Exclude<FolderCommitResult, { kind: 'refused' }>;

async function work(supervised: SupervisedAgent, rows: RunbookRows, leaf: RunbookStepRow): Promise<WorkResult> {
  const { ctx, driving, signal } = supervised;
  const agent = agentOf(driving, rows);
  const worked = await withRunFolders(driving.workDir, async (folders): Promise<Worked> => {
    const into = { folder: folders.checkout, bounds: driving.sandbox?.bounds };
    const base = await checkOutBase(ctx, rows, { ...into, leaf: leaf.number });
    await ctx.db.transaction(ctx.accountId, async (tx) => {
      await tx.send('update runbook_step set base_commit = $3 where account_id = $1 and id = $2', [
        ctx.accountId,
        leaf.id,
        base,
      ]);
    });
    signal.throwIfAborted();
    const session = openAgentSession(supervised, rows, { stepId: leaf.id, folders });
    const report = await agent.work(
      {
        ...outlineOf(rows, leaf.promptOrdinal),
        step: { number: leaf.number, title: leaf.title, instructions: leaf.instructions },
      },
      session,
    );
    signal.throwIfAborted();
    await passFailpoint('runbook:worked');
    const committed = await commit(ctx, rows, { leaf, folders, base, report: cleanReport(driving.secret, report) });
    await passFailpoint('runbook:committed');
    return { report: cleanReport(driving.secret, report), base, committed };
  });
  return {
    message:
      worked.committed.kind === 'empty' ? 'The work is done. No file was changed.' : 'The work is done and committed.',
    write: async (tx, now) => await writeWorked(ctx, tx, { rows: now, ...worked, leafId: leaf.id }),
  };
}

function cleanReport(secret: string | null, { summary, commitMessage: message }: WorkReport): WorkReport {
  const clean = (text: string, max: number): string =>
    toStorableText(maskSecrets(secret, text)).slice(0, max).toWellFormed();
  return { summary: clean(summary, 10_000), commitMessage: clean(message, 10_000) };
}

/**
 * Commits the changes of a leaf. Author and time of the commit are the same for every attempt, so that the same changes
 * give the same commit.
 */
async function commit(
  ctx: Context,
  { runbook, repository }: RunbookRows,
  {
    leaf,
    folders,
    base,
    report,
  }: {
    readonly leaf: RunbookStepRow;
    readonly folders: RunFolders;
    readonly base: string;
    readonly report: WorkReport;
  },
): Promise<Committed> {
  const policy = changePolicy(runbook.workflowFiles);
  const committed = await hostClient(ctx, repository).commitFolder({
    parent: base,
    folder: folders.checkout,
    message: commitMessage(report.commitMessage, { runbookNumber: runbook.number, leaf: leaf.number }),
    authorName: runbook.authorHandle ?? runbook.authorEmail,
    authorEmail: runbook.authorEmail,
    at: (leaf.startedAt ?? ctx.clock()).getTime(),
    refuse: (changes) => judgeChanges(changes, policy),
    keepRef: leafCommitRef(leaf.id),
  });
  if (committed.kind === 'refused') throw new AgentRefused(committed.message);
  if (committed.kind === 'committed') await keep(ctx, repository, { commit: committed.commit, leafId: leaf.id });
  return committed;
}

/**
 * Keeps a commit until it is pushed to its branch, because this machine may be lost before. The push follows at once,
 * so the work is not repeated if the host does not take the commit now: the push then shows the problem.
 */
async function keep(
  ctx: Context,
  repository: RepositoryRow,
  { commit, leafId }: { readonly commit: string; readonly leafId: string },
): Promise<void> {
  const ref = leafCommitRef(leafId);
  try {
    await hostClient(ctx, repository).keepCommit(commit, ref);
  } catch (error) {
    if (!(error instanceof HostUnavailable || error instanceof HostRefused)) throw error;
    ctx.log.warn({ error: error.message, ref, commit }, 'The commit of a runbook is not kept at its code host yet.');
  }
}

/** The ref that keeps a commit until the commit is on its branch. Every machine of the installation can read it. */
export function leafCommitRef(leafId: string): string {
  return `refs/interlock/runbooks/${leafId}`;
}

async function writeWorked(
  ctx: Context,
  tx: Transaction,
  { rows, leafId, report, base, committed }: Worked & { readonly rows: RunbookRows; readonly leafId: string },
): Promise<void> {
  const leaf = leafOf(rows, leafId);
  leaf.summary = report.summary.trim() === '' ? null : report.summary;
  // If the leaf was canceled and retried while the agent worked, the finished work counts as the retry.
  if (leaf.status === 'queued') await writeLeaf(ctx, tx, { runbook: rows.runbook, leaf, to: 'in_progress' });
  if (committed.kind === 'empty') {
    await writeLeaf(ctx, tx, { runbook: rows.runbook, leaf, to: 'completed' });
    markForFinalLabels(await readRows(tx, rows.runbook));
    return;
  }
  // A pull request may have been merged or closed while the agent worked, and such a pull request gets no more commits.
  await writeEndedPullRequests(ctx, tx, rows);
  const { accountId, id: runbookId, number: runbookNumber } = rows.runbook;
  tx.em.create(RunbookCommitEntity, {
    accountId,
    runbookId,
    stepId: leaf.id,
    pullRequestId: await placeCommit(tx, rows, { leaf, base }),
    parent: base,
    commit: committed.commit,
    message: commitMessage(report.commitMessage, { runbookNumber, leaf: leaf.number }),
    files: committed.changes.length,
    state: 'made',
    at: ctx.clock(),
  });
}
