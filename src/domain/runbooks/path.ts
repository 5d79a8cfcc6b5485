// Paths that an agent names or that its commits contain: relative, plain, and never git's own folder under any spelling
// that some file system treats as `.git`.

const longestPath = 1_000;
const longestName = 255;

/** Why a path is refused, and which paths are allowed. Null: the path is allowed. `.` is not the path of a file. */
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

/** The folders and the name of a valid path. */
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

// Characters that HFS+ ignores. NTFS ignores final dots and spaces and everything after a colon, and knows `.git` as
// git~1.
const ignoredByHfs = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g;

/** Whether a name is `.git` on some file system. */
export function isGitFolder(name: string): boolean {
  const plain = plainName(name);
  return plain === '.git' || plain === 'git~1';
}

/** A name reduced to what all file systems distinguish: lower case, without characters that some of them ignore. */
export function plainName(name: string): string {
  return name
    .replace(ignoredByHfs, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '');
}
