// Decides which builds start first if everything overlaps and the line is crowded. A green build lands every pull
// request in it, so most pull requests need no build of their own. A build gains two things:
//
// - If its assumption comes true, the pull requests that no smaller build on its way covers land with it. This counts
//   only as far as no larger build on its way is running that would land them too.
// - It shows whether its own pull request is bad. Until this is known, everything behind a bad pull request waits.
import TinyQueue from 'tinyqueue';
import { firstMember, type Candidate } from './assumptions.ts';
import { mayLandMembers, type SpeculationGraph } from './graph.ts';
import { probabilityOfAssumptions, type LandingProbabilities } from './landing-probability.ts';

/** A candidate, and the pull requests that its assumption lets land. */
export interface PossibleBuild {
  readonly candidate: Candidate;
  readonly assumed: readonly number[];
}

/** To know that a pull request is bad is worth as much as to land so many others. */
const worthOfBlame = 10;

/** What is built, as indices in line order, and the probability that it is needed. */
interface Content {
  readonly indices: readonly number[];
  readonly needed: number;
}

interface Scored extends PossibleBuild {
  readonly content: Content;
  readonly gain: number;
}

export class GainOrder {
  readonly #probabilities: LandingProbabilities;
  /** What running and green builds and the builds that start now contain. */
  readonly #built: Content[];
  readonly #queue: TinyQueue<Scored>;

  constructor(graph: SpeculationGraph, probabilities: LandingProbabilities, possible: readonly PossibleBuild[]) {
    this.#probabilities = probabilities;
    this.#built = graph.builds
      .filter(mayLandMembers)
      .map((build) => ({ indices: build.pending, needed: probabilityOfAssumptions(graph, probabilities, build) }));
    const scored = possible.map((build): Scored => {
      const content = contentOf(build);
      return { ...build, content, gain: this.#gainOf(build, content) };
    });
    this.#queue = new TinyQueue(
      scored,
      (a, b) => b.gain - a.gain || firstMember(a.candidate) - firstMember(b.candidate),
    );
  }

  /** The build that gains most, besides those that were returned before. Null: there is no other build. */
  next(): PossibleBuild | null {
    // A build gains less with each build that has started since its gain was computed, and never more.
    for (let best = this.#queue.pop(); best !== undefined; best = this.#queue.pop()) {
      const gain = this.#gainOf(best, best.content);
      const following = this.#queue.peek();
      if (following === undefined || gain >= following.gain) return best;
      this.#queue.push({ ...best, gain });
    }
    return null;
  }

  noteStart(build: PossibleBuild): void {
    this.#built.push(contentOf(build));
  }

  #gainOf({ candidate }: PossibleBuild, { indices, needed }: Content): number {
    let covered = 0;
    let neededAbove = 0;
    for (const other of this.#built) {
      if (beginsWith(indices, other.indices)) covered = Math.max(covered, other.indices.length);
      if (beginsWith(other.indices, indices)) neededAbove = Math.max(neededAbove, other.needed);
    }
    const passes = candidate.members.reduce((product, index) => product * (this.#probabilities[index] ?? 0.5), 1);
    return (indices.length - covered) * Math.max(0, needed - neededAbove) + worthOfBlame * needed * (1 - passes);
  }
}

function contentOf({ candidate, assumed }: PossibleBuild): Content {
  return {
    indices: [...assumed, ...candidate.members].sort((a, b) => a - b),
    needed: candidate.next.probability,
  };
}

/** Whether `indices` are the first of `all`, and not all of them. */
function beginsWith(all: readonly number[], indices: readonly number[]): boolean {
  return indices.length < all.length && indices.every((index, at) => index === all[at]);
}
