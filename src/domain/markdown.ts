// Texts of others on pages of ours that are Markdown.

/** In a line, as it is: nothing that somebody else wrote becomes a part of the page. */
export function plain(text: string): string {
  return inOneLine(text).replaceAll(/[\\`*_[\]<>#|~$]/g, String.raw`\$&`);
}

export function code(text: string): string {
  return `\`${inOneLine(text).replaceAll('`', "'")}\``;
}

export function inOneLine(text: string): string {
  const one = text.replaceAll(/\s+/g, ' ').trim();
  return one.length <= longestLine ? one : `${one.slice(0, longestLine).toWellFormed()}…`;
}

/** A paragraph of its own under a title; nothing where there are no lines. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `**${title}**`, '', ...lines];
}

/** The end of a log, fenced. Pieces are in order. */
export function lastWords(pieces: readonly string[]): string[] {
  const text = pieces.join('').slice(-shownWords).toWellFormed().replaceAll(fence, "'").trim();
  return text === '' ? [] : [`${fence}text`, ...text.split('\n').slice(-shownLines), fence];
}

/** Characters and pieces of a log that may be shown of its end. */
export const shownWords = 1_500;
export const shownPieces = 4;
const longestLine = 300;
const shownLines = 20;
const fence = '```';
