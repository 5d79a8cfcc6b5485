// Counts how many builds run, and how many more may start.
import { membersOf, verdictOf, waitsForOwnChecks, type LineView } from './line.ts';
import type { BatchState, PullRequestState } from '../model/snapshot.ts';

export function hasCapacity(view: LineView, members: readonly PullRequestState[]): boolean {
  if (view.snapshot.rules.mode !== 'parallel' || members.every((member) => member.skipValidation)) return true;
  const running = countRunning(view, [...view.batches, ...view.sideBuilds]);
  return freeBuilds(view, running) > 0;
}

/** The number of running builds below which another build of these members may start. Null: it may start now. */
export function limitThatIsReached(view: LineView, members: readonly PullRequestState[]): number | null {
  if (hasCapacity(view, members)) return null;
  const { queue, rules } = view.snapshot;
  const whilePaused = rules.maxParallelPausedBuilds ?? 0;
  const running = countRunning(view, [...view.batches, ...view.sideBuilds]);
  return queue.paused && running >= whilePaused ? whilePaused : rules.maxParallelBuilds;
}

/** How many more builds may start. Negative: more builds run than are allowed now. */
export function freeBuilds({ snapshot }: LineView, running: number): number {
  const { queue, rules } = snapshot;
  const whilePaused = queue.paused ? (rules.maxParallelPausedBuilds ?? 0) : Infinity;
  return Math.min(whilePaused, (rules.maxParallelBuilds ?? Infinity) - queue.buildsElsewhere) - running;
}

/**
 * Counts the running builds. Side builds count like all others. A green build that may land and only waits for the own
 * checks of its pull requests counts as running, unless `maxTopupBuilds` allows another build in its place.
 */
export function countRunning(view: LineView, batches: readonly BatchState[]): number {
  let pending = 0;
  let held = 0;
  for (const batch of batches) {
    const { kind } = verdictOf(view, batch);
    const mayLand = batch.sideBuild === null || batch.sideBuild === 'speculative';
    // A build beside the line that was given up no longer runs.
    if (kind === 'pending' && (batch.sideBuild === null || batch.givenUp !== true)) pending += 1;
    if (kind === 'green' && mayLand && membersOf(view, batch).some((member) => waitsForOwnChecks(view, member)))
      held += 1;
  }
  return pending + Math.max(0, held - view.snapshot.rules.maxTopupBuilds);
}
