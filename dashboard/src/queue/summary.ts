// Describes the state of a queue in a sentence.
import { count } from '../design/labels.ts';
import type { EntryRowFragment, LandingsQuery, QueueQuery } from '../generated/queue.ts';

export type QueueData = NonNullable<NonNullable<QueueQuery['repository']>['queue']>;

export type Landing = NonNullable<NonNullable<LandingsQuery['repository']>['queue']>['past']['nodes'][number];

/** How many proofs the repository has, and whether they are valid. */
export type Proofs = NonNullable<LandingsQuery['repository']>['proofs'];

/** A pull request as a row shows it. */
export interface ShownEntry extends EntryRowFragment {
  readonly explain: QueueData['line']['nodes'][number]['explain'];
}

/** The pull requests in line, in order. */
export function entriesOf(queue: QueueData): readonly ShownEntry[] {
  return queue.line.nodes.map(({ pullRequest, explain }) => ({ ...pullRequest, explain }));
}

const small = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

function spelledCount(n: number, noun: string): string {
  return `${small[n] ?? n} ${noun}${n === 1 ? '' : 's'}`;
}

export interface Forecast {
  readonly p50: number;
  readonly p90: number;
}

/** When each pull request in line is merged, by its number. Pull requests without a forecast are left out. */
export function forecastsOf(queue: QueueData): ReadonlyMap<number, Forecast> {
  return new Map(
    queue.line.nodes.flatMap(({ pullRequest, eta }) =>
      eta?.p50 && eta.p90
        ? [[pullRequest.number, { p50: Date.parse(eta.p50), p90: Date.parse(eta.p90) }] as const]
        : [],
    ),
  );
}

/** Describes the state of the queue in two parts. The page shows the second part less prominently. */
export function summarise(
  queue: QueueData,
  textOfTime: (at: number) => string,
  builds: { line: number; beside: number },
): readonly [string, string] {
  const { queued } = queue.depth;
  if (queue.asOf) {
    const beside = builds.beside > 0 ? ` and ${spelledCount(builds.beside, 'alternative')}` : '';
    return [
      `At ${textOfTime(Date.parse(queue.asOf))}, ${queued === 0 ? 'no pull request was' : count(queued, 'pull request was', 'pull requests were')} in line.`,
      builds.line + builds.beside === 0 ? '' : `${capital(spelledCount(builds.line, 'build'))}${beside} ran.`,
    ];
  }
  if (queue.haltedAt)
    return [`${queue.baseBranch} is halted: nothing is merged until an admin resumes it.`, inLine(queued)];
  if (queue.paused) return [`${queue.baseBranch} is paused: nothing is validated or merged.`, inLine(queued)];
  if (queued === 0)
    return [
      'No pull request is in line.',
      queue.baseTip ? `${queue.baseBranch} is green at ${queue.baseTip.slice(0, 8)}.` : '',
    ];
  const building =
    builds.line + builds.beside === 0
      ? `${count(queued, 'pull request waits', 'pull requests wait')} for a build.`
      : `${capital(spelledCount(builds.line, 'build'))}${builds.beside > 0 ? ` and ${spelledCount(builds.beside, 'alternative')}` : ''}.`;
  if (queue.frozen) return [`${building} Nothing lands: ${queue.baseBranch} is frozen.`, inLine(queued)];
  const forecasts = [...forecastsOf(queue).values()];
  // If the rows that were read begin in the middle of the line, their forecasts do not show when the next landing is.
  if ((queue.line.nodes[0]?.position ?? 1) > 1) return [building, inLine(queued)];
  if (forecasts.length === 0) return [building, 'When they land is not known yet.'];
  const next = Math.min(...forecasts.map(({ p50 }) => p50));
  const whole = Math.max(...forecasts.map(({ p90 }) => p90));
  const known = forecasts.length === queued ? 'the whole line' : `the first ${forecasts.length} of ${queued}`;
  return [`${building} The next landing is about ${textOfTime(next)},`, `${known} by ${textOfTime(whole)}.`];
}

function inLine(queued: number): string {
  return `${count(queued, 'pull request is', 'pull requests are')} in line.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
