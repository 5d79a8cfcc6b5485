// Bundles the code of the workflows into one file for Temporal's sandbox. The bundle is made again only if its sources
// have changed.
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';

export interface WorkflowBundle {
  /** The module that exports every workflow. */
  readonly entry: string;
  /** The folders with all code that workflows may import. */
  readonly sources: readonly string[];
  readonly outFile: string;
}

/** Returns true if the bundle was made again. */
export async function bundleWorkflows({ entry, sources, outFile }: WorkflowBundle): Promise<boolean> {
  const digest = await digestFolders(sources);
  const marker = `${outFile}.digest`;
  const isMade = (await readFile(marker, 'utf8').catch(() => '')) === digest;
  if (isMade && (await readFile(outFile).catch(() => null)) !== null) return false;
  const { code } = await bundleWorkflowCode({ workflowsPath: resolve(entry), logger: new DefaultLogger('WARN') });
  await mkdir(dirname(outFile), { recursive: true });
  const draft = `${outFile}.${process.pid}`;
  await writeFile(draft, code);
  await rename(draft, outFile);
  await writeFile(marker, digest);
  return true;
}

async function digestFolders(folders: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.sort())
      hash
        .update(file)
        .update('\0')
        .update(await readFile(file))
        .update('\0');
  }
  return hash.digest('hex');
}
