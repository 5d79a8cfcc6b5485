// Makes commits of users directly in a bare repository, without the service. Each commit takes one process of git.
import type { Git } from '../../src/hosts/git/index.ts';

export interface UserCommit {
  readonly branch: string;
  /** The first parent: a commit or a ref. Null: the commit has no parent. */
  readonly parent: string | null;
  /** The text of each path. Null: the file is removed. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly message: string;
  /** `Name <address>`. Default: Ada. */
  readonly author?: string | undefined;
}

const ada = 'Ada <ada@example.test>';

/** Moves the branch by force, and returns the new commit. */
export async function commitAsUser(git: Git, directory: string, commit: UserCommit): Promise<string> {
  const at = `${Math.floor(Date.now() / 1000)} +0000`;
  const text = (content: string): string => `data ${Buffer.byteLength(content)}\n${content}\n`;
  const stream = [
    `commit refs/heads/${commit.branch}\n`,
    'mark :1\n',
    `author ${commit.author ?? ada} ${at}\n`,
    `committer ${ada} ${at}\n`,
    text(`${commit.message}\n`),
    ...(commit.parent === null ? [] : [`from ${commit.parent}^0\n`]),
    ...Object.entries(commit.files).map(([path, content]) =>
      content === null ? `D ${path}\n` : `M 100644 inline ${path}\n${text(content)}`,
    ),
    'get-mark :1\n',
    'done\n',
  ].join('');
  const flags = ['-c', 'fastimport.unpackLimit=0', '-c', 'core.fsync=none'];
  return await git.text(directory, [...flags, 'fast-import', '--quiet', '--force', '--done'], { stdin: stream });
}
