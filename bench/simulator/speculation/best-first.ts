// Policies that build on several assumptions, those first that are most probably what will come true: the family of
// SubmitQueue.
import type { Change, Desk, Policy, QueueView } from '../../../src/domain/simulation/policy.ts';
import { likeliest, prospectOf, type Outlook, type Prospect } from './likeliest.ts';
import { blames, conflictGraph, evidenceFor, Paths, type Head, type Path } from './paths.ts';
import { clamped, type Predictor } from './predictors.ts';

/** What the end of a build does to a change's odds of landing. */
export interface Evidence {
  readonly green: number;
  readonly red: number;
  /** `all`: of any build of it. `hopeful`: of the one that assumed all before it to land, and of no other. */
  readonly of: 'all' | 'hopeful';
}

export interface BestFirstRules {
  readonly predictor: Predictor;
  /** A running build gives way to a more probable one. Otherwise it keeps its worker until nothing can need it. */
  readonly isPreemptive: boolean;
  /** Nothing is built whose assumptions are less probable together. */
  readonly threshold: number;
  readonly evidence?: Evidence;
  /** One that is green under every assumption about what it stands behind goes past it. */
  readonly goesPast: boolean;
  /** What either assumption is worth to the one behind. Default: how probable it is. */
  readonly outlook?: (of: {
    readonly ahead: Head;
    readonly behind: Head;
    readonly chance: number;
    readonly now: number;
  }) => Outlook;
}

export function bestFirst(rules: BestFirstRules): Policy {
  return new BestFirst(rules);
}

class BestFirst implements Policy {
  readonly #rules: BestFirstRules;
  readonly #paths = new Paths(conflictGraph);
  readonly #chances = new Map<number, number>();
  readonly #prospects = new Map<number, Prospect & { readonly version: number }>();

  constructor(rules: BestFirstRules) {
    this.#rules = rules;
  }

  decide(queue: QueueView, desk: Desk): void {
    const ended = this.#paths.sync(queue);
    this.#paths.takeIn(queue);
    for (const change of queue.news.arrived) this.#assess(change);
    for (const { head, path } of ended) this.#weigh(head, path);
    for (const head of this.#paths.heads.values()) this.#conclude(head, queue, desk);
    if (this.#rules.isPreemptive) this.#buildTheBest(queue, desk);
    else this.#fillIdleWorkers(queue, desk);
  }

  #assess(change: Change): void {
    const behind = this.#paths.heads.get(change.number)?.unsettled.size ?? 0;
    this.#chances.set(change.number, this.#rules.predictor.chanceOf(change, behind));
  }

  #weigh(head: Head, path: Path): void {
    const { evidence } = this.#rules;
    if (evidence === undefined || (evidence.of === 'hopeful' && path.open.size !== head.unsettled.size)) return;
    const factor = path.verdict === 'green' ? evidence.green : evidence.red;
    const { number } = head.change;
    const chance = this.#chances.get(number) ?? 0.5;
    this.#chances.set(number, clamped((chance * factor) / (1 - chance + chance * factor)));
    for (const dependent of this.#paths.dependentsOf(number)) dependent.version += 1;
  }

  #conclude(head: Head, queue: QueueView, desk: Desk): void {
    if (head.unsettled.size > 0) {
      if (this.#rules.goesPast && isGreenEitherWay(head)) this.#land(head, queue, desk);
      return;
    }
    const real = head.paths.find((path) => path.open.size === 0 && path.verdict !== 'pending');
    if (real?.verdict === 'green') this.#land(head, queue, desk);
    if (real?.verdict !== 'red') return;
    if (!blames(real, queue)) return this.#paths.drop(head, real, desk);
    this.#paths.eject(head, desk);
    this.#forget(head.change, false);
  }

  // Where something went past it, its own build may not hold any more, and what went past may vouch for it; else it is
  // built again.
  #land(head: Head, queue: QueueView, desk: Desk): void {
    const evidence = evidenceFor(head, queue);
    if (evidence.length > 0) {
      this.#paths.land([head], evidence, desk);
      return this.#forget(head.change, true);
    }
    for (const path of head.paths) if (path.verdict === 'green') this.#paths.drop(head, path, desk);
  }

  #forget(change: Change, hasLanded: boolean): void {
    this.#rules.predictor.learn(change, hasLanded);
    this.#chances.delete(change.number);
    this.#prospects.delete(change.number);
  }

  #fillIdleWorkers(queue: QueueView, desk: Desk): void {
    if (queue.idleWorkers <= 0) return;
    for (const candidate of likeliest(this.#prospectsAt(queue.now))) {
      if (candidate.probability < this.#rules.threshold) return;
      const { head, key } = candidate;
      if (head.paths.some((path) => path.key === key)) continue;
      this.#paths.start(head, candidate.assumes(), desk);
      if (queue.idleWorkers <= 0) return;
    }
  }

  // The most probable ones have the workers; what runs besides is stopped before anything is started.
  #buildTheBest(queue: QueueView, desk: Desk): void {
    const kept = new Set<Path>();
    const wanted: { head: Head; assumes: readonly number[] }[] = [];
    for (const candidate of likeliest(this.#prospectsAt(queue.now))) {
      if (candidate.probability < this.#rules.threshold || kept.size + wanted.length >= queue.workers) break;
      const { head, key } = candidate;
      const known = head.paths.find((path) => path.key === key);
      if (known === undefined) wanted.push({ head, assumes: candidate.assumes() });
      else if (known.verdict === 'pending') kept.add(known);
    }
    for (const head of this.#paths.heads.values())
      for (const path of head.paths)
        if (path.verdict === 'pending' && !kept.has(path)) this.#paths.drop(head, path, desk);
    for (const { head, assumes } of wanted) this.#paths.start(head, assumes, desk);
  }

  *#prospectsAt(now: number): Generator<Prospect> {
    for (const head of this.#paths.heads.values()) {
      const known = this.#prospects.get(head.change.number);
      if (known?.version === head.version) {
        yield known;
        continue;
      }
      const fresh = { ...prospectOf(head, this.#outlooks(head, now)), version: head.version };
      this.#prospects.set(head.change.number, fresh);
      yield fresh;
    }
  }

  #outlooks(behind: Head, now: number): readonly Outlook[] {
    return [...behind.unsettled].map((number) => {
      const chance = this.#chances.get(number) ?? 0.5;
      const ahead = this.#paths.heads.get(number);
      if (ahead === undefined || this.#rules.outlook === undefined)
        return { change: number, lands: chance, leaves: 1 - chance };
      return this.#rules.outlook({ ahead, behind, chance, now });
    });
  }
}

/** There is a green build for every subset of what it stands behind. */
function isGreenEitherWay(head: Head): boolean {
  const greens = new Set(head.paths.flatMap((path) => (path.verdict === 'green' ? path.key : [])));
  return greens.size === 2 ** head.unsettled.size;
}
