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
