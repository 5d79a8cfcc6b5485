// Puts texts that other people wrote into our Markdown pages, and makes the parts of such a page.

/** Puts a text into one line and escapes it, so that it cannot become markup of the page. */
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

/** The lines of a section with its title. Empty if the section has no lines. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `**${title}**`, '', ...lines];
}

/** The end of a log, in a code fence. `pieces` are the pieces of the log, in order. Empty if the log is empty. */
export function logTail(pieces: readonly string[]): string[] {
  const text = pieces.join('').slice(-shownCharacters).toWellFormed().replaceAll(fence, "'").trim();
  return text === '' ? [] : [`${fence}text`, ...text.split('\n').slice(-shownLines), fence];
}

/** How many characters of the end of a log are shown, and how many of its last pieces are read for that. */
export const shownCharacters = 1_500;
export const shownPieces = 4;
const longestLine = 300;
const shownLines = 20;
const fence = '```';
