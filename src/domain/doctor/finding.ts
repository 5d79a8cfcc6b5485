// What `npm run doctor` finds: one finding for each probe, with what to do if something is missing.

export interface Finding {
  /** What was probed, in a word or two: `clock`, `permissions`. */
  readonly probe: string;
  /** `warning`: landings work without the probed thing, or its state is not known. `missing`: landings need it. */
  readonly state: 'ok' | 'warning' | 'missing';
  /** One or more whole sentences. */
  readonly message: string;
  /** What to do, in whole sentences, and below them what to copy. Null: nothing. */
  readonly cure: string | null;
}

export type ReportFinding = (finding: Finding) => void;

export function ok(probe: string, message: string): Finding {
  return { probe, state: 'ok', message, cure: null };
}

export function warning(probe: string, message: string, cure: string | null): Finding {
  return { probe, state: 'warning', message, cure };
}

export function missing(probe: string, message: string, cure: string | null): Finding {
  return { probe, state: 'missing', message, cure };
}

/** Names in a sentence: `a`, `a and b`, `a, b and c`. */
export function joinNames(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
