// Packing a repository of the local host: when it is due, and that nothing is lost by it.
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countLooseFiles, isPackingDue, packRepository, writeObject } from '../../src/hosts/git/index.ts';
import { copyRepository } from '../../src/hosts/local/index.ts';
import { packIfDue } from '../../src/hosts/local/packing.ts';
import { looseBlobs } from './commits.ts';
import { localWorld, type LocalWorld, until } from './local-world.ts';

describe('packing', () => {
  test.each([
    ['is not due for a few files', { objects: 499, refs: 199, packs: 19 }, false],
    ['is due for 500 objects in files of their own', { objects: 500, refs: 0, packs: 0 }, true],
    ['is due for 200 refs in files of their own', { objects: 0, refs: 200, packs: 0 }, true],
    ['is due for 20 packs', { objects: 0, refs: 0, packs: 20 }, true],
  ])('%s', (_title, files, isDue) => {
    expect(isPackingDue(files)).toBe(isDue);
  });
});

describe('a repository', () => {
  let world: LocalWorld;
  let base: string;
  const { signal } = new AbortController();

  beforeEach(async () => {
    world = await localWorld();
    base = world.commit({ branch: 'main', files: { 'a.txt': 'a\n' } });
  });
  afterEach(async () => {
    await world.host.stop();
    await world.close();
  });

  /** The objects in files of their own. Git removes a folder that becomes empty, also between two reads of this. */
  const objectFiles = (): string[] =>
    readdirSync(join(world.directory, 'objects'))
      .filter((folder) => /^[0-9a-f]{2}$/.test(folder))
      .flatMap((folder) => namesIn(join(world.directory, 'objects', folder)))
      .filter((name) => /^[0-9a-f]{38}$/.test(name));
  const pack = async (): Promise<boolean> => await packIfDue(world.host.installation, world.repository, signal);

  test('with few files is left alone', async () => {
    looseBlobs(world.directory, 50);
    expect(await pack()).toBe(false);
    expect(objectFiles().length).toBeGreaterThan(50);
  });

  test('with many files is packed, and loses neither an object that no ref holds nor a ref', async () => {
    // The process of git has read the repository before.
    expect((await world.host.readCommit(world.repository, base))?.commit).toBe(base);
    const blobs = looseBlobs(world.directory, 600);
    for (let batch = 1; batch <= 20; batch += 1) world.git('update-ref', `refs/interlock/landings/${batch}`, base);
    const refs = world.git('for-each-ref');
    const counted = await countLooseFiles(world.directory);
    expect(counted.objects).toBeGreaterThan(500);
    expect(counted).toMatchObject({ refs: 21, packs: 0 });
    expect(await pack()).toBe(true);
    expect(await countLooseFiles(world.directory)).toEqual({ objects: 0, refs: 0, packs: 1 });
    expect(objectFiles()).toEqual([]);
    expect(world.git('for-each-ref')).toBe(refs);
    expect(await world.host.readRef(world.repository, 'refs/heads/main')).toMatchObject({ commit: base });
    expect((await world.host.readCommit(world.repository, base))?.commit).toBe(base);
    for (const blob of blobs.filter((_, index) => index % 100 === 0))
      expect(world.git('cat-file', '-t', blob)).toBe('blob');
    expect(world.git('count-objects', '-v')).toContain(`in-pack: ${blobs.length + 3}\n`);
    expect(await pack()).toBe(false);
  });

  test('is packed by the loop of one process only', async () => {
    looseBlobs(world.directory, 600);
    const other = world.secondHost();
    const errors: unknown[] = [];
    const loops = [world.host, other].map((host) => host.reconciler({ onError: (error) => errors.push(error) }));
    for (const loop of loops) loop.start();
    await until('the repository is packed', async () => objectFiles().length === 0);
    for (const loop of loops) await loop.stop();
    await other.stop();
    expect(errors).toEqual([]);
    expect(existsSync(join(world.dataDir, 'git', 'packing.lock'))).toBe(false);
  });

  test('a loop that stops ends the packing that is under way', async () => {
    looseBlobs(world.directory, 600);
    const stopping = new AbortController();
    const packing = packRepository(world.host.installation.git, world.directory, stopping.signal);
    stopping.abort();
    await expect(packing).rejects.toThrow('git repack was stopped');
    expect(await pack()).toBe(true);
    expect(objectFiles()).toEqual([]);
  });

  test('temporary files of killed processes are removed after a day, and no younger ones', async () => {
    looseBlobs(world.directory, 600);
    const objects = join(world.directory, 'objects');
    const leave = (path: string, hours: number): void => {
      mkdirSync(join(objects, path), { recursive: true });
      writeFileSync(join(objects, path, 'part'), 'x');
      const at = new Date(Date.now() - hours * 60 * 60_000);
      utimesSync(join(objects, path), at, at);
    };
    leave('tmp_objdir-incoming-old', 25);
    leave('pack/.tmp-1-pack-old', 25);
    leave('tmp_objdir-incoming-young', 23);
    expect(await pack()).toBe(true);
    expect(readdirSync(objects).filter((name) => name.startsWith('tmp_'))).toEqual(['tmp_objdir-incoming-young']);
    expect(readdirSync(join(objects, 'pack')).filter((name) => name.startsWith('.tmp'))).toEqual([]);
  });

  test('gets every new object, also if git removes an empty folder in which the object was about to be written', async () => {
    const folders = Array.from({ length: 256 }, (_, at) =>
      join(world.directory, 'objects', at.toString(16).padStart(2, '0')),
    );
    let isWritten = false;
    /** Removes the folder three times, each time as soon as it is empty. */
    const removeThrice = async (empty: string): Promise<void> => {
      for (let removed = 0; removed < 3 && !isWritten; )
        removed += await rmdir(empty).then(
          () => 1,
          () => 0,
        );
    };
    const removing = Promise.all(folders.map(removeThrice));
    const ids = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => await writeObject(world.directory, 'blob', `written ${at}`)),
    ).finally(() => (isWritten = true));
    await removing;
    const { stdout } = await world.host.installation.git.run(world.directory, ['cat-file', '--batch-check'], {
      stdin: `${ids.join('\n')}\n`,
    });
    expect(stdout.toString('utf8').match(/ blob /g)).toHaveLength(200);
  });

  test('a copy that is made while the repository is packed is complete', async () => {
    const blobs = looseBlobs(world.directory, 3_000);
    const folder = await mkdtemp(join(tmpdir(), 'interlock-copy-'));
    try {
      const { git } = world.host.installation;
      const to = join(folder, 'copy.git');
      const copying = copyRepository(git, world.directory, to);
      await until('the copying has begun', async () => existsSync(join(to, 'objects')));
      await packRepository(git, world.directory, signal);
      expect(await copying).toBe(true);
      const { stdout } = await git.run(to, ['cat-file', '--batch-check'], { stdin: `${blobs.join('\n')}\n` });
      expect(stdout.toString('utf8')).not.toContain('missing');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** The names in a folder, and none if the folder does not exist. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
