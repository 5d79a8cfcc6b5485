// Counts how many builds run, and how many more may start. `held` is the number of green builds that wait only for the own
// checks of their pull requests. Each counts as a running build, unless `maxTopupBuilds` allows another build in its
// place. A build that also waits for other pull requests does not count: what it waits for may need a build.
import { verdictOf, type LineView } from './line.ts';
import type { BatchState, PullRequestState } from '../model/snapshot.ts';

export function hasCapacity(view: LineView, members: readonly PullRequestState[], held: number): boolean {
  if (view.snapshot.rules.mode !== 'parallel' || members.every((member) => member.skipValidation)) return true;
  return freeBuilds(view, countRunning(view, [...view.batches, ...view.sideBuilds], held)) > 0;
}

/** The number of running builds below which another build of these members may start. Null: it may start now. */
export function limitThatIsReached(view: LineView, members: readonly PullRequestState[], held: number): number | null {
  if (hasCapacity(view, members, held)) return null;
  const { queue, rules } = view.snapshot;
  const whilePaused = rules.maxParallelPausedBuilds ?? 0;
  const running = countRunning(view, [...view.batches, ...view.sideBuilds], held);
  return queue.paused && running >= whilePaused ? whilePaused : rules.maxParallelBuilds;
}

/** How many more builds may start. Negative: more builds run than are allowed now. */
export function freeBuilds({ snapshot }: LineView, running: number): number {
  const { queue, rules } = snapshot;
  const whilePaused = queue.paused ? (rules.maxParallelPausedBuilds ?? 0) : Infinity;
  return Math.min(whilePaused, (rules.maxParallelBuilds ?? Infinity) - queue.buildsElsewhere) - running;
}

/** Counts the running builds. Side builds count like all others. A side build that was given up no longer runs. */
export function countRunning(view: LineView, batches: readonly BatchState[], held: number): number {
  const pending = batches.filter(
    (batch) => verdictOf(view, batch).kind === 'pending' && (batch.sideBuild === null || batch.givenUp !== true),
  );
  return pending.length + Math.max(0, held - view.snapshot.rules.maxTopupBuilds);
}
