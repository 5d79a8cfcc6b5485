// Applies a unified diff to files in memory. The context lines of each change must match the file.
import { applyPatch, parsePatch, type StructuredPatch } from 'diff';
import { pathFault } from '../../../domain/runbooks/path.ts';
import { ToolFailed, ToolRefused } from './refusal.ts';
import { showPath } from './worktree.ts';

export interface PatchedFile {
  readonly path: string;
  /** Null: the patch deletes the file. */
  readonly content: string | null;
  readonly isExecutable: boolean | undefined;
}

/**
 * `read` returns a file's text, or null if the file does not exist. Throws ToolRefused if the text is no unified diff,
 * and ToolFailed if the diff does not fit the files.
 */
export function patchFiles(patch: string, read: (path: string) => string | null): readonly PatchedFile[] {
  const parts = parsed(patch);
  // Later parts of the patch see the changes of earlier parts.
  const files = new Map<string, PatchedFile>();
  const now = (path: string): string | null => {
    const file = files.get(path);
    return file === undefined ? read(path) : file.content;
  };
  for (const part of parts) for (const file of applied(part, now)) files.set(file.path, file);
  return [...files.values()];
}

/** Why a text is no unified diff, or null. */
export function patchFault(patch: string): string | null {
  try {
    parsed(patch);
    return null;
  } catch (error) {
    if (error instanceof ToolRefused) return error.message;
    throw error;
  }
}

function parsed(patch: string): readonly StructuredPatch[] {
  let parts: StructuredPatch[];
  try {
    parts = parsePatch(patch);
  } catch (error) {
    throw new ToolRefused(`That is no unified diff: ${(error as Error).message.slice(0, 300)}`);
  }
  const real = parts.filter((part) => part.hunks.length > 0 || part.isGit === true);
  if (real.length === 0)
    throw new ToolRefused('That is no unified diff: it has no lines ---, +++ and @@, as `git diff` writes them.');
  return real;
}

function applied(part: StructuredPatch, now: (path: string) => string | null): readonly PatchedFile[] {
  if (part.isBinary === true) throw new ToolRefused('A binary file cannot be patched: write it by a command.');
  if ([part.oldMode, part.newMode].some((mode) => mode === '120000' || mode === '160000'))
    throw new ToolRefused('A patch makes plain files: no links, and no repositories in the repository.');
  const from = isNothing(part.oldFileName) || part.isCreate === true ? null : pathOf(part, part.oldFileName);
  const to = isNothing(part.newFileName) || part.isDelete === true ? null : pathOf(part, part.newFileName);
  const named = to ?? from;
  if (named === null) throw new ToolRefused('A part of the patch names no file.');
  const isExecutable = part.newMode === undefined ? undefined : part.newMode === '100755';
  if (from === null && now(named) !== null) throw new ToolFailed(`There is something at ${showPath(named)} already.`);
  const before = from === null ? '' : now(from);
  if (before === null) throw new ToolFailed(`There is no ${showPath(from ?? '')}.`);
  if (from !== null && to !== null && to !== from && now(to) !== null)
    throw new ToolFailed(`There is something at ${showPath(to)} already.`);
  const after = part.hunks.length === 0 ? before : applyPatch(before, part, { autoConvertLineEndings: false });
  if (after === false)
    throw new ToolFailed(
      `The patch does not fit ${showPath(named)}: read the file, and give the lines around each change unchanged.`,
    );
  if (to === null) {
    if (after !== '') throw new ToolFailed(`The patch deletes ${showPath(named)}, but not all of its lines.`);
    return [{ path: named, content: null, isExecutable }];
  }
  const isMoved = from !== null && from !== to && part.isCopy !== true;
  return [
    ...(isMoved ? [{ path: from, content: null, isExecutable: undefined }] : []),
    { path: to, content: after, isExecutable },
  ];
}

function isNothing(name: string | undefined): boolean {
  return name === undefined || name === '/dev/null';
}

/** Removes the prefixes `a/` and `b/` that git writes, if both names have them. */
function pathOf({ oldFileName, newFileName }: StructuredPatch, name: string | undefined): string {
  const old = oldFileName ?? '';
  const fresh = newFileName ?? '';
  const isPrefixed =
    (old.startsWith('a/') || isNothing(oldFileName)) && (fresh.startsWith('b/') || isNothing(newFileName));
  const path = isPrefixed && !isNothing(name) ? (name ?? '').slice(2) : (name ?? '');
  const fault = pathFault(path);
  if (fault !== null) throw new ToolRefused(`${showPath(path)} ${fault}.`);
  return path;
}
