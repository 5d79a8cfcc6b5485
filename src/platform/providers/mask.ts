// Removes secrets from the output of a run, also if a secret is split between two writes. Text that may be the
// beginning of a secret is held back until the next write.

export interface OutputMask {
  readonly write: (text: string) => void;
  /** Writes the text that was held back. Call it after the last write. */
  end(): void;
}

const shown = '***';
/** Each line of a secret is masked too. Lines shorter than this are not, because they may occur anywhere. */
const shortestLine = 6;

/** One secret, several, or none. */
export type Secret = string | readonly string[] | null;

/**
 * All texts to mask, longest first: the secrets, and their lines, because programs print keys of several lines line by
 * line.
 */
function maskedValues(secret: Secret): string[] {
  const all = typeof secret === 'string' ? [secret] : (secret ?? []);
  const lines = all.flatMap((one) => one.split(/\r?\n/)).filter((line) => line.length >= shortestLine);
  return [...new Set([...all, ...lines])].filter((value) => value !== '').sort((a, b) => b.length - a.length);
}

export function createMask(secret: Secret, write: (text: string) => void): OutputMask {
  const values = maskedValues(secret);
  let waiting = '';
  const put = (text: string): void => {
    if (text !== '') write(text);
  };
  return {
    write(text) {
      const { output, rest } = mask(values, waiting + text);
      waiting = rest;
      put(output);
    },
    end() {
      put(values.reduce((text, value) => text.replaceAll(value, shown), waiting));
      waiting = '';
    },
  };
}

/** Masks secrets in a complete text. */
export function maskSecrets(secret: Secret, text: string): string {
  return maskedValues(secret).reduce((rest, value) => rest.replaceAll(value, shown), text);
}

function mask(values: readonly string[], text: string): { readonly output: string; readonly rest: string } {
  if (values.length === 0) return { output: text, rest: '' };
  const beginnings = new Set(values.map((value) => value[0]));
  let output = '';
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (!beginnings.has(text[at])) continue;
    // Longer secrets come first: if the text may be the beginning of a longer secret, it is held back, although it
    // contains a shorter secret.
    const value = values.find((candidate) => text.startsWith(candidate, at) || isBeginning(candidate, text, at));
    if (value === undefined) continue;
    output += text.slice(from, at);
    if (!text.startsWith(value, at)) return { output, rest: text.slice(at) };
    output += shown;
    from = at + value.length;
    at = from - 1;
  }
  return { output: output + text.slice(from), rest: '' };
}

function isBeginning(value: string, text: string, at: number): boolean {
  return text.length - at < value.length && value.startsWith(text.slice(at));
}
