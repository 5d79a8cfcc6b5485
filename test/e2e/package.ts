// Lists or writes the package with `npm pack`.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { projectRoot } from '../../src/platform/project-root.ts';

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** `folder` is where the package is written. Null: the package is only listed. */
export async function pack(folder: string | null): Promise<Packed> {
  const where = folder === null ? ['--dry-run'] : ['--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', ['pack', '--ignore-scripts', '--json', ...where], {
    cwd: projectRoot,
    maxBuffer: 1 << 24,
  });
  // npm 11.19 prints an object with the name of the package as its key. Earlier versions print a list.
  const [packed] = Object.values(JSON.parse(stdout) as Readonly<Record<string, Packed>>);
  if (packed === undefined) throw new Error(`npm packed nothing: ${stdout}`);
  return packed;
}
