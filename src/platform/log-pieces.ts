// What is written while something runs, kept in pieces that readers see come. Small writes are one piece, and of what is
// written without end its beginning is kept.
import type { Logger } from 'pino';

export interface PieceLog {
  /** Never fails: what cannot be kept costs the log, not the run. */
  readonly write: (text: string) => void;
  /** Everything written is kept once it resolves. Before the end of the run is told, so that who follows it has it all. */
  close(): Promise<void>;
}

export interface PieceLogOptions {
  /** Keeps pieces in this order. */
  readonly keep: (pieces: readonly string[]) => Promise<void>;
  readonly log: Logger;
}

export const mostLogBytes = 1024 * 1024;
const mostPieceCharacters = 64 * 1024;
const flushAfterMs = 250;
const flushAtCharacters = 16 * 1024;

export function openPieceLog({ keep, log }: PieceLogOptions): PieceLog {
  let waiting = '';
  let keptBytes = 0;
  let isCut = false;
  let timer: NodeJS.Timeout | undefined;
  let flushed: Promise<void> = Promise.resolve();

  async function flush(): Promise<void> {
    const text = waiting;
    waiting = '';
    if (text === '') return;
    try {
      await keep(piecesOf(text));
    } catch (error) {
      log.warn({ err: error }, 'What a run wrote could not be kept; trying again.');
      waiting = text + waiting;
    }
  }
  // One after the other, so that pieces keep their order.
  function flushNow(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    flushed = flushed.then(flush);
    return flushed;
  }

  return {
    write(text) {
      if (isCut || text === '') return;
      const { kept, isWhole } = fit(text, mostLogBytes - keptBytes);
      keptBytes += Buffer.byteLength(kept);
      isCut = !isWhole;
      waiting += kept + (isCut ? `\n[interlock] The output was cut here, at ${mostLogBytes} bytes.\n` : '');
      if (waiting.length >= flushAtCharacters) void flushNow();
      else timer ??= setTimeout(() => void flushNow(), flushAfterMs);
    },
    async close() {
      await flushNow();
      if (waiting !== '') await flushNow();
    },
  };
}

function fit(text: string, most: number): { readonly kept: string; readonly isWhole: boolean } {
  const bytes = Buffer.from(text);
  return bytes.length <= most
    ? { kept: text, isWhole: true }
    : { kept: bytes.subarray(0, most).toString(), isWhole: false };
}

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  const clean = storable(text);
  for (let at = 0; at < clean.length; at += mostPieceCharacters) pieces.push(clean.slice(at, at + mostPieceCharacters));
  return pieces;
}

/** PostgreSQL's text holds no NUL. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}').toWellFormed();
}
