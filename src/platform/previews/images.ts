// What an image of a worker without containers is: a command, or a directory that its operator allows.
import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { BootFailed } from './port.ts';

/** The path inside the sandbox at which the directory of an image is seen. */
export const imageInside = '/opt/preview';

/**
 * The real path of an image's directory. The sandbox does not see files outside to which the directory links. This
 * function makes sure that the directory itself is not a link out of the allowed directories.
 */
export async function allowedDirectory(source: string, allowed: readonly string[]): Promise<string> {
  if (!source.startsWith('/')) throw new BootFailed(`The image's directory ${source} must be an absolute path.`);
  const real = await realpath(source).catch(() => null);
  const roots = await Promise.all(allowed.map(async (root) => await realpath(root).catch(() => null)));
  const isAllowed = roots.some((root) => root !== null && real !== null && `${real}${sep}`.startsWith(withEnd(root)));
  // One sentence for both, so that nobody without the permission learns whether a directory exists.
  if (real === null || !isAllowed || !(await stat(real)).isDirectory())
    throw new BootFailed(
      `The image's directory ${source} is not one of this worker's: its operator names those by PREVIEW_IMAGE_DIRECTORIES.`,
    );
  return real;
}

/** Run beside the setup script, as a container's command is. Null: the setup script starts the app. */
export async function startOf(directory: string): Promise<string | null> {
  const found = await stat(join(directory, 'start')).catch(() => null);
  return found?.isFile() && (found.mode & 0o111) !== 0 ? 'start' : null;
}

function withEnd(root: string): string {
  return root.endsWith(sep) ? root : `${root}${sep}`;
}
