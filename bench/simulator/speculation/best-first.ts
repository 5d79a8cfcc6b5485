// The policies of the family of SubmitQueue. They build on several sets of assumptions, the most probable set first.
import type { Change, QueueActions, Policy, QueueView } from '../../../src/domain/simulation/policy.ts';
import {
  enumerateAssumptionSets,
  rankAssumptions,
  type Candidate,
  type OutcomeWeights,
  type RankedAssumptions,
} from './most-probable.ts';
import { SuccessEstimates, type Evidence } from './success-estimates.ts';
import { conflictGraph, Paths, type Head, type Path } from './paths.ts';
import type { Predictor } from './predictors.ts';

export interface BestFirstRules {
  readonly predictor: Predictor;
  /** How results of builds change the probabilities. Default: not at all. */
  readonly evidence?: Evidence;
  /** Whether a running build is stopped for a more probable build. If false, a build runs until no change needs it. */
  readonly isPreemptive: boolean;
  /** The least probability of the assumptions of a build together. A less probable build is not started. */
  readonly threshold: number;
  /**
   * Whether a change that is green under every assumption about the changes before it goes past these changes. The
   * changes that were passed then land by their own builds, which do not contain the change that went past. Other
   * policies require more evidence for a landing.
   */
  readonly goesPast: boolean;
  /**
   * The weights of both assumptions about a change `ahead` in builds of a change `behind`. Default: their
   * probabilities.
   */
  readonly outlook?: (of: {
    readonly ahead: Head;
    readonly behind: Head;
    readonly probability: number;
    readonly now: number;
  }) => OutcomeWeights;
}

export function bestFirst(rules: BestFirstRules): Policy {
  return new BestFirst(rules);
}

class BestFirst implements Policy {
  readonly landsByItsOwnRule: boolean;
  readonly #rules: BestFirstRules;
  readonly #paths = new Paths(conflictGraph);
  readonly #estimates: SuccessEstimates;
  readonly #ranked = new Map<number, RankedAssumptions & { readonly version: number }>();

  constructor(rules: BestFirstRules) {
    this.#rules = rules;
    this.landsByItsOwnRule = rules.goesPast;
    const { predictor, evidence = null } = rules;
    this.#estimates = new SuccessEstimates({ paths: this.#paths, predictor, evidence });
  }

  decide(queue: QueueView, actions: QueueActions): void {
    this.#paths.sync(queue);
    this.#paths.takeIn(queue);
    this.#estimates.addArrived(queue);
    for (const head of this.#paths.heads.values()) this.#conclude(head, actions);
    this.#estimates.revise();
    if (this.#rules.isPreemptive) this.#buildTheBest(queue, actions);
    else this.#fillIdleWorkers(queue, actions);
  }

  #conclude(head: Head, actions: QueueActions): void {
    if (head.undecided.size > 0 && !(this.#rules.goesPast && isGreenEitherWay(head))) return;
    const real = head.paths.find((path) => path.open.size === 0 && path.verdict !== 'pending');
    if (real === undefined) return;
    const hasPassed = real.verdict === 'green';
    if (hasPassed) this.#paths.land([head], real.build, actions);
    else this.#paths.eject(head, actions);
    this.#forget(head.change, hasPassed);
  }

  #forget(change: Change, hasLanded: boolean): void {
    this.#estimates.learn(change, hasLanded);
    this.#ranked.delete(change.number);
  }

  #fillIdleWorkers(queue: QueueView, actions: QueueActions): void {
    if (queue.idleWorkers <= 0) return;
    for (const candidate of enumerateAssumptionSets(this.#rankAllAt(queue.now))) {
      if (candidate.probability < this.#rules.threshold) return;
      if (pathOf(candidate) !== undefined) continue;
      this.#paths.start(candidate.head, candidate.assumes(), actions);
      if (queue.idleWorkers <= 0) return;
    }
  }

  // Running builds that are not among the most probable ones are stopped before a more probable build is started.
  #buildTheBest(queue: QueueView, actions: QueueActions): void {
    const best = this.#best(queue);
    const kept = new Set(best.map(pathOf));
    for (const head of this.#paths.heads.values())
      for (const path of head.paths)
        if (path.verdict === 'pending' && !kept.has(path)) this.#paths.drop(head, path, actions);
    for (const candidate of best)
      if (pathOf(candidate) === undefined) this.#paths.start(candidate.head, candidate.assumes(), actions);
  }

  /** Chooses as many builds as there are workers. Of equally probable builds, running builds come first. */
  #best(queue: QueueView): readonly Candidate[] {
    const max = queue.workers;
    const found: Candidate[] = [];
    for (const candidate of enumerateAssumptionSets(this.#rankAllAt(queue.now))) {
      const { probability } = candidate;
      const isTooLate = found.length >= max && probability < (found[max - 1]?.probability ?? 0) * (1 - 1e-9);
      if (probability < this.#rules.threshold || isTooLate || found.length >= 3 * max) break;
      const path = pathOf(candidate);
      if (path === undefined || path.verdict === 'pending') found.push(candidate);
    }
    if (found.length <= max) return found;
    const min = (found[max - 1]?.probability ?? 0) * (1 + 1e-9);
    const certain = found.filter(({ probability }) => probability > min);
    const tied = found.slice(certain.length);
    const running = tied.filter((candidate) => pathOf(candidate) !== undefined);
    return [...certain, ...running, ...tied.filter((candidate) => !running.includes(candidate))].slice(0, max);
  }

  *#rankAllAt(now: number): Generator<RankedAssumptions> {
    for (const head of this.#paths.heads.values()) {
      const known = this.#ranked.get(head.change.number);
      if (known?.version === head.version) {
        yield known;
        continue;
      }
      const fresh = { ...rankAssumptions(head, this.#outlooks(head, now)), version: head.version };
      this.#ranked.set(head.change.number, fresh);
      yield fresh;
    }
  }

  #outlooks(behind: Head, now: number): readonly OutcomeWeights[] {
    return [...behind.undecided].map((number) => {
      const probability = this.#estimates.chanceOf(number);
      const ahead = this.#paths.heads.get(number);
      if (ahead === undefined || this.#rules.outlook === undefined)
        return { change: number, lands: probability, leaves: 1 - probability };
      return this.#rules.outlook({ ahead, behind, probability, now });
    });
  }
}

function pathOf({ head, key }: Candidate): Path | undefined {
  return head.paths.find((path) => path.key === key);
}

/** Whether there is a green build for every set of assumptions about the undecided changes before the head. */
function isGreenEitherWay(head: Head): boolean {
  const greens = new Set(head.paths.flatMap((path) => (path.verdict === 'green' ? path.key : [])));
  return greens.size === 2 ** head.undecided.size;
}
