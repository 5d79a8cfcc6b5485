// Reads the pages of the documentation: fenced blocks, headings and links.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectRoot } from '../../src/platform/project-root.ts';

export interface Block {
  readonly language: string;
  readonly text: string;
  /** The line of the opening fence, counted from 1. */
  readonly line: number;
  /** The headings above the block, the outermost first. */
  readonly under: readonly string[];
}

export interface Page {
  /** The path, relative to the project. */
  readonly path: string;
  readonly blocks: readonly Block[];
  /** The anchors of the headings, as GitHub names them. */
  readonly anchors: readonly string[];
  /** The targets of the links, without those to other sites. */
  readonly links: readonly string[];
}

const atRoot = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'bench/README.md'];

export function listPages(): Page[] {
  const below = readdirSync(join(projectRoot, 'docs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map((entry) => relative(projectRoot, join(entry.parentPath, entry.name)));
  return [...atRoot, ...below.sort()].map((path) => readPage(path));
}

export function readPage(path: string): Page {
  return { path, ...parsePage(readFileSync(join(projectRoot, path), 'utf8')) };
}

export function parsePage(markdown: string): Omit<Page, 'path'> {
  const blocks: Block[] = [];
  const headings: string[] = [];
  const prose: string[] = [];
  let above: string[] = [];
  let open: { language: string; line: number; lines: string[]; fence: string } | null = null;
  for (const [index, line] of markdown.split('\n').entries()) {
    if (open !== null) {
      if (line === open.fence) {
        blocks.push({ language: open.language, text: open.lines.join('\n'), line: open.line, under: above });
        open = null;
      } else open.lines.push(line);
      continue;
    }
    // A longer fence may contain shorter ones.
    const fence = /^(`{3,})(\S*)$/.exec(line);
    const heading = /^(#{1,6}) (.+)$/.exec(line);
    if (fence) open = { language: fence[2] ?? '', line: index + 1, lines: [], fence: fence[1] ?? '' };
    else if (heading) {
      above = [...above.slice(0, (heading[1]?.length ?? 1) - 1), heading[2] ?? ''];
      headings.push(heading[2] ?? '');
    }
    prose.push(line);
  }
  if (open !== null) throw new Error(`The fence of line ${open.line} is not closed.`);
  return { blocks, anchors: headings.map(anchorOf), links: localLinks(prose.join('\n')) };
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

function localLinks(prose: string): string[] {
  const withoutCode = prose.replaceAll(/`[^`\n]*`/g, '');
  return [...withoutCode.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((target) => !/^[a-z]+:/.test(target));
}
