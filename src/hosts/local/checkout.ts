// A fresh checkout with a `.git` of its own: objects are fetched, not shared, so that nothing inside leads back to
// the repository it came from.
import { join } from 'node:path';
import { objectId } from '../git/index.ts';
import type { HostRepository } from '../port.ts';
import type { Installation } from './installation.ts';

/** Commits below the tip that commands may look at. */
const depth = 50;

export async function checkOut(
  installation: Installation,
  repository: Pick<HostRepository, 'accountId' | 'id'>,
  commit: string,
  folder: string,
): Promise<void> {
  const { git } = installation;
  await git.run(folder, ['init', '--quiet', '--template=']);
  await git.run(folder, [
    'fetch',
    '--quiet',
    '--no-tags',
    `--depth=${depth}`,
    installation.directoryOf(repository),
    objectId(commit),
  ]);
  await git.run(folder, ['checkout', '--quiet', '--detach', 'FETCH_HEAD'], { timeoutMs: 600_000 });
  // It names the place it was fetched from.
  await git.run(join(folder, '.git'), ['update-ref', '-d', 'FETCH_HEAD'], { accept: [0, 1, 128] });
}
