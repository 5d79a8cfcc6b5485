// Takes a secret out of what a run writes, also where it comes in pieces: what may be the beginning of it waits for the
// rest.

export interface Masked {
  readonly write: (text: string) => void;
  /** What still waited is written: nothing comes after it. */
  end(): void;
}

const shown = '***';
/** A line of its own is as secret as the whole, unless it is so short that it stands everywhere. */
const shortestLine = 6;

/** One, several, or none. */
export type Secret = string | readonly string[] | null;

/** The whole, and its lines: programs print keys of several lines one by one. Longest first. */
function maskedValues(secret: Secret): string[] {
  const all = typeof secret === 'string' ? [secret] : (secret ?? []);
  const lines = all.flatMap((one) => one.split(/\r?\n/)).filter((line) => line.length >= shortestLine);
  return [...new Set([...all, ...lines])].filter((value) => value !== '').sort((a, b) => b.length - a.length);
}

export function createMask(secret: Secret, write: (text: string) => void): Masked {
  const values = maskedValues(secret);
  let waiting = '';
  const put = (text: string): void => {
    if (text !== '') write(text);
  };
  return {
    write(text) {
      const { said, rest } = mask(values, waiting + text);
      waiting = rest;
      put(said);
    },
    end() {
      put(values.reduce((text, value) => text.replaceAll(value, shown), waiting));
      waiting = '';
    },
  };
}

/** Masks the secret in a whole text. */
export function masked(secret: Secret, text: string): string {
  return maskedValues(secret).reduce((rest, value) => rest.replaceAll(value, shown), text);
}

function mask(values: readonly string[], text: string): { readonly said: string; readonly rest: string } {
  if (values.length === 0) return { said: text, rest: '' };
  const beginnings = new Set(values.map((value) => value[0]));
  let said = '';
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (!beginnings.has(text[at])) continue;
    // A longer secret that may still be completed is waited for, although a shorter one is there already.
    const value = values.find((candidate) => text.startsWith(candidate, at) || isBeginning(candidate, text, at));
    if (value === undefined) continue;
    said += text.slice(from, at);
    if (!text.startsWith(value, at)) return { said, rest: text.slice(at) };
    said += shown;
    from = at + value.length;
    at = from - 1;
  }
  return { said: said + text.slice(from), rest: '' };
}

function isBeginning(value: string, text: string, at: number): boolean {
  return text.length - at < value.length && value.startsWith(text.slice(at));
}
