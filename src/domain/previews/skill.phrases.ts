// Items of a skill file as phrases: their prose with a placeholder for each code span, and the spans.
import type { ListItem, Nodes } from 'mdast';

/** The placeholder for a code span in the prose of a phrase. */
export const span = '□';

export interface Phrase {
  /** Counts from 1. */
  readonly line: number;
  /** The original text on one line. */
  readonly text: string;
  /** Lower case, with single spaces, without the full stop or colon at the end. */
  readonly prose: string;
  readonly spans: readonly string[];
}

export function phraseOf(item: ListItem): Phrase {
  const paragraph = item.children.find((child) => child.type === 'paragraph');
  const line = item.position?.start.line ?? 1;
  if (paragraph === undefined) return { line, text: '', prose: '', spans: [] };
  const spans: string[] = [];
  const prose = collect(paragraph, (code) => {
    spans.push(code);
    return span;
  });
  return {
    line,
    text: collect(paragraph, (code) => `\`${code}\``)
      .replace(/\s+/g, ' ')
      .trim(),
    prose: prose.toLowerCase().replace(/\s+/g, ' ').replace(/[.:]$/, '').trim(),
    spans,
  };
}

export function textOf(node: Nodes): string {
  return collect(node, (code) => code);
}

function collect(node: Nodes, onCode: (code: string) => string): string {
  if (node.type === 'inlineCode') return onCode(node.value);
  if ('children' in node) return node.children.map((child) => collect(child, onCode)).join('');
  return 'value' in node ? node.value : node.type === 'break' ? '\n' : '';
}
