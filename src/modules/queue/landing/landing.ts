// Landing a batch: the one effect that must happen once. The intent is begun under the locks when every condition
// holds at that instant; then the host moves two refs in one atomic update, the base and `refs/interlock/landings/<batch>`.
// That second ref is the evidence that it landed, whatever happens to the base or to us afterwards: a worker that died
// anywhere in between reads it back and concludes (docs/adr/0003).
import type { Context } from '../../../context.ts';
import { isMergedByHost, landingsFrom } from '../../../domain/configuration/index.ts';
import { evidenceFor, withoutHeads } from '../../../domain/queue/evidence/evidence.ts';
import { judgeGates } from '../../../domain/queue/evidence/final-gates.ts';
import { frozenAt } from '../../../domain/releases/freeze.ts';
import type { BuildState, QueueRules } from '../../../domain/queue/model/snapshot.ts';
import { blockText, isQueued } from '../../../domain/queue/model/status.ts';
import type { Transaction } from '../../../platform/database.ts';
import { askedAt, branchFreezes, pauseInForce } from '../../repositories/index.ts';
import { findLoss } from '../admission/admission.service.ts';
import { loadMembers } from '../store/batch.members.ts';
import { loadBatch, type LoadedBatch } from '../store/batch.rows.ts';
import { loadBuilds } from '../facts/build.records.ts';
import { configurationOf, configurationProblem, rulesOf } from '../store/configuration.cache.ts';
import { announceBatch } from '../planning/decisions.writer.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import { loadGates, readPassedGates } from '../facts/final-gates.ts';
import { syncBase } from '../facts/base-branches.ts';
import { landingRef } from '../facts/landing-refs.ts';
import { mergeAtHost } from './landing.host.ts';
import { moveBase, type Outcome } from './landing.move.ts';
import { findOrderLoss } from './landing.order.ts';
import { judgeParts, loadTargetsThatCount } from '../builds/batch.parts.ts';
import { recordLanding } from './landing.record.ts';
import type { Passed } from './proof.ts';
import {
  BatchEntity,
  IntentEntity,
  PullRequestEntity,
  type BatchRow,
  type IntentRow,
  type PullRequestRow,
  type QueueRow,
} from '../store/queue.entities.ts';
import { countOwnPushes } from '../facts/branch-update.ts';
import { answerCommitAdded } from '../admission/commit-added.ts';
import { changeQueue, shareRepository } from '../store/queue.locks.ts';
import { loadJudgedBuilds } from '../facts/retries.ts';
import { loadLineage } from '../facts/landings.loader.ts';
import { judgeOwn } from '../facts/own-checks.ts';
import { beginWork, blockPullRequest, finishWork, haltWork, type QueueWork } from '../store/status.writer.ts';
import { openBelow, readBelow } from '../facts/stacks.ts';
import { restoredBecause } from '../facts/unknown-landings.ts';

/** A landing tried this often without an end halts the queue. */
export const mostAttempts = 20;

type Begun =
  | { readonly kind: 'begun'; readonly attempt: number; readonly passed: Passed }
  | { readonly kind: 'void'; readonly reason: string }
  | { readonly kind: 'over' };
type Verdict =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'passed'; readonly passed: Passed };

/** Carries out one landing intent, from wherever an earlier attempt left it. */
export async function carryOutLanding(ctx: Context, intentId: string, batchId: string): Promise<void> {
  const loaded = await loadBatch(ctx, batchId);
  await passFailpoint('landing:before_gate');
  const begun = await beginLanding(ctx, intentId, loaded);
  if (begun.kind !== 'begun') return;
  await passFailpoint('landing:after_gate');
  const outcome = begun.passed.byHost ? await mergeAtHost(ctx, loaded) : await moveBase(ctx, loaded);
  await passFailpoint('landing:after_host');
  await concludeLanding(ctx, { intentId, attempt: begun.attempt, loaded, outcome });
  await passFailpoint('landing:after_conclude');
  await syncBase(ctx, loaded.host, loaded.baseBranch);
}

/** The gate. Everything is read again under the locks; what does not hold any more voids the intent and plans again. */
async function beginLanding(ctx: Context, intentId: string, loaded: LoadedBatch): Promise<Begun> {
  return await ctx.db.transaction(ctx.accountId, async (tx) => {
    const repository = await shareRepository(ctx, tx, loaded.repository.id);
    const queue = await changeQueue(ctx, tx, loaded.batch.queueId);
    const intent = await lockIntent(ctx, tx, intentId);
    if (intent.state === 'begun') {
      // An earlier attempt died past its gate: only the host can say what became of it.
      intent.attempt += 1;
      return { kind: 'begun', attempt: intent.attempt, passed: intent.payload['passed'] as Passed };
    }
    if (intent.state !== 'planned') return { kind: 'over' };
    const batch = await tx.em.findOneOrFail(BatchEntity, { id: loaded.batch.id }, { refresh: true });
    const verdict = await passGate(ctx, tx, { intent, batch, queue, repository, loaded });
    if (verdict.kind === 'refused') {
      Object.assign(intent, { state: 'void', outcome: { reason: verdict.reason }, concludedAt: ctx.clock() });
      return { kind: 'void', reason: verdict.reason };
    }
    batch.state = 'landing';
    Object.assign(intent, {
      state: 'begun',
      attempt: intent.attempt + 1,
      begunAt: ctx.clock(),
      payload: { ...intent.payload, passed: verdict.passed },
    });
    return { kind: 'begun', attempt: intent.attempt, passed: verdict.passed };
  });
}

async function lockIntent(ctx: Context, tx: Transaction, intentId: string): Promise<IntentRow> {
  await tx.query('select 1 from intent where account_id = $1 and id = $2 for update', [ctx.accountId, intentId]);
  return await tx.em.findOneOrFail(IntentEntity, { id: intentId }, { refresh: true });
}

interface Gate {
  readonly intent: IntentRow;
  readonly batch: BatchRow;
  readonly queue: QueueRow;
  readonly repository: LoadedBatch['repository'];
  readonly loaded: LoadedBatch;
}

async function passGate(ctx: Context, tx: Transaction, gate: Gate): Promise<Verdict> {
  const refused = (reason: string): Verdict => ({ kind: 'refused', reason });
  const { batch, queue, repository, loaded } = gate;
  if (!repository.active || (await pauseInForce(tx, repository, loaded.baseBranch)) !== null) return refused('paused');
  const freezes = await branchFreezes(tx, repository, loaded.baseBranch);
  if (frozenAt(freezes, askedAt(freezes, ctx.clock())) !== null) return refused('frozen');
  if (landingsFrom(configurationOf(repository), loaded.baseBranch, ctx.clock().getTime()) !== null)
    return refused('outside of the merge windows');
  if (queue.haltedReason || configurationProblem(repository) !== null) return refused('halted');
  if (batch.state !== 'building' || batch.givenUp || !batch.commit || !batch.tree) return refused('superseded');
  if (batch.parentCommit !== queue.baseTip) return refused('base moved');
  const { configuration, rules } = rulesOf(repository, queue.hostRequiredChecks);
  if (rules.buildKeysHash !== batch.buildKeysHash) return refused('configuration changed');
  const { evidence: said } = gate.intent.payload;
  const claimed = typeof said === 'string' ? said : '';
  const ids = loaded.members.map((member) => member.pullRequestId);
  const rows = await tx.em.find(PullRequestEntity, { id: { $in: ids } });
  const { repositoryId } = batch;
  const builds = await loadBuilds(ctx, tx, { repositoryId, commits: [claimed], trees: [batch.tree] });
  // As the planner judges them, a check that is tried again being pending: else what is planned is refused without end.
  const own = { repositoryId, commits: rows.map((row) => row.headSha), trees: [] };
  const ownBuilds = await loadJudgedBuilds(ctx, tx, own, rules);
  const below = await readBelow(ctx, tx, rows);
  const loss = findMemberLoss(gate, { rows, builds: ownBuilds, rules, below });
  if (loss !== null) return refused(loss);
  const early = await findOrderLoss(ctx, tx, { batch, members: rows.map((row) => row.id), rules });
  if (early !== null) return refused(early);
  const targets = await loadTargetsThatCount(ctx, tx, { members: loaded.members, rules });
  const passed = {
    gate: rules.requiredChecks,
    configuration: repository.configurationHash,
    byHost: isMergedByHost(configuration),
    ...(rules.useAffectedTargets && { targets: ids.map((id) => ({ id, targets: targets.get(id) ?? null })) }),
  };
  // As the planner decides it: a gate that refused what is planned would have it planned again without end.
  const isExempt = rules.mode === 'no-queue' || rows.every((row) => row.skipValidation);
  if (claimed === '')
    return isExempt ? { kind: 'passed', passed: { ...passed, evidence: null } } : refused('no evidence');
  const lineage = await loadLineage(ctx, tx, queue.id, batch.parentCommit);
  const heads = loaded.members.map((member) => member.pinnedHead);
  const evidence = evidenceFor(
    batch.tree,
    { queue: { lineage }, rules, builds: withoutHeads(builds, rules, heads) },
    ctx.clock().getTime(),
    claimed,
  );
  const isSaid = evidence?.commit === claimed;
  const parts =
    isSaid || batch.restsOn.length === 0
      ? null
      : await judgeParts(ctx, tx, { batch, members: loaded.members, rules, tip: queue.baseTip ?? '' });
  if (!isSaid && parts === null) return refused(`the build of ${claimed} is no evidence any more`);
  const labels = new Set(rows.flatMap((row) => row.labels));
  const gates = (await loadGates(ctx, tx, { rules, batches: [{ id: batch.id, labels }] })).get(batch.id) ?? [];
  const outlook = judgeGates(gates, ctx.clock().getTime());
  if (outlook.kind !== 'open') return refused(`the final gate ${outlook.workflow} is not passed`);
  const finalGates = gates.length === 0 ? {} : { finalGates: await readPassedGates(ctx, tx, batch.id) };
  return {
    kind: 'passed',
    passed: { ...passed, evidence: parts === null ? evidence : null, ...(parts !== null && { parts }), ...finalGates },
  };
}

function findMemberLoss(
  { queue, repository, loaded }: Gate,
  of: {
    readonly rows: readonly PullRequestRow[];
    readonly builds: readonly BuildState[];
    readonly rules: QueueRules;
    readonly below: Awaited<ReturnType<typeof readBelow>>;
  },
): string | null {
  const landing = new Set<string>();
  for (const member of loaded.members) {
    const row = of.rows.find((candidate) => candidate.id === member.pullRequestId);
    if (row === undefined || row.queueId !== queue.id || !isQueued(row.status)) return 'a member left';
    if (row.headSha !== member.pinnedHead) return 'a head moved';
    // Another base branch since it was planned: it stays in this queue, behind what it stands on now.
    const below = openBelow(of.below, row.belowId);
    if (below !== null && !landing.has(below)) return 'what it stands on has not landed';
    landing.add(row.id);
    const loss = findLoss({ repository, queue, pullRequest: row });
    if (loss !== null) return loss.text;
    const own = judgeOwn(
      of.builds.find((build) => build.commit === row.headSha),
      of.rules,
    );
    if (own.verdict === 'red' && !row.skipValidation) return `an own check failed: ${own.failed.join(', ')}`;
  }
  return null;
}

interface Conclusion {
  readonly intentId: string;
  readonly attempt: number;
  readonly loaded: LoadedBatch;
  readonly outcome: Outcome;
}

async function concludeLanding(ctx: Context, conclusion: Conclusion): Promise<void> {
  const { loaded, outcome } = conclusion;
  await ctx.db.transaction(ctx.accountId, async (tx) => {
    const queue = await changeQueue(ctx, tx, loaded.batch.queueId);
    const intent = await lockIntent(ctx, tx, conclusion.intentId);
    const work = beginWork(ctx, tx, queue);
    if (intent.state !== 'begun' || intent.attempt !== conclusion.attempt) {
      // Concluded by another worker meanwhile; what this one saw at the host stays true.
      if (outcome.kind === 'mismatch' && !queue.haltedReason) haltWork(work, outcome.words);
      await finishWork(work);
      return;
    }
    const batch = await tx.em.findOneOrFail(BatchEntity, { id: loaded.batch.id }, { refresh: true });
    if (outcome.kind !== 'landed') {
      batch.givenUp = true;
      if (outcome.kind === 'refused') await failLanding(work, { batch, intent, words: outcome.words });
      else await giveUpLanding(work, { batch, intent, outcome });
      await finishWork(work);
      return;
    }
    const { commit } = outcome;
    const { byHost } = intent.payload['passed'] as Passed;
    if ((!byHost && commit.commit !== batch.commit) || commit.tree !== batch.tree) {
      Object.assign(intent, {
        state: 'failed',
        outcome: { reason: 'another commit landed', commit: commit.commit },
        concludedAt: work.now,
      });
      batch.state = 'building';
      // Batch ids come from a sequence, which a restore sets back: another batch had this number, and landed.
      haltWork(
        work,
        restoredBecause(
          `${landingRef(batch.id)} is ${commit.commit} with tree ${commit.tree}, and batch ${batch.id} was to land ${batch.commit} with tree ${batch.tree}`,
        ),
      );
      await finishWork(work);
      return;
    }
    Object.assign(intent, { state: 'done', outcome: { commit: commit.commit }, concludedAt: work.now });
    await recordLanding(work, { batch, intent, commit: commit.commit, tree: commit.tree });
    await finishWork(work);
  });
}

/**
 * The base was moved from outside, and this batch stands on what it was: the queue plans anew on what it is. A host that
 * merges by itself guards the head as well: what was pushed to one past the gate is answered now.
 */
async function giveUpLanding(
  work: QueueWork,
  {
    batch,
    intent,
    outcome,
  }: {
    readonly batch: BatchRow;
    readonly intent: IntentRow;
    readonly outcome: Extract<Outcome, { kind: 'base_moved' | 'mismatch' }>;
  },
): Promise<void> {
  const why = outcome.kind === 'mismatch' ? { reason: outcome.words } : { reason: 'base moved', moved: outcome.ref };
  Object.assign(intent, { state: 'failed', outcome: why, concludedAt: work.now });
  batch.state = 'building';
  // Unknown until it is read again: nothing is planned on a tip that is known to be old.
  work.queue.baseTip = null;
  if (outcome.kind === 'mismatch' && !work.queue.haltedReason) haltWork(work, outcome.words);
  const { byHost } = intent.payload['passed'] as Passed;
  if (!byHost) return;
  for (const member of (await loadMembers(work.tx, [batch.id])).get(batch.id) ?? []) {
    const row = await work.tx.em.findOneOrFail(PullRequestEntity, { id: member.pullRequestId });
    if (!isQueued(row.status) || row.headSha === member.pinnedHead) continue;
    const pushed = { repositoryId: row.repositoryId, from: member.pinnedHead, to: row.headSha };
    if ((await countOwnPushes(work.ctx, work.tx, pushed)) === 0) await answerCommitAdded(work, row);
  }
}

/** The host takes this commit neither now nor later: its members are blocked with the host's words, the line goes on. */
async function failLanding(
  work: QueueWork,
  { batch, intent, words }: { readonly batch: BatchRow; readonly intent: IntentRow; readonly words: string },
): Promise<void> {
  Object.assign(intent, { state: 'failed', outcome: { reason: words }, concludedAt: work.now });
  Object.assign(batch, { state: 'failed', endedAt: work.now, endedReason: words });
  const members = await loadMembers(work.tx, [batch.id]);
  const rows = await work.tx.em.find(PullRequestEntity, {
    id: { $in: [...members.values()].flat().map((member) => member.pullRequestId) },
  });
  for (const row of rows.filter((member) => isQueued(member.status)))
    blockPullRequest(work, row, { code: 110, text: blockText(110, [words]), message: words });
  announceBatch(work, { members, pullRequests: new Map(rows.map((row) => [row.id, row])) }, batch, 'batch_failed', {
    message: words,
  });
}
