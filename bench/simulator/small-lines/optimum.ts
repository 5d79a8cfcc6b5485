// The best policy for a small line in which everything overlaps, found by search. It knows for each change how probably
// it is bad, when changes arrive on average and how long builds take on average. It knows no outcomes. No policy with
// this knowledge, and with this number of workers, has a shorter mean wait.
//
// The line is simpler than that of a simulated day: at most five changes; a change is bad by itself or not at all; no
// build flakes; the time of a build is exponential and drawn for each build. So what is left of a running build has the
// same distribution as a new build. To stop a build costs nothing, and only the changes that arrived and the results so
// far matter for a decision.

export interface SmallLine {
  /** For each change, in order of arrival: the probability that it is bad. At most five. */
  readonly failures: readonly number[];
  /** How many changes arrive in the mean time of a build, by a Poisson process. `Infinity`: all arrive at once. */
  readonly arrivals: number;
  readonly workers: number;
  /**
   * Whether a change lands only after every earlier one has landed or is known to be bad. The planner keeps this order,
   * because all changes of a small line overlap. Left out: a good change lands as soon as it is known to be good.
   */
  readonly keepsOrder?: boolean;
}

/** Sets of changes are masks: bit i is the change i. A tree is the set of the changes in it. */
export interface Choice {
  /** The trees that are built until the next event. */
  readonly trees: readonly number[];
  /** The expected sum of the further waits of good changes, in mean times of a build. */
  readonly cost: number;
  /** How long workers will be busy, in mean times of a build. */
  readonly work: number;
}

/** Thirty-two is the number of sets of five changes. A word of 32 bits then holds a set of sets. */
const maxChanges = 5;

export class Optimum {
  readonly line: SmallLine;
  readonly #weights: readonly number[];
  readonly #known = new Map<number, Choice>();

  constructor(line: SmallLine) {
    if (line.failures.length > maxChanges) throw new Error(`A small line has at most ${maxChanges} changes.`);
    this.line = line;
    this.#weights = Array.from({ length: 1 << line.failures.length }, (_, good) =>
      line.failures.reduce((product, failure, at) => product * (good & (1 << at) ? 1 - failure : failure), 1),
    );
  }

  /** What is known before the first result: every set of changes may be the set of the good ones. */
  get begin(): number {
    return this.#weights.length === 32 ? -1 : (1 << this.#weights.length) - 1;
  }

  /** What is known after the result of a tree. A tree is green if all changes in it are good. */
  after(known: number, tree: number, isGreen: boolean): number {
    let left = 0;
    for (let good = 0; good < this.#weights.length; good += 1)
      if (((known >>> good) & 1) === 1 && ((good & tree) === tree) === isGreen) left |= 1 << good;
    return left;
  }

  /** The changes that are good in every case, and those that are good in some case. */
  boundsOf(known: number): { readonly certain: number; readonly possible: number } {
    let [certain, possible] = [-1, 0];
    for (let good = 0; good < this.#weights.length; good += 1)
      if (((known >>> good) & 1) === 1) {
        certain &= good;
        possible |= good;
      }
    return { certain, possible };
  }

  /** The changes that have landed. A change that is certainly good is in a green tree. */
  landedOf(arrived: number, known: number): number {
    const { certain, possible } = this.boundsOf(known);
    const undecided = ((1 << arrived) - 1) & possible & ~certain;
    const first = undecided & -undecided;
    return this.line.keepsOrder === true && undecided !== 0 ? certain & (first - 1) : certain;
  }

  /**
   * The best choice. `arrived`: how many changes have arrived. `known`: a set of sets, those that may be the good
   * changes.
   */
  choose(arrived: number, known: number): Choice {
    const key = arrived * 2 ** 32 + (known >>> 0);
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    const choice = this.#search(arrived, known);
    this.#known.set(key, choice);
    return choice;
  }

  #search(arrived: number, known: number): Choice {
    const { failures, workers } = this.line;
    const { certain, possible } = this.boundsOf(known);
    const here = (1 << arrived) - 1;
    const isComplete = arrived === failures.length;
    const isDecided = (possible & here & ~certain) === 0;
    if (isComplete && isDecided) return { trees: [], cost: 0, work: 0 };
    const next = isComplete ? null : this.choose(arrived + 1, known);
    // If all arrive at once, nothing is built before all have arrived.
    if (next !== null && (isDecided || this.line.arrivals === Infinity)) return { ...next, trees: [] };
    const rate = next === null ? 0 : this.line.arrivals;
    const waiting = this.#waiting(known, here & ~this.landedOf(arrived, known));
    const options = this.#options(arrived, known).slice(0, workers);
    let [sum, work] = [0, 0];
    let best: Choice | null = next === null ? null : { trees: [], cost: waiting / rate + next.cost, work: next.work };
    for (const [at, option] of options.entries()) {
      sum += option.cost;
      work += option.work;
      const count = at + 1;
      const cost = (waiting + rate * (next?.cost ?? 0) + sum) / (rate + count);
      if (best !== null && best.cost <= cost) continue;
      const trees = options.slice(0, count).map(({ tree }) => tree);
      best = { trees, cost, work: (count + rate * (next?.work ?? 0) + work) / (rate + count) };
    }
    if (best === null) throw new Error('A line with an undecided change has a tree to build.');
    return best;
  }

  /** The expected number of good changes among `changes`. */
  #waiting(known: number, changes: number): number {
    let [all, sum] = [0, 0];
    for (let good = 0; good < this.#weights.length; good += 1) {
      if (((known >>> good) & 1) === 0) continue;
      const weight = this.#weights[good] ?? 0;
      all += weight;
      sum += weight * countBits(good & changes);
    }
    return sum / all;
  }

  /** The trees that may be built, with the expected cost after their results, the lowest first. */
  #options(arrived: number, known: number): { readonly tree: number; readonly cost: number; readonly work: number }[] {
    const { certain, possible } = this.boundsOf(known);
    const here = (1 << arrived) - 1;
    const options: { readonly tree: number; readonly cost: number; readonly work: number }[] = [];
    for (let tree = 1; tree <= here; tree += 1) {
      if ((tree & certain) !== certain || tree === certain || (tree & possible & here) !== tree) continue;
      const green = this.after(known, tree, true);
      if (green === 0) continue;
      const red = this.after(known, tree, false);
      const passes = this.#weightOf(green) / this.#weightOf(known);
      const [ifGreen, ifRed] = [this.choose(arrived, green), this.choose(arrived, red)];
      options.push({
        tree,
        cost: passes * ifGreen.cost + (1 - passes) * ifRed.cost,
        work: passes * ifGreen.work + (1 - passes) * ifRed.work,
      });
    }
    return options.sort((a, b) => a.cost - b.cost);
  }

  #weightOf(known: number): number {
    let sum = 0;
    for (let good = 0; good < this.#weights.length; good += 1)
      if (((known >>> good) & 1) === 1) sum += this.#weights[good] ?? 0;
    return sum;
  }
}

export function countBits(set: number): number {
  let count = 0;
  for (let left = set; left !== 0; left &= left - 1) count += 1;
  return count;
}
