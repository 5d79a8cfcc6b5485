// Who acts next, in a word.
import { personOf } from '../design/labels.ts';

export type Actor = 'ADMIN' | 'AUTHOR' | 'CI' | 'QUEUE' | 'REVIEWER';

const names = { ADMIN: 'an admin', AUTHOR: 'the author', CI: 'CI', QUEUE: 'queue', REVIEWER: 'a reviewer' } as const;

/** The person by name where it is the author. */
export function nameOf(who: Actor | null | undefined, author: string): string {
  if (who === null || who === undefined) return 'nobody';
  return who === 'AUTHOR' ? personOf(author) : names[who];
}

/** `CI acts next.` Null when nobody has to. */
export function actsNext(who: Actor | null | undefined, author: string): string | null {
  if (who === null || who === undefined) return null;
  return `${{ ADMIN: 'An admin', AUTHOR: personOf(author), CI: 'CI', QUEUE: 'The queue', REVIEWER: 'A reviewer' }[who]} acts next.`;
}

export function toneOfActor(who: Actor | null | undefined, isBlocked: boolean): 'ci' | 'person' | 'stop' | 'queue' {
  if (isBlocked) return 'stop';
  if (who === 'CI') return 'ci';
  return who === 'QUEUE' || who === null || who === undefined ? 'queue' : 'person';
}
