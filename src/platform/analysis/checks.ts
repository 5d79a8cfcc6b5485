// Checks that need no model, so that the same head always has the same findings. If a file already has a fault at the
// base, all faults of the file at the head are notes and no failures, because the change may not have caused them.
import { setImmediate } from 'node:timers/promises';
import { TaskFailed, threadScript, ThreadPerTask, ThreadTimeout } from '../threads.ts';
import type { AnalysisRequest, Finding } from './port.ts';
import { languageOf, type Fault } from './syntax.ts';
import type { SyntaxTask } from './syntax.thread.ts';

export interface FileCheckReport {
  readonly findings: readonly Finding[];
  readonly fileCount: number;
  /** Sentences about files and findings that were left out. */
  readonly leftOut: readonly string[];
}

const maxFiles = 1_000;
const maxBytes = 512 * 1024;
const maxFindings = 200;
const maxCharacters = 500;

/** `fileMs`: a file that takes longer to check is not checked. */
export async function checkFiles(request: AnalysisRequest, fileMs = 5_000): Promise<FileCheckReport> {
  const files = request.changes.filter(({ mode }) => mode === '100644' || mode === '100755');
  const findings: Finding[] = [];
  const large: string[] = [];
  const slow: string[] = [];
  const failed: string[] = [];
  for (const { path } of files.slice(0, maxFiles)) {
    request.signal.throwIfAborted();
    const text = await request.read({ commit: request.head, path, maxBytes });
    if (text === null) large.push(path);
    else if (!text.includes('\0')) {
      const found = await findingsIn(request, { path, text, fileMs });
      if (found === 'late') slow.push(path);
      else if (found === 'failed') failed.push(path);
      else findings.push(...found);
    }
    // Searching for markers blocks this thread, so other work gets its turn between two files.
    await setImmediate();
  }
  return {
    findings: findings.slice(0, maxFindings),
    fileCount: Math.min(files.length, maxFiles) - large.length - slow.length - failed.length,
    leftOut: [
      ...(large.length === 0 ? [] : [`Larger than ${maxBytes / 1024} KiB, and not checked: ${named(large)}.`]),
      ...(slow.length === 0 ? [] : [`Not checked within ${fileMs / 1000} s: ${named(slow)}.`]),
      ...(failed.length === 0 ? [] : [`Not checked, because the parser failed: ${named(failed)}.`]),
      ...(files.length > maxFiles ? [`${files.length - maxFiles} more files were not checked.`] : []),
      ...(findings.length > maxFindings ? [`${findings.length - maxFindings} more findings are left out.`] : []),
    ],
  };
}

/** Why the syntax of a file is not known: its parser took too long, or failed. */
type Unchecked = 'late' | 'failed';

async function findingsIn(
  request: AnalysisRequest,
  { path, text, fileMs }: { readonly path: string; readonly text: string; readonly fileMs: number },
): Promise<readonly Finding[] | Unchecked> {
  const isSkill = path === request.skill?.path;
  const faults = await faultsOf({ path, text, isSkill }, fileMs);
  if (typeof faults === 'string') return faults;
  if (faults.length === 0) return [];
  const before = await request.read({ commit: request.base, path, maxBytes });
  const faultsBefore = before === null ? [] : await faultsOf({ path, text: before, isSkill }, fileMs);
  const wasSo = typeof faultsBefore === 'string' || faultsBefore.length > 0;
  return faults.map(({ line, message }) => ({
    path,
    line,
    message: `${message.slice(0, maxCharacters)}${wasSo ? ' (The file already had a fault before the change.)' : ''}`,
    weight: wasSo ? 'note' : 'failure',
  }));
}

const syntaxThreads = new ThreadPerTask(threadScript(import.meta.url, 'syntax.thread'));

/**
 * A file with conflict markers is not checked for syntax, because the markers break the syntax of almost every
 * language.
 */
async function faultsOf(task: SyntaxTask, fileMs: number): Promise<readonly Fault[] | Unchecked> {
  const markers = findConflictMarkers(task.text);
  if (markers.length > 0) return markers;
  if (!task.isSkill && languageOf(task.path) === null) return [];
  try {
    return await syntaxThreads.ask<readonly Fault[]>(task, fileMs);
  } catch (error) {
    if (error instanceof ThreadTimeout) return 'late';
    if (error instanceof TaskFailed) return 'failed';
    throw error;
  }
}

const maxNamed = 5;

function named(paths: readonly string[]): string {
  const more = paths.length - maxNamed;
  return `${paths.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const conflictMarks = [/^<{7}(?: |$)/, /^={7}$/, /^>{7}(?: |$)/];

/**
 * Finds places where git left both sides of a conflict. All three markers must be there in this order, because a line of
 * seven `=` alone may underline a heading.
 */
function findConflictMarkers(text: string): readonly Fault[] {
  const faults: Fault[] = [];
  let seen = 0;
  let beganAt = 0;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (conflictMarks[0]?.test(line) === true) {
      seen = 1;
      beganAt = index + 1;
    } else if (seen > 0 && conflictMarks[seen]?.test(line) === true) seen += 1;
    if (seen < conflictMarks.length) continue;
    faults.push({ line: beganAt, message: 'The file contains the markers of a merge conflict.' });
    seen = 0;
  }
  return faults;
}
