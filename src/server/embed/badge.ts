// The state of a line as an SVG badge, in the usual form of badges in READMEs.
import type { LineSummary } from '../../domain/queue/explain/line-summary.ts';

const fills = { green: '#0f7043', blue: '#1f55c7', amber: '#8a5703', red: '#b62a24' } as const satisfies Record<
  LineSummary['tone'],
  string
>;
// Widths of letters in Verdana at 11 px, the widest of the fonts below. `textLength` gives the text the same width in
// every font.
const letterWidths = [
  [/[ijl.,:;'|!]/, 3.3],
  [/[ ftr()/-]/, 4.4],
  [/[mwMW@%]/, 10.2],
  [/[A-Z]/, 7.7],
] as const;
const defaultWidth = 6.8;
const padding = 7;

export function badgeOf(branch: string, { tone, short }: LineSummary): string {
  const [label, message] = [escaped(branch), escaped(short)];
  const [left, right] = [widthOf(branch), widthOf(short)];
  const text = (content: string, from: number, width: number): string =>
    `<text x="${from + padding}" y="14" textLength="${width - 2 * padding}" lengthAdjust="spacingAndGlyphs">${content}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${message}"><title>${label}: ${message}</title><rect width="${left + right}" height="20" rx="3" fill="${fills[tone]}"/><path d="M3 0h${left - 3}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#3a424d"/><g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">${text(label, 0, left)}${text(message, left, right)}</g></svg>\n`;
}

function widthOf(content: string): number {
  const letters = content
    .split('')
    .map((letter) => letterWidths.find(([kind]) => kind.test(letter))?.[1] ?? defaultWidth);
  return Math.round(letters.reduce((sum, width) => sum + width, 0)) + 2 * padding;
}

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? letter);
}
