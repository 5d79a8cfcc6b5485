// The directories that the operator allows as images of previews that run as processes.
import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { BootFailed } from './port.ts';

/** The path of the image's directory inside the sandbox. */
export const imageInside = '/opt/preview';

/**
 * Returns the real path of an image's directory. Throws BootFailed if the real path is outside of the allowed
 * directories, for example because of a link. Links inside of the directory that lead out of it do not work in the
 * sandbox.
 */
export async function resolveImageDirectory(source: string, allowed: readonly string[]): Promise<string> {
  if (!source.startsWith('/')) throw new BootFailed(`The image's directory ${source} must be an absolute path.`);
  const real = await realpath(source).catch(() => null);
  const roots = await Promise.all(allowed.map(async (root) => await realpath(root).catch(() => null)));
  const isAllowed = roots.some((root) => root !== null && real !== null && `${real}${sep}`.startsWith(withEnd(root)));
  // The sentence is the same for both reasons, so that users cannot find out which directories exist.
  if (real === null || !isAllowed || !(await stat(real)).isDirectory())
    throw new BootFailed(
      `The image's directory ${source} is not allowed on this worker: the operator names the allowed directories by PREVIEW_IMAGE_DIRECTORIES.`,
    );
  return real;
}

/**
 * The program `start` of an image's directory. Like the command of a container, it starts before the setup script.
 * Null: the setup script starts the app.
 */
export async function startOf(directory: string): Promise<string | null> {
  const found = await stat(join(directory, 'start')).catch(() => null);
  return found?.isFile() && (found.mode & 0o111) !== 0 ? 'start' : null;
}

function withEnd(root: string): string {
  return root.endsWith(sep) ? root : `${root}${sep}`;
}
