// Programs that Go compiles once for all clones, from a go.mod and a go.sum that pin every module and its checksum.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultCacheDirectory, fillOnce } from '../../src/launcher/cache-directory.ts';

/** On a busy machine, compiling takes minutes. */
export const longestInstallMs = 1_500_000;

interface Pinned {
  /** The beginning of the name of the folder in the cache. */
  readonly name: string;
  /** The folder with the files that pin the versions. */
  readonly pins: string;
  readonly files: readonly string[];
}

/** Returns the folder of what the files pin. It is filled if it does not exist. */
export async function installOnce(
  { name, pins, files }: Pinned,
  install: (draft: string) => Promise<void>,
): Promise<string> {
  const digest = createHash('sha256');
  for (const file of files) digest.update(readFileSync(join(pins, file)));
  const folderName = `${name}-${digest.digest('hex').slice(0, 12)}-${process.platform}-${process.arch}`;
  const folder = join(defaultCacheDirectory(), folderName);
  if (!existsSync(folder)) await fillOnce(folder, install);
  return folder;
}

/** `programs`: the package of each program by the program's name. Returns the folder with the programs. */
export async function compileOnce(
  { name, pins }: Omit<Pinned, 'files'>,
  programs: Readonly<Record<string, string>>,
): Promise<string> {
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly -buildvcs=false', GOWORK: 'off' };
  return await installOnce({ name, pins, files: ['go.mod', 'go.sum'] }, async (draft) => {
    for (const [program, path] of Object.entries(programs))
      await promisify(execFile)('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', join(draft, program), path], {
        cwd: pins,
        env,
        timeout: longestInstallMs,
      }).catch((cause: unknown) => {
        throw new Error(`${program} could not be compiled. Its compiler is Go 1.26 or newer.`, { cause });
      });
  });
}
