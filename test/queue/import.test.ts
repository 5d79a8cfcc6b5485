// A second import of a repository, after pull requests have landed in it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importRepository } from '../../src/import-repository.ts';
import { commit, git } from '../hosts/commits.ts';
import { parallel, world } from '../support/world.ts';
import { verified } from './stories.ts';

test('an import whose source lacks a landing is refused, and the landing stays', async () => {
  await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }) });
  const source = mkdtempSync(join(tmpdir(), 'interlock-source-'));
  try {
    git(source, 'clone', '--quiet', '--bare', w.gitDir, '.');
    const number = await w.open('feature', { 'feature.txt': 'new\n' });
    await w.queue(number);
    await w.settled(number);
    const { merge_commit_sha: landed } = await w.status(number);
    commit(source, { branch: 'main', from: git(source, 'rev-parse', 'main'), files: { 'upstream.txt': 'new\n' } });
    const again = importRepository(
      { service: w.service, ctx: w.ctx, databaseUrl: w.databaseUrl },
      w.repository,
      source,
    );
    await expect(again).rejects.toThrow(
      /^main of .* lacks commits that main has here, .* Push main to the source first/,
    );
    expect(await w.git('rev-parse', 'main')).toBe(landed);
    expect(await verified(w)).toMatchObject({ failures: [] });
  } finally {
    rmSync(source, { recursive: true });
  }
});

test('an import of another repository over one with landings is refused, and the default branch stays', async () => {
  await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }) });
  const other = mkdtempSync(join(tmpdir(), 'interlock-source-'));
  try {
    git(other, 'init', '--quiet', '--bare', '--initial-branch=trunk');
    commit(other, { branch: 'trunk', files: { 'other.txt': 'other\n' } });
    const bring = async (): Promise<unknown> =>
      await importRepository({ service: w.service, ctx: w.ctx, databaseUrl: w.databaseUrl }, w.repository, other);
    const number = await w.open('feature', { 'feature.txt': 'new\n' });
    await w.queue(number);
    await w.settled(number);
    await expect(bring()).rejects.toThrow(
      /has no branch main, into which the queue of acme\/\S+ lands\. Nothing was imported\. Push main to the source first/,
    );
    expect(await w.rows('select default_branch as "defaultBranch" from repository')).toEqual([
      { defaultBranch: 'main' },
    ]);
    expect(await w.git('for-each-ref', '--format=%(refname)', 'refs/heads/trunk')).toBe('');
    git(other, 'fetch', '--quiet', w.gitDir, 'main:main');
    expect(await bring()).toMatchObject({ defaultBranch: 'trunk' });
  } finally {
    rmSync(other, { recursive: true });
  }
});

test.each(['feature', 'main'])(
  'an import that would take commits off %s is refused while a pull request is open for it, and changes nothing',
  async (branch) => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 1 }) });
    const other = mkdtempSync(join(tmpdir(), 'interlock-source-'));
    try {
      await w.open('feature', { 'feature.txt': 'new\n' });
      const before = await w.git('for-each-ref');
      git(other, 'clone', '--quiet', '--bare', w.gitDir, '.');
      commit(other, { branch, from: null, files: { 'other.txt': 'other\n' } });
      const again = importRepository(
        { service: w.service, ctx: w.ctx, databaseUrl: w.databaseUrl },
        w.repository,
        other,
      );
      await expect(again).rejects.toThrow(`${branch} of ${other} lacks commits that ${branch} has here`);
      expect(await w.git('for-each-ref')).toBe(before);
    } finally {
      rmSync(other, { recursive: true });
    }
  },
);
