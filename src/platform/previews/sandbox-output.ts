// The output of a sandbox. Secrets are masked, and the last line is kept for the message of a failure.
import { StringDecoder } from 'node:string_decoder';
import { createMask } from '../providers/mask.ts';
import { lastLineOf } from '../sandbox/index.ts';

export interface SandboxOutput {
  readonly write: (piece: Buffer | string) => void;
  /** The last line of the app or of a script, after a colon and a space. Empty: they have written nothing. */
  lastLineText(): string;
  end(): void;
}

const keptForLastLine = 1_000;
const ownPrefix = '[interlock] ';

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
      const ofApp = tail.split('\n').filter((line) => !line.startsWith(ownPrefix));
      const line = lastLineOf(ofApp.join('\n'));
      return line === '' ? '' : `: ${line}`;
    },
    end() {
      mask.write(decoder.end());
      mask.end();
    },
  };
}

/** Formats a line that Interlock itself writes into the output of the app. */
export function interlockLine(sentence: string): string {
  return `${ownPrefix}${sentence}\n`;
}
