// What a sandbox writes: secrets taken out, the last line kept for the message of a failure.
import { StringDecoder } from 'node:string_decoder';
import { createMask } from '../providers/mask.ts';
import { lastLineOf } from '../sandbox/index.ts';

export interface SandboxOutput {
  readonly write: (piece: Buffer | string) => void;
  /** After a colon; nothing when nothing was written. */
  lastLineText(): string;
  end(): void;
}

const keptForLastLine = 1_000;
const ours = '[interlock] ';

export function createSandboxOutput(
  secrets: Readonly<Record<string, string>>,
  onOutput: (text: string) => void,
): SandboxOutput {
  let tail = '';
  const mask = createMask(Object.values(secrets), (text) => {
    tail = (tail + text).slice(-keptForLastLine);
    onOutput(text);
  });
  const decoder = new StringDecoder('utf8');
  return {
    write: (piece) => mask.write(typeof piece === 'string' ? piece : decoder.write(piece)),
    lastLineText() {
      const line = lastLineOf(tail);
      return line === '' || line.startsWith(ours) ? '' : `: ${line}`;
    },
    end() {
      mask.write(decoder.end());
      mask.end();
    },
  };
}

/** A line of the service's own among the app's. */
export function noted(sentence: string): string {
  return `${ours}${sentence}\n`;
}
