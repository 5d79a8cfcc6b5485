// The tools that read the worktree.
import { setImmediate } from 'node:timers/promises';
import { RE2JS } from 're2js';
import { z } from 'zod';
import { boundedMatcher, regexFault } from '../../../domain/configuration/regex.ts';
import { matchesGlob } from '../../../domain/glob.ts';
import { defineTool, type ToolContext } from './tool-context.ts';
import { ToolFailed, ToolRefused } from './refusal.ts';
import { isBinary, showPath, textOf, type FoundEntry } from './worktree.ts';

const path = z.string().describe('Path from the root of the repository, such as src/index.ts.');
const folder = z.string().default('.').describe('Only below this folder. Default: everywhere.');
const glob = z
  .string()
  .max(500)
  .optional()
  .describe('Only paths that match this pattern, such as *.ts or src/*. `*` matches any characters, / included.');

export const readFile = defineTool({
  name: 'read_file',
  description: 'Reads a text file, or some of its lines. An answer that is too long is cut, and says so.',
  isReading: true,
  args: z.strictObject({
    path,
    from_line: z.int().min(1).default(1).describe('First line to read, counted from 1.'),
    lines: z.int().min(1).optional().describe('How many lines. Default: as many as fit.'),
  }),
  run: ({ worktree, limits }, args) => {
    const text = textOf(worktree.read(args.path, limits.readBytes), args.path);
    const all = text.split('\n');
    const count = text.endsWith('\n') ? all.length - 1 : all.length;
    all.length = count;
    if (args.from_line > Math.max(1, count)) throw new ToolFailed(`${showPath(args.path)} has ${count} lines.`);
    const wanted = all.slice(
      args.from_line - 1,
      args.lines === undefined ? undefined : args.from_line - 1 + args.lines,
    );
    const fitting = fit(wanted, limits.answerLength);
    const last = args.from_line + fitting.length - 1;
    const isWhole = fitting.length === wanted.length && args.from_line === 1 && args.lines === undefined;
    if (isWhole) return text;
    if (fitting.length === 0) return `${wanted[0]?.slice(0, limits.answerLength)}\n[cut: line ${last + 1} is longer]`;
    return `${fitting.join('\n')}\n[lines ${args.from_line} to ${Math.min(last, count)} of ${count}]`;
  },
});

export const listFiles = defineTool({
  name: 'list_files',
  description: 'Lists the files of the repository, or of a folder of it, one path a line. Links end with @.',
  isReading: true,
  args: z.strictObject({ folder, glob }),
  run: async ({ worktree, limits }, args) => {
    const lines: string[] = [];
    let length = 0;
    let more = 0;
    const walked = await visit(worktree.walk(args.folder), limits, (entry) => {
      if (entry.kind === 'folder' || !isWanted(entry, args.glob)) return true;
      const line = `${showPath(entry.path)}${entry.kind === 'link' ? '@' : ''}`;
      length += line.length + 1;
      if (length > limits.answerLength) more += 1;
      else lines.push(line);
      return true;
    });
    if (lines.length === 0) return walked.isWhole ? 'There are no such files.' : walked.note;
    const rest = more === 0 ? '' : `\n[${more} more: name a folder or a glob]`;
    return `${lines.join('\n')}${rest}${walked.isWhole ? '' : `\n${walked.note}`}`;
  },
});

const maxHits = 200;
const longestLine = 300;

export const searchFiles = defineTool({
  name: 'search_files',
  description:
    'Finds lines of text files, in the form path:line: text. Binary files and files that are too large are skipped.',
  isReading: true,
  args: z.strictObject({
    text: z.string().min(1).max(1_000).describe('The text that a line must contain.'),
    regex: z
      .boolean()
      .default(false)
      .describe('`text` is a regular expression in RE2 syntax, which searches only the beginning of a very long line.'),
    ignore_case: z.boolean().default(false),
    folder,
    glob,
  }),
  run: async ({ worktree, limits }, args) => {
    const find = finder(args);
    const hits: string[] = [];
    const walked = await visit(worktree.walk(args.folder), limits, async (entry, pace) => {
      if (entry.kind !== 'file' || !isWanted(entry, args.glob)) return true;
      for (const { line, text } of linesIn(readOrNull(worktree, entry.path, limits.readBytes), find)) {
        if (find.isIn(text)) hits.push(`${showPath(entry.path)}:${line}: ${text.slice(0, longestLine)}`);
        if (hits.length >= maxHits) return false;
        if (await pace.isOver()) return true;
      }
      return true;
    });
    if (hits.length === 0)
      return walked.isWhole ? 'No line contains the text.' : `No line contains the text so far. ${walked.note}`;
    const fitting = fit(hits, limits.answerLength);
    if (hits.length >= maxHits || fitting.length < hits.length)
      return `${fitting.join('\n')}\n[the first ${fitting.length}: ask for less by folder, glob or text]`;
    return `${fitting.join('\n')}${walked.isWhole ? '' : `\n${walked.note}`}`;
  },
});

interface Walked {
  readonly isWhole: boolean;
  readonly note: string;
}

const turnMs = 10;

interface Pace {
  /**
   * Whether the time of the walk is used up. Reading and matching are synchronous, so this yields to other work of this
   * process every 10 ms.
   */
  isOver(): Promise<boolean> | boolean;
}

function startPace(longestMs: number): Pace {
  const startedAt = performance.now();
  let turnAt = startedAt;
  return {
    isOver: () => {
      const now = performance.now();
      if (now - startedAt > longestMs) return true;
      if (now - turnAt < turnMs) return false;
      return setImmediate().then(() => {
        turnAt = performance.now();
        return false;
      });
    },
  };
}

/** Calls `look` with each entry until `look` returns false or a limit is reached. */
async function visit(
  entries: Iterable<FoundEntry>,
  { visited: max, searchMs }: ToolContext['limits'],
  look: (entry: FoundEntry, pace: Pace) => Promise<boolean> | boolean,
): Promise<Walked> {
  const pace = startPace(searchMs);
  let visited = 0;
  for (const entry of entries) {
    visited += 1;
    if (!(await look(entry, pace))) break;
    if (visited >= max || (await pace.isOver()))
      return { isWhole: false, note: `[only the first ${visited} entries were visited: name a folder]` };
  }
  return { isWhole: true, note: '' };
}

function isWanted({ path }: FoundEntry, pattern: string | undefined): boolean {
  return pattern === undefined || matchesGlob(pattern, path);
}

function readOrNull(worktree: ToolContext['worktree'], path: string, maxBytes: number): Buffer | null {
  try {
    return worktree.read(path, maxBytes);
  } catch (error) {
    if (error instanceof ToolFailed || error instanceof ToolRefused) return null;
    throw error;
  }
}

interface Finder {
  /** False: no line of the file can match. This is a cheap test. */
  readonly mayBeIn: (content: Buffer) => boolean;
  readonly isIn: (line: string) => boolean;
}

function finder(args: { text: string; regex: boolean; ignore_case: boolean }): Finder {
  if (args.regex) {
    const fault = regexFault(args.text);
    if (fault !== null) throw new ToolRefused(`text: ${fault}`);
    const pattern = RE2JS.compile(args.text, args.ignore_case ? RE2JS.CASE_INSENSITIVE : 0);
    return { mayBeIn: () => true, isIn: (line) => boundedMatcher(pattern, line).find() };
  }
  if (args.text.includes('\n')) throw new ToolRefused('text: lines are searched, so it has no line break.');
  if (args.ignore_case) {
    const text = args.text.toLowerCase();
    return { mayBeIn: () => true, isIn: (line) => line.toLowerCase().includes(text) };
  }
  const bytes = Buffer.from(args.text);
  return { mayBeIn: (content) => content.includes(bytes), isIn: (line) => line.includes(args.text) };
}

/** The lines of a file, or none if no line can match. */
function* linesIn(content: Buffer | null, find: Finder): Generator<{ readonly line: number; readonly text: string }> {
  if (content === null || isBinary(content) || !find.mayBeIn(content)) return;
  for (const [index, text] of content.toString('utf8').split('\n').entries()) yield { line: index + 1, text };
}

/** The first lines, as many as fit into `length` characters. */
function fit(lines: readonly string[], length: number): readonly string[] {
  let used = 0;
  const end = lines.findIndex((line) => (used += line.length + 1) > length);
  return end < 0 ? lines : lines.slice(0, end);
}
