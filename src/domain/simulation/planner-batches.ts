// The rows of simulated batches: how a batch begins, whether it is green already, and what its conflict or its end
// changes in the rows.
import { evidenceFor } from '../queue/evidence/evidence.ts';
import { judgeBatches } from '../queue/evidence/verdict.ts';
import type { Decision } from '../queue/model/decision.ts';
import type { BatchState } from '../queue/model/snapshot.ts';
import type { PlannerRows } from './planner-rows.ts';

export type StartBatch = Extract<Decision, { kind: 'StartBatch' }>;

export function newBatch(
  { kind: _kind, cause: _cause, ...start }: StartBatch,
  made: Pick<BatchState, 'id' | 'buildKeysHash' | 'createdAt'>,
): BatchState {
  return {
    ...start,
    ...made,
    state: 'making',
    commit: null,
    tree: null,
    testedCommit: null,
    buildStartedAt: null,
    landingStarted: false,
    landingPlanned: false,
  };
}

/**
 * Records a conflict of git. A conflict in a side build is recorded for no pull request. A conflict in a speculative
 * build is also recorded as a merge result, so that no other build with the same first heads is chosen.
 */
export function keepConflict(
  rows: PlannerRows,
  batch: BatchState,
  { assumes, at }: { readonly assumes: readonly number[]; readonly at: number },
): void {
  const heads = batch.members.map((member) => member.head);
  if (batch.sideBuild === null) {
    const place = Math.max(0, at - assumes.length);
    const conflict = { parent: batch.parentCommit, after: heads.slice(0, place) };
    rows.changePullRequest(batch.members[place]?.pullRequest ?? '', { conflict });
    return;
  }
  const layers = [...batch.assumes.map((assumed) => assumed.head), ...heads];
  if (batch.sideBuild === 'speculative')
    rows.mergeResults.push({
      parent: batch.parentCommit,
      heads: layers.slice(0, at + 1),
      tree: null,
      conflictAt: at,
    });
  rows.changeBatch(batch.id, { givenUp: true });
}

/** Whether the batch is green. A batch whose parts do not suffice as evidence is built like any other batch. */
export function isGreen(rows: PlannerRows, batch: string, now: number): boolean {
  return judgeBatches(rows.snapshot(now), now).get(batch)?.kind === 'green';
}

export function isProven(rows: PlannerRows, tree: string, now: number): boolean {
  const builds = rows.buildsOf(tree);
  if (builds.length === 0) return false;
  const { rules } = rows;
  return evidenceFor(tree, { queue: { lineage: rows.lineage(now) }, rules, builds }, { now }) !== null;
}

/**
 * Makes the pull requests of a removed batch queued again. A pull request of a speculative batch stays tagged while
 * another batch contains it.
 */
export function untag(rows: PlannerRows, { members, sideBuild }: BatchState): void {
  const held = new Set<string>();
  if (sideBuild === 'speculative')
    for (const other of rows.batches.values()) for (const { pullRequest } of other.members) held.add(pullRequest);
  for (const { pullRequest } of members)
    if (!held.has(pullRequest)) rows.changePullRequest(pullRequest, { status: 'queued' });
}

type Bisection = NonNullable<Parameters<PlannerRows['changePullRequest']>[1]['bisection']>;

/** The bisection that each pull request of the ended batch has from now on. */
export function bisections(
  decision: Extract<Decision, { kind: 'SupersedeBatch' | 'ReturnBatch' | 'FailBatch' | 'BisectBatch' }>,
  rows: PlannerRows,
): readonly (readonly [string, Bisection])[] {
  if (decision.kind === 'BisectBatch') {
    const { group, attempts, phase, halves } = decision;
    return halves.flat().map((id) => [id, { group, max: halves[0]?.length ?? 1, attempts, phase }] as const);
  }
  if (decision.kind !== 'ReturnBatch') return [];
  return rows.batch(decision.batch).members.flatMap(({ pullRequest }) => {
    const bisection = rows.pullRequests.get(pullRequest)?.bisection ?? null;
    return bisection === null ? [] : [[pullRequest, { ...bisection, phase: 'returned' }] as const];
  });
}
