// Decides whether the disk has room for a push. A push needs twice its size: once while it is received, and once when
// git unpacks it.
import { statfs } from 'node:fs/promises';
import { Duplex } from 'node:stream';

/** How many bytes of a push are received between two reads of the free space. */
const bytesPerCheck = 16 * 1024 * 1024;

export interface PushRoom {
  /** Whether a push may begin. */
  hasRoomForNext(folders: PushFolders): Promise<boolean>;
  /**
   * Makes a stream that passes the bytes of one push on. The stream fails with the error of `refuse` if the disk has
   * too little room. `end` must be called when the push has ended.
   */
  receiving(folders: PushFolders, refuse: () => Error): { readonly stream: Duplex; end(): void };
}

export interface PushFolders {
  readonly received: string;
  readonly unpacked: string;
}

/**
 * How many bytes of the disk must be free during pushes. `underWay` has the number of bytes that were received of each
 * push. `freeBytes` must stay free in any case.
 */
export function decideBytesNeeded(underWay: readonly number[], freeBytes: number): PushBytes {
  const untilNextCheck = underWay.length * bytesPerCheck;
  const toUnpack = underWay.reduce((sum, received) => sum + received, 0) + untilNextCheck;
  return { received: freeBytes + untilNextCheck, unpacked: freeBytes + untilNextCheck + toUnpack };
}

export interface PushBytes {
  /** Free bytes in the folder in which pushes are received. */
  readonly received: number;
  /** Free bytes in the folder in which git unpacks pushes. Both folders may be on the same disk. */
  readonly unpacked: number;
}

/** Watches the free disk space for the pushes of one process. Each process sees only its own pushes. */
export function createPushRoom(freeBytes: () => number): PushRoom {
  const underWay = new Map<symbol, number>();

  async function hasRoom(folders: PushFolders, pushes: readonly number[] = [...underWay.values()]): Promise<boolean> {
    const needed = decideBytesNeeded(pushes, freeBytes());
    const [received, unpacked] = await Promise.all([freeOf(folders.received), freeOf(folders.unpacked)]);
    return received >= needed.received && unpacked >= needed.unpacked;
  }

  return {
    hasRoomForNext: async (folders) => await hasRoom(folders, [...underWay.values(), 0]),
    receiving(folders, refuse) {
      const push = Symbol('push');
      let received = 0;
      let nextCheckAt = 0;
      underWay.set(push, received);
      const stream = Duplex.from(async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          received += chunk.length;
          underWay.set(push, received);
          if (received > nextCheckAt) {
            nextCheckAt = received + bytesPerCheck;
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
