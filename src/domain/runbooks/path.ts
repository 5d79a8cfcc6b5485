// Paths that an agent names, and that its commits contain: relative, plain, and never git's own folder under any of the
// spellings that some file system takes for it.

const longestPath = 1_000;
const longestName = 255;

/** Why a path is not taken, with what is; null: it is. `.` is not a path of a file. */
export function pathFault(path: string): string | null {
  if (path === '') return 'is empty: name a file by its path in the repository, such as src/index.ts';
  if (path.length > longestPath) return `has more than ${longestPath} characters`;
  if (!path.isWellFormed() || path.includes('\uFFFD')) return 'is no valid Unicode';
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(path)) return 'has a control character';
  if (path.startsWith('/') || path.startsWith('~') || /^[a-z]:/i.test(path))
    return 'must be relative to the root of the repository, such as src/index.ts';
  if (path.includes('\\')) return 'has a backslash: folders are separated by /';
  return (
    path
      .split('/')
      .map(nameFault)
      .find((fault) => fault !== null) ?? null
  );
}

/** The folders and the name of a path without fault. */
export function segmentsOf(path: string): readonly string[] {
  return path.split('/');
}

function nameFault(name: string): string | null {
  if (name === '') return 'has an empty part: write it without // and without a slash at its end';
  if (name === '.' || name === '..') return `must not have a part "${name}"`;
  if (Buffer.byteLength(name) > longestName) return `has a part of more than ${longestName} bytes`;
  if (isGitFolder(name)) return 'names git’s own folder, which is never read nor written';
  return null;
}

// Characters HFS+ ignores; NTFS ignores dots and spaces at the end and what follows a colon, and knows it as git~1.
const ignoredByHfs = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g;

/** `.git`, as any file system spells it. */
export function isGitFolder(name: string): boolean {
  const plain = plainName(name);
  return plain === '.git' || plain === 'git~1';
}

/** A name as the file system that takes most for the same: in small letters, without what some of them ignore. */
export function plainName(name: string): string {
  return name
    .replace(ignoredByHfs, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
}
