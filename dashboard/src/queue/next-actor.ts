// Says in a few words who acts next on a pull request, and when it is merged, in the reader's time zone.
import { personOf } from '../design/labels.ts';
import { describeInstant } from '../design/time.tsx';

export type Actor = 'ADMIN' | 'AUTHOR' | 'CI' | 'QUEUE' | 'REVIEWER';

const names = { ADMIN: 'an admin', AUTHOR: 'the author', CI: 'CI', QUEUE: 'queue', REVIEWER: 'a reviewer' } as const;

/** Says in a few words who acts next. The author is named. */
export function nameOf(who: Actor | null | undefined, author: string): string {
  if (who === null || who === undefined) return 'nobody';
  return who === 'AUTHOR' ? personOf(author) : names[who];
}

/** A sentence such as `CI acts next.` Null: nobody must act. */
export function describeNextActor(who: Actor | null | undefined, author: string): string | null {
  if (who === null || who === undefined) return null;
  return `${{ ADMIN: 'An admin', AUTHOR: personOf(author), CI: 'CI', QUEUE: 'The queue', REVIEWER: 'A reviewer' }[who]} acts next.`;
}

export function toneOfActor(who: Actor | null | undefined, isBlocked: boolean): 'ci' | 'person' | 'stop' | 'queue' {
  if (isBlocked) return 'stop';
  if (who === 'CI') return 'ci';
  return who === 'QUEUE' || who === null || who === undefined ? 'queue' : 'person';
}

/**
 * `Merged about 14:38, in nine of ten cases by 14:45.` If there is no forecast, returns the sentence of the server that
 * says why.
 */
export function describeForecast(
  eta: { readonly p50: string | null; readonly p90: string | null; readonly sentence: string },
  now: number,
): string {
  if (eta.p50 === null || eta.p90 === null) return eta.sentence;
  return `Merged about ${describeInstant(eta.p50, now)}, in nine of ten cases by ${describeInstant(eta.p90, now)}.`;
}
