// The bare repositories. The name of a folder is the id of the repository, so that a rename moves no folder.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../model/types.ts';
import { type GitInput, type GitOutput, runGit } from './run.ts';

export const zeroId = '0'.repeat(40);

export interface RefChange {
  readonly ref: string;
  /** The old value. Null: the ref is created. */
  readonly from: string | null;
  readonly to: string | null;
}

export interface CommitFacts {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
  readonly isSigned: boolean;
}

export interface Signature {
  readonly name: string;
  readonly email: string;
  readonly date: string;
}

export interface GitStore {
  directoryOf(repository: Repository): string;
  create(repository: Repository): Promise<void>;
  /** Creates a fork with a copy of the parent's branches and tags. */
  fork(repository: Repository, parent: Repository): Promise<void>;
  run(repository: Repository, args: readonly string[], input?: GitInput): Promise<GitOutput>;
  /** Runs git, and returns the trimmed standard output. */
  text(repository: Repository, args: readonly string[], input?: GitInput): Promise<string>;
  /**
   * Runs a command whose arguments name objects only by their ids, and returns the standard output. The output is
   * cached, because it never changes. Empty: the command failed or printed nothing.
   */
  textOfObjects(repository: Repository, args: readonly string[]): Promise<string>;
  /** Returns the commit of a branch, a tag, a full ref or an id. Null: there is no such commit. */
  resolve(repository: Repository, revision: string): Promise<string | null>;
  readCommit(repository: Repository, sha: string): Promise<CommitFacts | null>;
  isAncestor(repository: Repository, ancestor: string, descendant: string): Promise<boolean>;
  /** Returns the refs below a prefix: the ids of their objects by the names of the refs. */
  listRefs(repository: Repository, prefix: string): Promise<Map<string, string>>;
  /** Moves refs in one transaction. Throws GitError if a ref does not have its expected old value. */
  updateRefs(repository: Repository, changes: readonly RefChange[]): Promise<void>;
  /** Runs `work` after all earlier work on the repository, so that no two changes of its refs overlap. */
  runAlone<T>(repository: Repository, work: () => Promise<T>): Promise<T>;
}

const configuration = `[core]
	logAllRefUpdates = false
[gc]
	auto = 0
[receive]
	autogc = false
	advertiseAtomic = true
	hideRefs = refs/pull
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
`;

export function createGitStore(folder: string): GitStore {
  const turns = new Map<number, Promise<unknown>>();
  const recall = createKeptAnswers();
  const store: GitStore = {
    directoryOf: (repository) => join(folder, `${repository.id}.git`),
    create: async (repository) => {
      const directory = store.directoryOf(repository);
      mkdirSync(directory, { recursive: true });
      if (existsSync(join(directory, 'HEAD'))) return;
      await runGit(directory, ['init', '--quiet', '--bare', `--initial-branch=${repository.defaultBranch}`, '.']);
      appendFileSync(join(directory, 'config'), configuration);
    },
    fork: async (repository, parent) => {
      await store.create(repository);
      const refs = '+refs/heads/*:refs/heads/*';
      await store.run(repository, ['fetch', '--quiet', store.directoryOf(parent), refs, '+refs/tags/*:refs/tags/*']);
    },
    run: async (repository, args, input) => await runGit(store.directoryOf(repository), args, input),
    text: async (repository, args, input) => (await store.run(repository, args, input)).stdout.toString('utf8').trim(),
    textOfObjects: async (repository, args) =>
      (await recall(`${repository.id} ${args.join(' ')}`, async () => {
        const { exitCode, stdout } = await store.run(repository, args, { accept: [0, 1, 128] });
        return exitCode === 0 ? stdout.toString('utf8').trimEnd() : null;
      })) ?? '',
    resolve: async (repository, revision) => {
      // The commit of an id never changes, even if the id is that of a tag.
      if (isObjectId(revision)) return (await store.textOfObjects(repository, askFor(revision))) || null;
      for (const name of revision.startsWith('refs/') ? [revision] : namesOf(revision)) {
        const branch = readLooseBranch(store.directoryOf(repository), name);
        if (branch !== null) return branch;
        const { exitCode, stdout } = await store.run(repository, askFor(name), { accept: [0, 1, 128] });
        if (exitCode === 0) return stdout.toString('utf8').trim();
      }
      return null;
    },
    readCommit: async (repository, sha) => {
      if (!isObjectId(sha)) return null;
      return await recall(`${repository.id} commit ${sha}`, async () => {
        const read = await store.run(repository, ['cat-file', 'commit', sha], { accept: [0, 128] });
        return read.exitCode === 0 ? parseCommit(sha, read.stdout.toString('utf8')) : null;
      });
    },
    isAncestor: async (repository, ancestor, descendant) => {
      const is = await recall(`${repository.id} ancestor ${ancestor} ${descendant}`, async () => {
        const args = ['merge-base', '--is-ancestor', ancestor, descendant];
        const { exitCode } = await store.run(repository, args, { accept: [0, 1, 128] });
        return exitCode === 128 ? null : exitCode === 0;
      });
      return is ?? false;
    },
    listRefs: async (repository, prefix) => {
      const lines = await store.text(repository, ['for-each-ref', '--format=%(objectname) %(refname)', prefix]);
      const pairs = lines.split('\n').filter(Boolean);
      return new Map(pairs.map((line) => [line.slice(41), line.slice(0, 40)]));
    },
    updateRefs: async (repository, changes) => {
      const lines = changes.map(({ ref, from, to }) => `update ${ref} ${to ?? zeroId} ${from ?? zeroId}\n`);
      await store.run(repository, ['update-ref', '--stdin'], { stdin: lines.join('') });
    },
    runAlone: async (repository, work) => {
      const before = turns.get(repository.id) ?? Promise.resolve();
      const mine = before.then(work, work);
      turns.set(
        repository.id,
        mine.catch(() => {}),
      );
      return await mine;
    },
  };
  return store;
}

/** Reads the commit of a branch from its file, without starting git. Null: the ref is not in a file of its own. */
function readLooseBranch(directory: string, name: string): string | null {
  if (!name.startsWith('refs/heads/') || name.includes('..')) return null;
  try {
    const text = readFileSync(join(directory, name), 'utf8').trim();
    return /^[0-9a-f]{40}$/.test(text) ? text : null;
  } catch {
    return null;
  }
}

function isObjectId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

function askFor(name: string): string[] {
  return ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
}

function namesOf(revision: string): string[] {
  return [`refs/heads/${revision}`, `refs/tags/${revision}`, `refs/${revision}`];
}

export function parseCommit(sha: string, text: string): CommitFacts {
  const [head = '', message = ''] = text.split(/\n\n(.*)/s);
  const valueOf = (name: string): string => new RegExp(`^${name} (.*)$`, 'm').exec(head)?.[1] ?? '';
  return {
    sha,
    tree: valueOf('tree'),
    parents: [...head.matchAll(/^parent ([0-9a-f]{40})$/gm)].map((match) => match[1] ?? ''),
    author: parseSignature(valueOf('author')),
    committer: parseSignature(valueOf('committer')),
    message: message.replace(/\n$/, ''),
    isSigned: /^gpgsig/m.test(head),
  };
}

function parseSignature(line: string): Signature {
  const [, name = '', email = '', seconds = '0'] = /^(.*?) ?<(.*)> (\d+) [+-]\d{4}$/.exec(line) ?? [];
  return { name, email, date: new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/, 'Z') };
}

const maxKept = 5_000;

/**
 * Returns the cached result of `key`, or calls `ask`. A null is not cached, because it may change. An example is an
 * object that does not exist yet.
 */
type Recall = <Answer>(key: string, ask: () => Promise<Answer | null>) => Promise<Answer | null>;

/**
 * Caches results of git about objects, which never change. Without this cache the emulator would spend most of its time
 * starting git, because all webhooks about a commit need the same results.
 */
function createKeptAnswers(): Recall {
  const answers = new Map<string, Promise<unknown>>();
  return async <Answer>(key: string, ask: () => Promise<Answer | null>) => {
    const known = answers.get(key) as Promise<Answer | null> | undefined;
    if (known !== undefined) return await known;
    const asked = ask();
    answers.set(key, asked);
    for (const oldest of answers.keys()) {
      if (answers.size <= maxKept) break;
      answers.delete(oldest);
    }
    const answer = await asked.catch((error: unknown) => {
      answers.delete(key);
      throw error;
    });
    if (answer === null) answers.delete(key);
    return answer;
  };
}
