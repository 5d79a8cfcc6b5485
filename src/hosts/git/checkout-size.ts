// Adds up the files of a commit before they are written to a disk. A small repository can have a huge commit, because
// names of the same blob or tree cost nothing.
import { findExceededLimit, type RunBounds } from '../../domain/runs/bounds.ts';
import { HostRefused, HostUnavailable } from '../port.ts';
import { describeUnavailable, GitFailed } from './git-failed.ts';
import type { Git } from './git.ts';

const timeoutMs = 600_000;

/** Throws HostRefused if the commit exceeds the bounds. git streams the list, and is stopped at the bound. */
export async function requireBoundedFiles(
  git: Git,
  directory: string,
  { commit, bounds }: { readonly commit: string; readonly bounds: RunBounds },
): Promise<void> {
  const child = git.spawn(directory, ['ls-tree', '-r', '-t', '-l', '-z', commit]);
  let [bytes, files, rest, errors] = [0, 0, '', ''];
  let refusal: Error | null = null;
  const stop = (why: Error): void => {
    refusal ??= why;
    child.kill('SIGKILL');
  };
  const late = setTimeout(
    () => stop(new HostUnavailable(`git ls-tree took longer than ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  child.stdout?.on('data', (chunk: Buffer) => {
    const entries = (rest + chunk.toString('latin1')).split('\0');
    rest = entries.pop() ?? '';
    for (const entry of entries) {
      files += 1;
      // The index of the checkout has the name too.
      bytes += entry.length + Number(/^\S+ \S+ \S+ +(\d+)\t/.exec(entry)?.[1] ?? 0);
    }
    const exceeded = findExceededLimit({ bytes, files }, bounds);
    if (exceeded !== null)
      stop(new HostRefused(`Commit ${commit.slice(0, 7)} is not checked out: ${exceeded.message}`));
  });
  child.stderr?.on('data', (chunk: Buffer) => void (errors = (errors + chunk.toString('utf8')).slice(0, 10_000)));
  child.stdin?.on('error', () => {});
  child.stdin?.end();
  await new Promise<void>((resolve, reject) => {
    child.on('error', (error) => reject(new HostUnavailable(describeUnavailable(error))));
    child.on('close', (code) => {
      if (refusal !== null) reject(refusal);
      else if (code === 0) resolve();
      else reject(new GitFailed('ls-tree', code, errors));
    });
  }).finally(() => clearTimeout(late));
}
