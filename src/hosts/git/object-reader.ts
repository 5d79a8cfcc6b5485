// Reads objects by their ids from the repository's long-running `git cat-file`. The process also finds objects and
// packs that were added after its start.
import { HostRefused } from '../port.ts';
import type { Question } from './git-process.ts';
import type { Git } from './git.ts';
import { GitFailed } from './git-failed.ts';
import { requireObjectId } from './names.ts';

export interface ObjectHeader {
  readonly id: string;
  readonly type: 'commit' | 'tree' | 'blob' | 'tag';
  readonly size: number;
}

export interface GitObject extends ObjectHeader {
  readonly body: Buffer;
}

/** The suffix by which git dereferences an id: none, to the commit of a tag, or to the tree of a commit. */
export type Peeled = '' | '^{commit}' | '^{tree}';

const largestAnswer = 64 * 1024 * 1024;

/**
 * Reads objects, in the order of `ids`. Null for an object that is missing, or that cannot be dereferenced to the
 * requested type. Throws HostRefused if the objects have more than 64 MiB together: a retry would not help.
 */
export async function readObjects(
  git: Git,
  directory: string,
  { ids, peeled }: { readonly ids: readonly string[]; readonly peeled: Peeled },
): Promise<(GitObject | null)[]> {
  const names = ids.map((id) => `${requireObjectId(id)}${peeled}`);
  return names.length === 0 ? [] : await askWithOneRetry(git, directory, () => contentsOf(names));
}

/** Reads only the size and the type of an object. Null: the object is missing. */
export async function readObjectHeader(git: Git, directory: string, id: string): Promise<ObjectHeader | null> {
  const text = `info ${requireObjectId(id)}\nflush\n`;
  return await askWithOneRetry<ObjectHeader | null>(git, directory, () => ({
    text,
    read: (output) => {
      const line = lineAt(output, 0);
      return line === null ? { bytesNeeded: output.length + 1 } : { answer: parseHeader(line.text), end: line.end };
    },
  }));
}

// A read changes nothing, so it is tried once more if git dies during the read.
async function askWithOneRetry<Answer>(git: Git, directory: string, question: () => Question<Answer>): Promise<Answer> {
  try {
    return await git.processes.ask(directory, 'cat-file', question());
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    return await git.processes.ask(directory, 'cat-file', question());
  }
}

function contentsOf(names: readonly string[]): Question<(GitObject | null)[]> {
  const answer: (GitObject | null)[] = [];
  let at = 0;
  const read: Question<(GitObject | null)[]>['read'] = (output) => {
    while (answer.length < names.length) {
      const line = lineAt(output, at);
      if (line === null) return { bytesNeeded: output.length + 1 };
      const header = parseHeader(line.text);
      const end = line.end + (header === null ? 0 : header.size + 1);
      if (end > largestAnswer)
        throw new HostRefused(`${names[answer.length]} and the objects before it are too large to be read`);
      if (output.length < end) return { bytesNeeded: end };
      answer.push(header && { ...header, body: Buffer.from(output.subarray(line.end, end - 1)) });
      at = end;
    }
    return { answer, end: at };
  };
  return { text: `${names.map((name) => `contents ${name}\n`).join('')}flush\n`, read };
}

function lineAt(output: Buffer, at: number): { readonly text: string; readonly end: number } | null {
  const end = output.indexOf(10, at);
  return end === -1 ? null : { text: output.toString('latin1', at, end), end: end + 1 };
}

/** Parses `<id> <type> <size>`. Null for `<name> missing`. */
function parseHeader(line: string): ObjectHeader | null {
  const [, id, type, size] = /^([0-9a-f]{40}) (commit|tree|blob|tag) (\d+)$/.exec(line) ?? [];
  return id === undefined ? null : { id, type: type as ObjectHeader['type'], size: Number(size) };
}
