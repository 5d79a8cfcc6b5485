import { DomainError } from '../../domain/errors.ts';

const longestText = 200;
const mostWords = 10;

/** Throws BAD_INPUT. */
export function wordsOf(text: string): readonly string[] {
  if (text.length > longestText)
    throw new DomainError('BAD_INPUT', `text must have at most ${longestText} characters`, 'text');
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) throw new DomainError('BAD_INPUT', 'text must have a word', 'text');
  if (words.length > mostWords) throw new DomainError('BAD_INPUT', `text must have at most ${mostWords} words`, 'text');
  return words;
}

/** The number that the text is, as in `12` and `#12`. Null: it is none. */
export function numberOf(text: string): number | null {
  const [, digits] = /^\s*#?(\d{1,9})\s*$/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** Patterns of `ilike`: each word, anywhere. */
export function patternsOf(words: readonly string[]): readonly string[] {
  return words.map((word) => `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
}
