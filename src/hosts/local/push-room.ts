// Decides whether the disk has room for a push. A push takes its size twice: as it is received, and as git unpacks it.
import { statfs } from 'node:fs/promises';
import { Duplex } from 'node:stream';

/** How much of a push is received between two looks at the disk. */
const bytesPerLook = 16 * 1024 * 1024;

export interface PushRoom {
  /** Passes on what is received by one push; fails with what `refuse` makes where the disk would be too full. */
  receiving(folders: PushFolders, refuse: () => Error): { readonly stream: Duplex; end(): void };
}

export interface PushFolders {
  readonly received: string;
  readonly unpacked: string;
}

/**
 * Free bytes that the disk must have while pushes are under way. `underWay` has the bytes that were received of each
 * push.
 */
export function decideBytesNeeded(underWay: readonly number[], freeBytes: number): PushBytes {
  const untilNextLook = underWay.length * bytesPerLook;
  const toUnpack = underWay.reduce((sum, received) => sum + received, 0) + untilNextLook;
  return { received: freeBytes + untilNextLook, unpacked: freeBytes + untilNextLook + toUnpack };
}

export interface PushBytes {
  /** Where pushes are received. */
  readonly received: number;
  /** Where git unpacks them, as if it were the same disk. */
  readonly unpacked: number;
}

/** Watches the free disk space for the pushes of one process. Each process sees only its own pushes. */
export function createPushRoom(freeBytes: () => number): PushRoom {
  const underWay = new Map<symbol, number>();

  async function hasRoom(folders: PushFolders): Promise<boolean> {
    const needed = decideBytesNeeded([...underWay.values()], freeBytes());
    const [received, unpacked] = await Promise.all([freeOf(folders.received), freeOf(folders.unpacked)]);
    return received >= needed.received && unpacked >= needed.unpacked;
  }

  return {
    receiving(folders, refuse) {
      const push = Symbol('push');
      let received = 0;
      let nextLookAt = 0;
      underWay.set(push, received);
      const stream = Duplex.from(async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          received += chunk.length;
          underWay.set(push, received);
          if (received > nextLookAt) {
            nextLookAt = received + bytesPerLook;
            if (!(await hasRoom(folders))) throw refuse();
          }
          yield chunk;
        }
      });
      return { stream, end: () => void underWay.delete(push) };
    },
  };
}

async function freeOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
