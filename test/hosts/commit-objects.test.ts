// Commits are written without git, and equal what git would write.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGit, isAncestor, type Git } from '../../src/hosts/git/index.ts';
import { formatIdentity, writeCommit, type NewCommit } from '../../src/hosts/git/objects.ts';
import { commit, git } from './commits.ts';

let folder: string;
let directory: string;
let other: string;
let plumbing: Git;
let tree: string;
let known: string[];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-commits-'));
  plumbing = createGit(join(folder, 'gitconfig'));
  directory = join(folder, 'shop.git');
  other = join(folder, 'other.git');
  for (const path of [directory, other]) git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', path);
  const base = commit(directory, { branch: 'main', files: { 'a.txt': 'a\n' } });
  tree = git(directory, 'rev-parse', `${base}^{tree}`);
  known = [base];
});
afterAll(async () => {
  await plumbing.processes.stop();
  rmSync(folder, { recursive: true, force: true });
});

const text = fc.string({ unit: 'grapheme', maxLength: 200 });
const person = fc
  .tuple(text, text, fc.integer({ min: 0, max: 4_000_000_000_000 }))
  .map(([name, email, at]) => formatIdentity(name, email, at));

/** Returns the id that `git hash-object` computes from the same headers and the stored message. */
function idByGit(made: NewCommit): string {
  const lines = [`tree ${made.tree}`, ...made.parents.map((parent) => `parent ${parent}`)];
  const message = `${made.message.replaceAll('\0', '').replace(/\s+$/, '')}\n`;
  const input = `${[...lines, `author ${made.author}`, `committer ${made.committer}`].join('\n')}\n\n${message}`;
  const args = ['hash-object', '-t', 'commit', '-w', '--stdin'];
  return execFileSync('git', args, { cwd: other, input, encoding: 'utf8' }).trim();
}

test('a commit has the id that git gives it, and git fsck accepts it', async () => {
  await fc.assert(
    fc.asyncProperty(person, person, text, fc.nat(), async (author, committer, message, seed) => {
      const parents = [...new Set([known[seed % known.length], known[(seed * 7) % known.length]])] as string[];
      const made = { tree, parents, author, committer, message };
      const id = await writeCommit(directory, made);
      expect(id).toBe(idByGit(made));
      known.push(id);
    }),
    { numRuns: 60 },
  );
  for (const [at, id] of known.entries()) git(directory, 'update-ref', `refs/heads/made-${at}`, id);
  expect(git(directory, 'fsck', '--strict', '--no-progress')).toBe('');
});

test('a commit descends from another exactly if git says so, near and far', async () => {
  const dated = (n: number): string =>
    formatIdentity('Ada', 'ada@example.org', 1_700_000_000_000 + ((n * 7919) % 97) * 1e6);
  const made: string[] = [];
  for (let n = 0; n < 90; n += 1) {
    const parents = [made.at(-1), n % 3 === 0 ? made.at(-5) : undefined, n % 10 === 0 ? made[0] : undefined];
    const own = n === 45 ? [] : [...new Set(parents.filter((id) => id !== undefined))];
    made.push(
      await writeCommit(directory, { tree, parents: own, author: dated(n), committer: dated(n), message: `${n}` }),
    );
  }
  for (const [a, b] of [
    [0, 89],
    [44, 46],
    [40, 49],
    [3, 60],
    [50, 88],
    [45, 60],
    [89, 0],
    [60, 61],
    [61, 60],
    [7, 7],
  ] as const) {
    const [older, newer] = [made[a] ?? '', made[b] ?? ''];
    const byGit = await plumbing.run(directory, ['merge-base', '--is-ancestor', older, newer], { accept: [0, 1] });
    for (const _again of [1, 2])
      expect([a, b, await isAncestor(plumbing, directory, { ancestor: older, descendant: newer })]).toEqual([
        a,
        b,
        byGit.exitCode === 0,
      ]);
  }
  expect(await isAncestor(plumbing, directory, { ancestor: '1'.repeat(40), descendant: made[0] ?? '' })).toBe(false);
  expect(await isAncestor(plumbing, directory, { ancestor: '1'.repeat(40), descendant: '1'.repeat(40) })).toBe(false);
});

test('an existing object is not changed, and many writers of the same object leave one', async () => {
  const made = {
    tree,
    parents: [],
    author: formatIdentity('A', 'a', 0),
    committer: formatIdentity('A', 'a', 0),
    message: 'Same',
  };
  const ids = await Promise.all(Array.from({ length: 10 }, async () => await writeCommit(directory, made)));
  const [id = ''] = new Set(ids);
  expect(new Set(ids).size).toBe(1);
  const place = join(directory, 'objects', id.slice(0, 2));
  expect(readdirSync(place).filter((name) => name.startsWith('tmp_'))).toEqual([]);
  const { ino, mode } = statSync(join(place, id.slice(2)));
  expect(mode & 0o777).toBe(0o444);
  await writeCommit(directory, made);
  expect(statSync(join(place, id.slice(2))).ino).toBe(ino);
});
