// Makes commits in a repository as users would, with real git.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CommitInput {
  /** The branch of the commit. The parent is the tip of the branch if there is one, unless `from` is given. */
  readonly branch: string;
  /** The first parent. Null: the commit has no parent. */
  readonly from?: string | null;
  readonly merges?: readonly string[];
  /** The text of each path. Null: the file is removed. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly message?: string;
  readonly author?: string;
}

let second = 1_700_000_000;

export function git(directory: string, ...args: string[]): string {
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ada',
    GIT_AUTHOR_EMAIL: 'ada@example.org',
    GIT_COMMITTER_NAME: 'Ada',
    GIT_COMMITTER_EMAIL: 'ada@example.org',
  };
  return execFileSync('git', args, {
    cwd: directory,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
  }).trim();
}

export function commit(directory: string, input: CommitInput): string {
  return commitAll(directory, [input])[0] ?? '';
}

/**
 * Makes the commits in this order by one process of git, and returns them. A commit follows the one before it on its
 * branch, unless its `from` is given.
 */
export function commitAll(directory: string, inputs: readonly CommitInput[]): string[] {
  const begun = new Set<string>();
  const stream = inputs.map((input, index) => {
    const from = input.from !== undefined || begun.has(input.branch) ? input.from : tip(directory, input.branch);
    begun.add(input.branch);
    return commandsOf({ ...input, from: from ?? null }, index + 1);
  });
  const args = ['fast-import', '--quiet', '--force', '--done'];
  const input = `${stream.join('')}done\n`;
  return execFileSync('git', args, { cwd: directory, input, encoding: 'utf8' }).trim().split('\n');
}

/** The commands of `git fast-import` that make a commit and print its id. */
function commandsOf(input: CommitInput, mark: number): string {
  const { branch, from = null } = input;
  second += 1;
  const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
  return [
    `commit refs/heads/${branch}\n`,
    `mark :${mark}\n`,
    `author ${input.author ?? 'Ada <ada@example.org>'} ${second} +0200\n`,
    `committer Grace <grace@example.org> ${second} +0000\n`,
    data(input.message ?? `Change ${Object.keys(input.files).join(', ')}`),
    ...(from === null ? [] : [`from ${from}\n`]),
    ...(input.merges ?? []).map((merged) => `merge ${merged}\n`),
    ...Object.entries(input.files).map(([path, text]) =>
      text === null ? `D ${path}\n` : `M 100644 inline ${path}\n${data(text)}`,
    ),
    `get-mark :${mark}\n`,
  ].join('');
}

export function tip(directory: string, branch: string): string | null {
  return readRefFile(directory, branch) ?? readRefFile(join(directory, '.git'), branch) ?? askForTip(directory, branch);
}

// Starting git from a process of this size takes longer than git takes.
function readRefFile(folder: string, branch: string): string | null {
  try {
    return /^([0-9a-f]{40})\n$/.exec(readFileSync(join(folder, 'refs', 'heads', branch), 'utf8'))?.[1] ?? null;
  } catch {
    return null;
  }
}

function askForTip(directory: string, branch: string): string | null {
  try {
    return git(directory, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
  } catch {
    return null;
  }
}

/** The files of a commit, with their texts. */
export function filesOf(directory: string, revision: string): Record<string, string> {
  const paths = git(directory, 'ls-tree', '-r', '--name-only', revision)
    .split('\n')
    .filter((path) => path !== '');
  return Object.fromEntries(paths.map((path) => [path, git(directory, 'show', `${revision}:${path}`)]));
}

export function parentsOf(directory: string, revision: string): string[] {
  return git(directory, 'log', '-1', '--format=%P', revision)
    .split(' ')
    .filter((parent) => parent !== '');
}

export function messageOf(directory: string, revision: string): string {
  return git(directory, 'log', '-1', '--format=%B', revision);
}

/** Makes a commit with a hook below `.git` in its tree, which git itself refuses to make. */
export function commitWithHook(directory: string): string {
  const make = (input: string | Buffer, ...args: string[]): string =>
    execFileSync('git', ['-C', directory, ...args], { input })
      .toString()
      .trim();
  const hook = make('#!/bin/sh\necho planted\n', 'hash-object', '-w', '--stdin');
  const hooks = make(`100755 blob ${hook}\tpost-checkout\n`, 'mktree');
  const inner = make(`040000 tree ${hooks}\thooks\n`, 'mktree');
  const entry = Buffer.concat([Buffer.from('40000 .git\0'), Buffer.from(inner, 'hex')]);
  const root = make(entry, 'hash-object', '-t', 'tree', '-w', '--literally', '--stdin');
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  return make('', ...identity, 'commit-tree', '-m', 'A hook', root);
}

/** Writes blobs that no ref holds, each as a file of its own. Returns their ids. */
export function looseBlobs(directory: string, count: number): string[] {
  const blob = (at: number): string =>
    `blob\nmark :${at}\ndata ${String(at).length + 5}\nblob ${at}\nget-mark :${at}\n`;
  const input = `${Array.from({ length: count }, (_, index) => blob(index + 1)).join('')}done\n`;
  const args = ['-c', `fastimport.unpackLimit=${count + 1}`, 'fast-import', '--quiet', '--force', '--done'];
  return execFileSync('git', args, { cwd: directory, input, encoding: 'utf8' }).trim().split('\n');
}
