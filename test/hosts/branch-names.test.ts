// The rule for names of branches, compared with git's own.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isBranchName, isRefName } from '../../src/domain/branch-name.ts';
import { git } from './commits.ts';
import { hostileNames, lookAlikes } from './branch-names.table.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(`${tmpdir()}/interlock-names-`);
  git(folder, 'init', '--quiet', '--bare');
});
afterAll(() => rmSync(folder, { recursive: true }));

function isValidForGit(name: string): boolean {
  return spawnSync('git', ['check-ref-format', '--branch', name], { cwd: folder }).status === 0;
}

it.each(hostileNames)('no branch is named by $what', ({ name, isValidForGit: forGit }) => {
  expect(isBranchName(name)).toBe(false);
  if (forGit !== null) expect(isValidForGit(name)).toBe(forGit);
});

it.each(lookAlikes)('a branch may be named by %s, as git says', (_what, name) => {
  expect([isBranchName(name), isValidForGit(name)]).toEqual([true, true]);
});

it.each([
  ['main', true],
  ['release/2026-01', true],
  ['a/b/c.d_e', true],
  ['ä🚀', true],
  ['x'.repeat(244), true],
  ['a@b', true],
  ['a-', true],
  ['locked', true],
])('the name %s is valid: %s', (name, isValid) => {
  expect([isBranchName(name), isValidForGit(name)]).toEqual([isValid, isValid]);
});

// Names of refs that are no branches.
it.each([
  ['main', false],
  ['HEAD', false],
  ['refs/heads', false],
  ['refs/', false],
  ['heads/refs/main', false],
  ['refs/stash', false],
  ['refs/tags/v1', true],
  ['refs/notes/commits', true],
  ['refs/pull/1/head', true],
  ['refs/tags/--force', false],
  ['refs/-/v1', false],
  ['refs/tags/../heads/main', false],
  [`refs/tags/${'x'.repeat(245)}`, true],
  [`refs/tags/${'x'.repeat(246)}`, false],
])('the full name %s is valid: %s', (ref, isValid) => {
  expect(isRefName(ref)).toBe(isValid);
});

it('a valid full name is valid for git too, and its file and its lock can be written', () => {
  const longest = 'x'.repeat(244);
  const commit = git(folder, 'commit-tree', git(folder, 'hash-object', '-w', '-t', 'tree', '/dev/null'), '-m', 'One');
  for (const name of [longest, 'ä'.repeat(122)]) {
    git(folder, 'update-ref', `refs/heads/${name}`, commit);
    expect(isBranchName(name)).toBe(true);
  }
  for (const name of ['x'.repeat(251), 'ä'.repeat(126)])
    expect(() => git(folder, 'update-ref', `refs/heads/${name}`, commit)).toThrow('File name too long');
});
