// Keeps both ends of an output of any length: the beginning, and the end, which usually says why a run failed.

export interface LongOutput {
  /** The part of the chunk that belongs to the kept beginning. Empty once the beginning is full. */
  take(chunk: Buffer): Buffer;
  /** The end of what was not kept, and a note of how much is left out before it. Empty if everything was kept. */
  takeEnd(): Buffer;
}

export interface BothEnds {
  readonly beginningBytes: number;
  readonly endBytes: number;
}

const nothing = Buffer.alloc(0);

export function keepBothEnds({ beginningBytes, endBytes }: BothEnds): LongOutput {
  let roomBytes = beginningBytes;
  let isFull = false;
  let rest: Buffer[] = [];
  let restBytes = 0;
  let leftOutBytes = 0;

  function keepLast(max: number): Buffer {
    const all = Buffer.concat(rest);
    const kept = all.subarray(startOfCharacter(all, Math.max(0, all.length - max)));
    leftOutBytes += all.length - kept.length;
    rest = [kept];
    restBytes = kept.length;
    return kept;
  }
  function keepForEnd(chunk: Buffer): void {
    rest.push(chunk);
    restBytes += chunk.length;
    if (restBytes > 2 * endBytes) keepLast(endBytes);
  }

  return {
    take(chunk) {
      if (isFull) {
        keepForEnd(chunk);
        return nothing;
      }
      if (chunk.length <= roomBytes) {
        roomBytes -= chunk.length;
        return chunk;
      }
      isFull = true;
      const at = startOfCharacter(chunk, roomBytes);
      keepForEnd(chunk.subarray(at));
      const note = `\n[interlock] More than ${beginningBytes} bytes were written. The end of the output follows once the run has ended.\n`;
      return Buffer.concat([chunk.subarray(0, at), Buffer.from(note)]);
    },
    takeEnd() {
      const end = keepLast(endBytes);
      const note = leftOutBytes === 0 ? '' : `\n[interlock] ${leftOutBytes} bytes are left out here.\n`;
      rest = [];
      restBytes = 0;
      leftOutBytes = 0;
      return Buffer.concat([Buffer.from(note), end]);
    },
  };
}

/** The last index up to `at` at which the text can be cut without splitting a UTF-8 character. */
function startOfCharacter(text: Buffer, at: number): number {
  let start = at;
  while (start > 0 && start > at - 3 && ((text[start] ?? 0) & 0b1100_0000) === 0b1000_0000) start -= 1;
  return start;
}
