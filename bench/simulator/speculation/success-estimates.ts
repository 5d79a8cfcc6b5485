// Estimates the probability that each pending change lands. The estimate begins with that of a predictor, and results of
// builds revise it.
import type { Change, QueueView } from '../../../src/domain/simulation/policy.ts';
import type { Head, Path, Paths } from './paths.ts';
import { clampProbability, type Predictor } from './predictors.ts';

/**
 * Returns the factor by which a build that ended multiplies the odds of landing. `innocence`: the probability that all
 * undecided changes that the build assumes to land do land.
 */
export type Evidence = (of: { readonly head: Head; readonly path: Path; readonly innocence: number }) => number;

/**
 * A green build raises the odds of its change. A red build lowers the odds. The more probably another change in the
 * build is at fault, the less a red build lowers them.
 */
export const splitBlame: Evidence = ({ path, innocence }) =>
  path.verdict === 'green' ? 20 : Math.max(0.05, 1 - innocence);

export class SuccessEstimates {
  readonly #paths: Paths;
  readonly #predictor: Predictor;
  readonly #evidence: Evidence | null;
  readonly #known = new Map<number, { readonly base: number; readonly behind: number; probability: number }>();

  constructor(of: { readonly paths: Paths; readonly predictor: Predictor; readonly evidence: Evidence | null }) {
    this.#paths = of.paths;
    this.#predictor = of.predictor;
    this.#evidence = of.evidence;
  }

  addArrived(queue: QueueView): void {
    for (const change of queue.news.arrived) {
      const behind = this.#paths.heads.get(change.number)?.undecided.size ?? 0;
      const base = clampProbability(this.#predictor.chanceOf(change, behind));
      this.#known.set(change.number, { base, behind, probability: base });
    }
  }

  chanceOf(change: number): number {
    return this.#known.get(change)?.probability ?? 1;
  }

  learn(change: Change, hasLanded: boolean): void {
    this.#predictor.learn(change, { hasLanded, behind: this.#known.get(change.number)?.behind ?? 0 });
    this.#known.delete(change.number);
  }

  /**
   * Estimates every change again, the earliest first. Only builds whose assumptions may still come true count. So a
   * failure does not count any more when it turns out to be the fault of another change.
   */
  revise(): void {
    if (this.#evidence === null) return;
    for (const head of this.#paths.heads.values()) {
      const estimate = this.#known.get(head.change.number);
      if (estimate === undefined) continue;
      let odds = estimate.base / (1 - estimate.base);
      for (const path of head.paths)
        if (path.verdict !== 'pending') odds *= this.#evidence({ head, path, innocence: this.#allLand(path.open) });
      const probability = clampProbability(odds / (1 + odds));
      if (Math.abs(probability - estimate.probability) < 1e-6) continue;
      estimate.probability = probability;
      for (const dependent of this.#paths.dependentsOf(head.change.number)) dependent.version += 1;
    }
  }

  #allLand(changes: Iterable<number>): number {
    let all = 1;
    for (const change of changes) all *= this.chanceOf(change);
    return all;
  }
}
