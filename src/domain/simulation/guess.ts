// One of the worlds that agree with what is known of a line: who fails by itself, how long builds still take. Drawn anew
// for each seed.
import type { PullRequestState } from '../queue/snapshot.ts';
import type { BuildContent, Truth } from './policy.ts';
import { quantile } from './quantile.ts';
import { draw, drawWait, streams } from './randomness.ts';
import type { StandingBuild, StandingLine } from './standing-line.ts';

/** What the last builds tell. */
export interface Experience {
  /** From the decision to the last check, in rising order. Not empty. */
  readonly durationsMs: readonly number[];
  /** How likely a build of what is good fails. */
  readonly flakeRate: number;
}

export interface Guess {
  readonly truth: Truth;
  /** Of each standing build; null: its commit is not made yet. */
  readonly builds: readonly (NonNullable<BuildContent['resumed']> | null)[];
}

interface Seeded extends Experience {
  readonly seed: number;
  readonly now: number;
}

export function guess({ rows, builds }: StandingLine, known: Seeded): Guess {
  const { seed, now, durationsMs, flakeRate } = known;
  const bad = guessBad(rows, builds, known);
  return {
    truth: {
      isGreen: (_, added) => !added.some((change) => bad.has(change)),
      isFlake: ({ tree, attempt }) => flakeRate > 0 && draw(seed, streams.flake, tree, attempt) < flakeRate,
      durationOf: ({ tree, attempt }) => quantile(durationsMs, draw(seed, streams.duration, tree, attempt)) ?? 0,
    },
    builds: builds.map(({ verdict, since }, place) => {
      if (verdict === 'making') return null;
      if (verdict !== 'running') return { lastsMs: 0, passes: verdict === 'green' };
      return { lastsMs: guessRest(now - since, place, known), passes: null };
    }),
  };
}

/** How much longer one takes that has taken so long: as builds that took longer still did. */
function guessRest(ageMs: number, place: number, { seed, durationsMs }: Seeded): number {
  const longer = durationsMs.slice(durationsMs.findLastIndex((duration) => duration <= ageMs) + 1);
  const lasts = quantile(longer, draw(seed, streams.duration, 1, place));
  if (lasts !== null) return lasts - ageMs;
  // Longer than any before it: of that nothing is known but that tails are long.
  return drawWait(seed, streams.duration, 2, place) * Math.max(ageMs / 4, 1_000);
}

function guessBad(rows: readonly PullRequestState[], builds: readonly StandingBuild[], known: Seeded): Set<number> {
  const { seed, flakeRate } = known;
  const proven = new Set(builds.flatMap(({ verdict, content }) => (verdict === 'green' ? content : [])));
  const failing = rows.map(({ chance }, number) => (proven.has(number) ? 0 : 1 - chance));
  const bad = new Set(failing.flatMap((share, number) => (draw(seed, streams.fate, number) < share ? number : [])));
  for (const [place, { verdict, content }] of builds.entries()) {
    if (verdict !== 'red' || content.some((number) => bad.has(number))) continue;
    const suspicion = 1 - content.reduce((all, number) => all * (1 - (failing[number] ?? 0)), 1);
    const isFlake = draw(seed, streams.flake, 1, place) < flakeRate / (flakeRate + suspicion);
    const culprit = isFlake ? null : pick(content, failing, draw(seed, streams.fate, 1, place));
    if (culprit !== null) bad.add(culprit);
  }
  return bad;
}

/** One of them, by the weight of each. */
function pick(among: readonly number[], weights: readonly number[], share: number): number | null {
  let left = share * among.reduce((sum, number) => sum + (weights[number] ?? 0), 0);
  for (const number of among) {
    left -= weights[number] ?? 0;
    if (left < 0) return number;
  }
  return null;
}
