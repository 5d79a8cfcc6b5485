// Decides whether a planned landing may start. Reads the facts for `decideGate` again, while the caller holds the locks of
// the repository, the queue and the intent.
import { hasLabel } from '../../../domain/label-names.ts';
import type { Context } from '../../../context.ts';
import { isMergedByHost, landingsFrom, type Configuration } from '../../../domain/configuration/index.ts';
import { withoutHeads } from '../../../domain/queue/evidence/evidence.ts';
import { decideGate, type GateFacts, type GateMember } from '../../../domain/queue/landing/gate.ts';
import type { Targets } from '../../../domain/queue/model/overlap.ts';
import { buildsSpeculatively, type QueueRules } from '../../../domain/queue/model/rules.ts';
import { isQueued } from '../../../domain/queue/model/status.ts';
import { withStacks } from '../../../domain/queue/requests/stacks.ts';
import { findFreezeInForce } from '../../../domain/releases/freeze.ts';
import type { Transaction } from '../../../platform/database.ts';
import { readBranchHolds } from '../../repositories/index.ts';
import { findLoss } from '../admission/admission.service.ts';
import type { LoadedBatch } from '../store/batch.rows.ts';
import { loadBuilds } from '../facts/builds.loader.ts';
import { configurationOf, configurationProblem, haltOf, rulesOf } from '../store/rules-in-force.ts';
import { loadGates, readPassedGates } from '../facts/final-gates.ts';
import { loadLineage } from '../facts/landings.loader.ts';
import { readLine } from '../store/line.rows.ts';
import { loadTargets } from '../facts/affected-targets.ts';
import { judgeOwnChecks } from '../facts/judged-builds.ts';
import { loadJudgedBuilds } from '../facts/judged-builds.ts';
import { findOpenBelow, readPullRequestsBelow } from '../facts/stacks.ts';
import type { BatchRow, IntentRow, PullRequestRow, QueueRow } from '../store/queue.entities.ts';
import { judgeParts, loadTargetsThatCount, type PassedPart } from '../builds/composed-evidence.ts';
import type { GateApproval } from './proof.ts';

export interface Gate {
  readonly intent: IntentRow;
  readonly batch: BatchRow;
  readonly queue: QueueRow;
  readonly repository: LoadedBatch['repository'];
  readonly loaded: LoadedBatch;
  /** The rows of the members, read under the locks. */
  readonly rows: readonly PullRequestRow[];
}

export type GateVerdict =
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'passed'; readonly passed: GateApproval };

export async function passGate(ctx: Context, tx: Transaction, gate: Gate): Promise<GateVerdict> {
  const { batch, queue, repository } = gate;
  const { configuration, rules } = rulesOf(repository, queue);
  const { facts, parts } = await loadFacts(ctx, tx, { ...gate, configuration, rules });
  const decision = decideGate(facts);
  if (decision.kind === 'Refused') return { kind: 'refused', reason: decision.reason };
  const { members } = gate.loaded;
  const targets = await loadTargetsThatCount(ctx, tx, { members, rules });
  const ids = members.map((member) => member.pullRequestId);
  const passed = {
    gate: rules.requiredChecks,
    configuration: repository.configurationHash,
    byHost: isMergedByHost(configuration),
    ...(rules.useAffectedTargets && { targets: ids.map((id) => ({ id, targets: targets.get(id) ?? null })) }),
    evidence: decision.evidence,
  };
  if (facts.claimed === '') return { kind: 'passed', passed };
  const finalGates = facts.finalGates.length === 0 ? {} : { finalGates: await readPassedGates(ctx, tx, batch.id) };
  const composed = decision.evidence === null && parts !== null ? { parts } : {};
  return { kind: 'passed', passed: { ...passed, ...composed, ...finalGates } };
}

interface GateInForce extends Gate {
  readonly configuration: Configuration;
  readonly rules: QueueRules;
}

async function loadFacts(
  ctx: Context,
  tx: Transaction,
  gate: GateInForce,
): Promise<{ readonly facts: GateFacts; readonly parts: readonly PassedPart[] | null }> {
  const { batch, queue, loaded, rows, rules } = gate;
  const { repositoryId } = batch;
  const { evidence: planned } = gate.intent.payload;
  const claimed = typeof planned === 'string' ? planned : '';
  const trees = batch.tree ? [batch.tree] : [];
  const heads = loaded.members.map((member) => member.pinnedHead);
  const isWithParts = claimed !== '' && batch.restsOn.length > 0;
  const judged = { batch, members: loaded.members, rules, tip: queue.baseTip ?? '' };
  const labels = new Set(rows.flatMap((row) => row.labels));
  // Reads that do not need each other share a round trip.
  const [builds, parts, finalGates, queueFacts, members, line] = await Promise.all([
    claimed === '' ? [] : loadBuilds(ctx, tx, { repositoryId, commits: [claimed], trees }),
    isWithParts ? judgeParts(ctx, tx, judged) : null,
    loadGates(ctx, tx, { rules, batches: [{ id: batch.id, labels }] }),
    loadQueueFacts(ctx, tx, gate),
    loadMemberFacts(ctx, tx, gate),
    loadLineFacts(ctx, tx, { queueId: batch.queueId, rules }),
  ]);
  const facts: GateFacts = {
    now: ctx.clock().getTime(),
    rules,
    queue: queueFacts,
    batch: {
      isBuilding: batch.state === 'building',
      givenUp: batch.givenUp,
      commit: batch.commit ?? null,
      tree: batch.tree ?? null,
      parentCommit: batch.parentCommit,
      buildKeysHash: batch.buildKeysHash,
      sideBuild: batch.sideBuild ?? null,
    },
    members,
    line,
    claimed,
    builds: withoutHeads(builds, rules, heads),
    isComposed: parts !== null,
    finalGates: finalGates.get(batch.id) ?? [],
  };
  return { facts, parts };
}

async function loadQueueFacts(
  ctx: Context,
  tx: Transaction,
  { repository, queue, batch, loaded: { baseBranch } }: Gate,
): Promise<GateFacts['queue']> {
  const [{ pause, freezes }, lineage] = await Promise.all([
    readBranchHolds(tx, repository, baseBranch),
    loadLineage(ctx, tx, { queueId: queue.id, tip: batch.parentCommit }),
  ]);
  return {
    paused: !repository.active || pause !== null,
    frozen: findFreezeInForce(freezes, ctx.clock().getTime()) !== null,
    inMergeWindow: landingsFrom(configurationOf(repository), baseBranch, ctx.clock().getTime()) === null,
    halted: haltOf(repository, queue) !== null || configurationProblem(repository) !== null,
    tip: queue.baseTip ?? null,
    lineage,
  };
}

async function loadMemberFacts(
  ctx: Context,
  tx: Transaction,
  { repository, queue, loaded, batch, rules, rows }: GateInForce,
): Promise<readonly GateMember[]> {
  // Own checks are judged as the planner judges them: a check that is retried is pending.
  const own = { repositoryId: batch.repositoryId, commits: rows.map((row) => row.headSha), trees: [] };
  const [ownBuilds, below] = await Promise.all([
    loadJudgedBuilds(ctx, tx, { wanted: own, rules }),
    readPullRequestsBelow(ctx, tx, rows),
  ]);
  return loaded.members.map(({ pullRequestId, pinnedHead }) => {
    const row = rows.find((candidate) => candidate.id === pullRequestId);
    const member = { pullRequest: pullRequestId, pinned: pinnedHead };
    if (row === undefined || row.queueId !== queue.id || !isQueued(row.status)) return { ...member, current: null };
    const checks = judgeOwnChecks(
      ownBuilds.find((build) => build.commit === row.headSha),
      rules,
    );
    const current = {
      head: row.headSha,
      below: findOpenBelow(below, row.belowId),
      skipValidation: row.skipValidation,
      ownVerdict: checks.verdict,
      ownFailedChecks: checks.failed,
      obstacle: findLoss({ repository, queue, pullRequest: row })?.text ?? null,
    };
    return { ...member, current };
  });
}

async function loadLineFacts(
  ctx: Context,
  tx: Transaction,
  { queueId, rules }: { readonly queueId: string; readonly rules: QueueRules },
): Promise<GateFacts['line']> {
  if (!buildsSpeculatively(rules)) return [];
  const targets = rules.useAffectedTargets ? await loadTargets(ctx, tx, queueId) : new Map<string, Targets>();
  const inLine = await readLine(ctx, tx, queueId);
  const below = await readPullRequestsBelow(ctx, tx, inLine);
  const stacked = withStacks(inLine.map((row) => ({ ...row, below: findOpenBelow(below, row.belowId), stack: null })));
  return stacked.map(({ id, number, rank, skipLine, labels }) => {
    const isBarrier = rules.barrierLabel !== null && hasLabel(labels, rules.barrierLabel);
    return { id, number, rank, skipLine, targets: isBarrier ? null : (targets.get(id) ?? null) };
  });
}
