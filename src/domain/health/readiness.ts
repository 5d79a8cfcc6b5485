// What /readyz answers: whether a process can do its work, and which part keeps it from that.
import type { Part, PartName } from './parts.ts';

export interface ReadinessFacts {
  readonly parts: readonly Part[];
  /** Parts without which the process cannot do its work. */
  readonly needs: readonly PartName[];
  /** All parts are asked about: any that is not well is an answer of 503. */
  readonly isDeep: boolean;
}

export interface Readiness {
  readonly status: 200 | 503;
  readonly body: {
    readonly status: 'ready' | 'unavailable';
    /** One sentence for each part that is missed. */
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
