// The folders that killed processes left in a folder that all users of a machine share, such as /tmp.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeAbandonedFolders } from '../../src/platform/sandbox/index.ts';

/** Greater than the id of any process. */
const gone = 2 ** 30;
const nobody = 65_534;

/** Does the work as a user who cannot remove the folders of others. */
async function asUser(work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return await work();
  process.seteuid?.(nobody);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

function sharedFolder(): { at: (name: string) => string; abandon: (name: string) => string } {
  const workDir = mkdtempSync(join(tmpdir(), 'shared-'));
  onTestFinished(() => rmSync(workDir, { recursive: true, force: true }));
  chmodSync(workDir, 0o1777);
  const at = (name: string): string => join(workDir, name);
  const abandon = (name: string): string => {
    const folder = at(`interlock-run-${gone}-${name}`);
    mkdirSync(join(folder, 'checkout'), { recursive: true });
    writeFileSync(join(folder, 'checkout', 'file'), '');
    return folder;
  };
  return { at, abandon };
}

test('a folder that cannot be removed keeps no process from starting, and the others are removed', async () => {
  const { at, abandon } = sharedFolder();
  const kept: string[] = [];
  const removed: string[] = [];
  if (process.geteuid?.() === 0) kept.push(abandon('of-another-user'));
  await asUser(async () => {
    removed.push(abandon('a'));
    kept.push(abandon('locked'));
    chmodSync(join(kept.at(-1) ?? '', 'checkout'), 0o500);
    removed.push(abandon('z'));
    await removeAbandonedFolders(at('.'));
  });
  expect(kept.filter((folder) => !existsSync(folder))).toEqual([]);
  expect(removed.filter((folder) => existsSync(folder))).toEqual([]);
  chmodSync(join(kept.at(-1) ?? '', 'checkout'), 0o700);
});

test('a link with the name of a folder of a run is not followed', async () => {
  const { at } = sharedFolder();
  mkdirSync(at('precious'));
  writeFileSync(at('precious/file'), '');
  symlinkSync(at('precious'), at(`interlock-run-${gone}-link`));
  await removeAbandonedFolders(at('.'));
  expect(existsSync(at('precious/file'))).toBe(true);
});
