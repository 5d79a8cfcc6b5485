// Builds an earlier version of Interlock from the history of this clone, in a folder of its own.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../../src/platform/project-root.ts';
import { earlierReleases } from '../support/releases.ts';

const run = promisify(execFile);
const git = async (...args: string[]): Promise<string> =>
  (await run('git', args, { cwd: projectRoot, maxBuffer: 1 << 28 })).stdout.trim();

export interface EarlierVersion {
  readonly folder: string;
  readonly commit: string;
  remove(): Promise<void>;
}

/**
 * `named` is a commit or a tag. If it is left out, the last release is built, or else the newest commit before this one
 * that changed migrations.
 */
export async function buildEarlierVersion(named: string | undefined): Promise<EarlierVersion> {
  const commit = await git('rev-parse', '--verify', `${named ?? (await findEarlier())}^{commit}`);
  const folder = await mkdtemp(join(tmpdir(), 'interlock-earlier-'));
  const archive = join(folder, 'sources.tar');
  await git('archive', '--format=tar', `--output=${archive}`, commit);
  await run('tar', ['-xf', archive, '-C', folder]);
  await rm(archive);
  // Without `node_modules`, the build installs the packages of the version's own lock file.
  if (await hasLockOf(folder)) await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  await run(process.execPath, [join(folder, 'scripts', 'build.mjs')], { cwd: folder, maxBuffer: 1 << 28 });
  return { folder, commit, remove: async () => await rm(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

async function findEarlier(): Promise<string> {
  const last = earlierReleases(projectRoot).at(-1);
  if (last !== undefined) return last.commit;
  const migrated = await git('log', '-1', '--format=%H', 'HEAD~1', '--', 'migrations').catch(() => '');
  if (migrated === '')
    throw new Error(
      'This clone has neither a release nor an earlier commit. Fetch its history, or name a commit by --from.',
    );
  return migrated;
}

async function hasLockOf(folder: string): Promise<boolean> {
  const [there, here] = await Promise.all(
    [folder, projectRoot].map(async (each) => await readFile(join(each, 'package-lock.json'), 'utf8')),
  );
  return there === here;
}
