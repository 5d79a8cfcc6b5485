import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Unpacks the archive that `feed` writes. Throws the error of `feed`, or an Error if tar failed. */
export async function unpackTar(
  name: string,
  args: readonly string[],
  feed: (into: Writable) => Promise<void>,
): Promise<void> {
  const tar = spawn('tar', [...args], { stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = once(tar, 'exit');
  // tar may end before the padding after the archive is written. These errors are ignored.
  const fed = feed(tar.stdin).then(
    () => null,
    (error: NodeJS.ErrnoException) =>
      error.code === 'ERR_STREAM_PREMATURE_CLOSE' || error.code === 'EPIPE' ? null : error,
  );
  const [status] = (await ended) as [number | null];
  const failure = await fed;
  if (failure !== null) throw failure;
  if (status !== 0) throw new Error(`${name} could not be unpacked (tar: ${status})`);
}
