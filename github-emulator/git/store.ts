// The bare repositories, one folder per repository id, so that a rename moves nothing.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Repository } from '../model/types.ts';
import { type GitInput, type GitOutput, runGit } from './run.ts';

export const zeroId = '0'.repeat(40);

export interface RefChange {
  readonly ref: string;
  /** Null: the ref is made or deleted. */
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
  /** Shares the parent's objects, as GitHub's forks do. */
  fork(repository: Repository, parent: Repository): Promise<void>;
  run(repository: Repository, args: readonly string[], input?: GitInput): Promise<GitOutput>;
  /** The trimmed standard output. */
  text(repository: Repository, args: readonly string[], input?: GitInput): Promise<string>;
  /** A branch, a tag, a full ref or an id, as a commit. Null: there is none. */
  resolve(repository: Repository, revision: string): Promise<string | null>;
  readCommit(repository: Repository, sha: string): Promise<CommitFacts | null>;
  isAncestor(repository: Repository, ancestor: string, descendant: string): Promise<boolean>;
  /** Refs below a prefix, by name. */
  listRefs(repository: Repository, prefix: string): Promise<Map<string, string>>;
  /** Moves refs in one transaction that compares the old values. Throws GitError when one is not where it was said to be. */
  updateRefs(repository: Repository, changes: readonly RefChange[]): Promise<void>;
  /** Runs one after another what changes refs of a repository. */
  alone<T>(repository: Repository, work: () => Promise<T>): Promise<T>;
}

const configuration = [
  ['core.logAllRefUpdates', 'false'],
  ['gc.auto', '0'],
  ['receive.autogc', 'false'],
  ['receive.advertiseAtomic', 'true'],
  ['receive.hideRefs', 'refs/pull'],
  ['uploadpack.allowFilter', 'true'],
  ['uploadpack.allowAnySHA1InWant', 'true'],
] as const;

export function createGitStore(folder: string): GitStore {
  const turns = new Map<number, Promise<unknown>>();
  const store: GitStore = {
    directoryOf: (repository) => join(folder, `${repository.id}.git`),
    create: async (repository) => {
      const directory = store.directoryOf(repository);
      mkdirSync(directory, { recursive: true });
      if (existsSync(join(directory, 'HEAD'))) return;
      await runGit(directory, ['init', '--quiet', '--bare', `--initial-branch=${repository.defaultBranch}`, '.']);
      for (const [name, value] of configuration) await runGit(directory, ['config', name, value]);
    },
    fork: async (repository, parent) => {
      await store.create(repository);
      const refs = '+refs/heads/*:refs/heads/*';
      await store.run(repository, ['fetch', '--quiet', store.directoryOf(parent), refs, '+refs/tags/*:refs/tags/*']);
    },
    run: async (repository, args, input) => await runGit(store.directoryOf(repository), args, input),
    text: async (repository, args, input) => (await store.run(repository, args, input)).stdout.toString('utf8').trim(),
    resolve: async (repository, revision) => {
      const names = /^[0-9a-f]{40}$/.test(revision) || revision.startsWith('refs/') ? [revision] : namesOf(revision);
      for (const name of names) {
        const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
        const { exitCode, stdout } = await store.run(repository, args, { accept: [0, 1, 128] });
        if (exitCode === 0) return stdout.toString('utf8').trim();
      }
      return null;
    },
    readCommit: async (repository, sha) => {
      const read = await store.run(repository, ['cat-file', 'commit', sha], { accept: [0, 128] });
      return read.exitCode === 0 ? parseCommit(sha, read.stdout.toString('utf8')) : null;
    },
    isAncestor: async (repository, ancestor, descendant) => {
      const args = ['merge-base', '--is-ancestor', ancestor, descendant];
      return (await store.run(repository, args, { accept: [0, 1, 128] })).exitCode === 0;
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
    alone: async (repository, work) => {
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
