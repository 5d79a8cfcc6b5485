import { DomainError } from '../../domain/errors.ts';

const longestText = 200;
const maxWords = 10;

/** The words of a search text. Throws BAD_INPUT if the text is empty, too long or has too many words. */
export function wordsOf(text: string): readonly string[] {
  if (text.length > longestText)
    throw new DomainError('BAD_INPUT', `text must have at most ${longestText} characters`, 'text');
  const words = text.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) throw new DomainError('BAD_INPUT', 'text must have a word', 'text');
  if (words.length > maxWords) throw new DomainError('BAD_INPUT', `text must have at most ${maxWords} words`, 'text');
  return words;
}

/** The number in a text such as `12` or `#12`. Null: the text is no number. */
export function numberOf(text: string): number | null {
  const [, digits] = /^\s*#?(\d{1,9})\s*$/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** Patterns of `ilike`, each of which finds one word anywhere in a text. */
export function patternsOf(words: readonly string[]): readonly string[] {
  return words.map((word) => `%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
}
