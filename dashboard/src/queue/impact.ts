// What an action on a queue or a pull request would do, in sentences.
import type { Effect } from '../app/use-preview.ts';
import { count, numbers } from '../design/labels.ts';
import { describeDuration } from '../design/time.tsx';
import type { ImpactTextFragment } from '../generated/queue.ts';

/** Describes an impact in a sentence and a list of what it affects. */
export function effectOf(impact: ImpactTextFragment | null | undefined, otherwise: string): Effect {
  if (!impact) return { sentence: otherwise };
  const { resets, buildsStopped, buildsStarted, landingsHeld } = impact;
  return {
    sentence: impact.sentence,
    lines: [
      ...resets.map(({ text, pullRequests }) => `Reset: ${numbers(pullRequests)}. ${text}`),
      // The sentence names a single build already.
      ...(buildsStopped.length > 1 ? [`${count(buildsStopped.length, 'build')} would stop.`] : []),
      ...(buildsStarted.length > 1 ? [`${count(buildsStarted.length, 'build')} would start.`] : []),
      ...(landingsHeld.length > 0 ? [`Landings held: ${numbers(landingsHeld)}.`] : []),
      ...(impact.buildMinutesLost >= 1
        ? [`Build time lost: ${describeDuration(impact.buildMinutesLost * 60_000)}.`]
        : []),
      ...movesOf(impact),
    ],
  };
}

const movesShown = 5;

/** The pull requests whose landings move, the largest move first. */
function movesOf({ etasMoved }: ImpactTextFragment): readonly string[] {
  const moves = (etasMoved ?? [])
    .flatMap(({ number, laterSeconds }) => (typeof laterSeconds === 'number' ? [{ number, laterSeconds }] : []))
    .toSorted((a, b) => Math.abs(b.laterSeconds) - Math.abs(a.laterSeconds));
  const more = moves.length - movesShown;
  return [
    ...moves
      .slice(0, movesShown)
      .map(
        ({ number, laterSeconds }) =>
          `#${number} lands about ${describeDuration(Math.abs(laterSeconds) * 1_000)} ${laterSeconds > 0 ? 'later' : 'earlier'}.`,
      ),
    ...(more > 0 ? [`${count(more, 'more landing moves', 'more landings move')}.`] : []),
  ];
}
