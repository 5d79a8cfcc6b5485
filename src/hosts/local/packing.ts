// Packs the repositories of the local host, because each landing and each push leaves files in them. One process of the
// installation packs one repository at a time.
import { join } from 'node:path';
import { underMachineLock } from '../../platform/machine-lock.ts';
import { type Loop, repeat } from '../../platform/repeat.ts';
import { countLooseFiles, isPackingDue, packRepository } from '../git/index.ts';
import type { HostRepository } from '../port.ts';
import type { Installation } from './installation.ts';
import { findLocalRepositories } from './repositories.ts';

/** Makes the loop that packs every repository whose files have become many. */
export function createPacking(
  installation: Installation,
  { everyMs, onError }: { readonly everyMs: number; readonly onError: (error: unknown) => void },
): Loop {
  const packAll = async (signal: AbortSignal): Promise<void> => {
    for (const repository of await findLocalRepositories(installation)) {
      if (signal.aborted) return;
      await packIfDue(installation, repository, signal).catch((error: unknown) => {
        if (!signal.aborted) onError(error);
      });
    }
  };
  return repeat(everyMs, packAll, onError);
}

/** Returns whether the repository was packed. False: nothing is to do, or another process packs a repository now. */
export async function packIfDue(
  { git, dataDir, directoryOf }: Installation,
  repository: Pick<HostRepository, 'accountId' | 'id'>,
  signal: AbortSignal,
): Promise<boolean> {
  const directory = directoryOf(repository);
  const isDue = async (): Promise<boolean> => isPackingDue(await countLooseFiles(directory));
  if (!(await isDue())) return false;
  const done = await underMachineLock(join(dataDir, 'git', 'packing.lock'), 0, async () => {
    // Another process may have packed the repository meanwhile.
    if (!(await isDue())) return false;
    await packRepository(git, directory, signal);
    return true;
  });
  return done ?? false;
}
