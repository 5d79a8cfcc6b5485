// The git repository as people and the rules see it, without the service. People's commits are written as files of
// objects, because a process of git for each commit takes longer than the work of the service that follows. Objects are
// read by one long-running git.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { constants, deflateSync } from 'node:zlib';
import { createGit, listRefs, readObjects, readRefValue } from '../../src/hosts/git/index.ts';

export interface SimulatedRepository {
  /** Runs git, and returns its output. */
  run(...args: string[]): Promise<string>;
  /** The refs under a folder such as `refs/heads/`, with their commits. */
  refs(folder: string): ReturnType<typeof listRefs>;
  hasBranch(branch: string): Promise<boolean>;
  /** The commit of a base branch. Empty: there is no such branch. Left out: `main`. */
  tip(base?: string): Promise<string>;
  readCommit(commit: string): Promise<Commit>;
  /** The names of the files and folders at the root of a commit. */
  filesOf(commit: string): Promise<ReadonlySet<string>>;
  /** The commits from `tip` along the first parents, the newest first. */
  firstParents(tip: string): Promise<readonly string[]>;
  /** A person pushes an existing commit to `branch`. */
  writeRef(branch: string, commit: string): void;
  /** A person commits on top of a branch, and pushes to `branch`. Returns the commit. */
  commit(commit: PersonsCommit): Promise<string>;
  close(): Promise<void>;
}

interface Commit {
  readonly tree: string;
  readonly parents: readonly string[];
}

export interface PersonsCommit {
  readonly branch: string;
  /** The branch of the parent. */
  readonly onto: string;
  /** The text of each file at the root. Null: the file is removed. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly message: string;
}

interface Entry {
  readonly mode: string;
  readonly id: string;
}

const ada = 'Ada <ada@example.test>';

export function openRepository(gitDir: string, configFile: string): SimulatedRepository {
  const git = createGit(configFile);
  const commits = new Map<string, Commit>();
  const trees = new Map<string, ReadonlyMap<string, Entry>>();

  async function readBody(id: string): Promise<Buffer> {
    const [object] = await readObjects(git, gitDir, { ids: [id], peeled: '' });
    if (!object) throw new Error(`The repository has no object ${id}.`);
    return object.body;
  }

  async function readCommit(id: string): Promise<Commit> {
    const known = commits.get(id);
    if (known !== undefined) return known;
    const [headers = ''] = (await readBody(id)).toString('utf8').split('\n\n', 1);
    const valuesOf = (name: string): string[] =>
      headers.split('\n').flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));
    const commit = { tree: valuesOf('tree')[0] ?? '', parents: valuesOf('parent') };
    commits.set(id, commit);
    return commit;
  }

  async function readTree(id: string): Promise<ReadonlyMap<string, Entry>> {
    const tree = trees.get(id) ?? parseTree(await readBody(id));
    trees.set(id, tree);
    return tree;
  }

  function writeObject(type: 'blob' | 'tree' | 'commit', body: Buffer): string {
    const object = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
    const id = createHash('sha1').update(object).digest('hex');
    const path = join(gitDir, 'objects', id.slice(0, 2), id.slice(2));
    if (existsSync(path)) return id;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, deflateSync(object, { level: constants.Z_BEST_SPEED }), { mode: 0o444 });
    return id;
  }

  function writeRef(branch: string, commit: string): void {
    // git replaces the file of a ref in the same way.
    const ref = join(gitDir, 'refs', 'heads', branch);
    writeFileSync(`${ref}.lock`, `${commit}\n`, { flag: 'wx' });
    renameSync(`${ref}.lock`, ref);
  }

  return {
    writeRef,
    run: async (...args) => await git.text(gitDir, args),
    refs: async (folder) => await listRefs(gitDir, folder),
    hasBranch: async (branch) => (await readRefValue(gitDir, `refs/heads/${branch}`)) !== null,
    tip: async (base = 'main') => (await readRefValue(gitDir, `refs/heads/${base}`)) ?? '',
    readCommit,
    filesOf: async (commit) => new Set((await readTree((await readCommit(commit)).tree)).keys()),
    async firstParents(tip) {
      const line: string[] = [];
      for (let at: string | undefined = tip; at !== undefined; [at] = (await readCommit(at)).parents) line.push(at);
      return line;
    },
    async commit({ branch, onto, files, message }) {
      const parent = await readRefValue(gitDir, `refs/heads/${onto}`);
      if (parent === null) throw new Error(`There is no branch ${onto}.`);
      const tree = new Map(await readTree((await readCommit(parent)).tree));
      for (const [name, text] of Object.entries(files))
        if (text === null) tree.delete(name);
        else tree.set(name, { mode: '100644', id: writeObject('blob', Buffer.from(text)) });
      const at = `${Math.floor(Date.now() / 1000)} +0000`;
      const headers = [`tree ${writeObject('tree', formatTree(tree))}`, `parent ${parent}`, `author ${ada} ${at}`];
      const body = `${headers.join('\n')}\ncommitter ${ada} ${at}\n\n${message}\n`;
      const commit = writeObject('commit', Buffer.from(body));
      writeRef(branch, commit);
      return commit;
    },
    close: async () => await git.processes.stop(),
  };
}

/** A tree is a sequence of `<mode> <name>\0<id of 20 bytes>`. */
function parseTree(body: Buffer): ReadonlyMap<string, Entry> {
  const tree = new Map<string, Entry>();
  for (let at = 0; at < body.length; ) {
    const space = body.indexOf(32, at);
    const end = body.indexOf(0, space);
    const id = body.toString('hex', end + 1, end + 21);
    tree.set(body.toString('utf8', space + 1, end), { mode: body.toString('latin1', at, space), id });
    at = end + 21;
  }
  return tree;
}

/** git sorts the entries by their names, and the name of a folder counts as if a slash followed. */
function formatTree(tree: ReadonlyMap<string, Entry>): Buffer {
  const keyOf = ([name, { mode }]: readonly [string, Entry]): Buffer =>
    Buffer.from(mode === '40000' ? `${name}/` : name);
  const entries = [...tree].toSorted((a, b) => Buffer.compare(keyOf(a), keyOf(b)));
  return Buffer.concat(
    entries.flatMap(([name, { mode, id }]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  );
}
/** The lines of an output of git. An empty output has none. */
export function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}
