// What /readyz answers: whether a process can do its work, and which parts do not work.
import type { Part, PartName } from './parts.ts';

export interface ReadinessFacts {
  readonly parts: readonly Part[];
  /** The parts without which the process cannot do its work. */
  readonly needs: readonly PartName[];
  /** Whether all parts are probed: then the answer is 503 if any part does not work. */
  readonly isDeep: boolean;
}

export interface Readiness {
  readonly status: 200 | 503;
  readonly body: {
    readonly status: 'ready' | 'unavailable';
    /** One sentence for each necessary part that does not work. */
    readonly error?: string;
    /** The parts that do not work; with `deep` all known parts. */
    readonly parts?: readonly { readonly name: PartName; readonly ready: boolean; readonly message?: string }[];
  };
}

export function decideReadiness({ parts, needs, isDeep }: ReadinessFacts): Readiness {
  const unwell = parts.filter(({ well }) => !well);
  const missed = isDeep ? unwell : unwell.filter(({ name }) => needs.includes(name));
  const shownParts = (isDeep ? parts : unwell).map(({ name, well, sentence }) => ({
    name,
    ready: well,
    ...(sentence !== null && { message: sentence }),
  }));
  const listed = shownParts.length === 0 ? {} : { parts: shownParts };
  if (missed.length === 0) return { status: 200, body: { status: 'ready', ...listed } };
  const error = missed.map(({ sentence }) => sentence).join(' ');
  return { status: 503, body: { status: 'unavailable', error, ...listed } };
}
