// The port of sandboxes. A sandbox runs one untrusted shell command. The command has no network by default and no
// secrets. Of this machine it sees only tools (read-only) and the folders of the run. Its time is limited, and it ends
// when this process ends.
import type { Server } from 'node:net';
import type { RunBounds } from '../../domain/runs/bounds.ts';
import { cutText } from '../storable-text.ts';

export interface SandboxRun {
  /** A shell script, run by `sh -e` in the checkout. */
  readonly command: string;
  readonly folders: RunFolders;
  /** The environment variables of the command, besides PATH, HOME, TMPDIR, CI and LANG. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Whether the command has this machine's network, loopback included. Default: it has no network. */
  readonly network?: boolean;
  /**
   * Folders of this machine (`from`) that the command sees read-only at the path `at`. A plain process sees them only
   * at their own path.
   */
  readonly shown?: readonly { readonly from: string; readonly at: string }[];
  /**
   * Listening sockets that the command inherits as descriptors 5, 6, and so on. They are the only way to connect to the
   * command from outside. They are closed in this process once the command has them. They must not be TCP sockets,
   * because the command could use such a socket to connect to another address from this machine's network.
   */
  readonly listeners?: readonly Server[];
  /** Receives output and errors, in the order in which they were written. */
  readonly onOutput: (chunk: Buffer) => void;
  /** If the command exceeds one of these bounds, all its processes are stopped. Default: the bounds of the sandbox. */
  readonly bounds?: RunBounds;
  /** Whether the files that the command leaves are kept. If so, they are measured once more when the command has ended. */
  readonly isKept?: boolean;
  /** If it is aborted, all processes of the command are killed, and the outcome is `canceled`. */
  readonly signal?: AbortSignal;
}

/** The folders of one run, which the caller makes and removes. All except `root` are writable in the sandbox. */
export interface RunFolders {
  /** An empty folder, on which the sandbox may mount its root. */
  readonly root: string;
  readonly checkout: string;
  readonly home: string;
  readonly tmp: string;
}

export type SandboxOutcome =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'timed out' }
  | { readonly kind: 'canceled' }
  /** The run exceeded one of its bounds, which the message names. */
  | { readonly kind: 'stopped'; readonly because: string }
  /** The sandbox itself did not work. This outcome says nothing about the command. */
  | { readonly kind: 'failed'; readonly reason: string };

export type SandboxKind = 'bubblewrap' | 'namespaces' | 'plain';

export interface Sandbox {
  readonly kind: SandboxKind;
  /** The path, for commands, of the Node that runs Interlock. */
  readonly node: string;
  /** The default bounds of a run. */
  readonly bounds: RunBounds;
  run(run: SandboxRun): Promise<SandboxOutcome>;
}

/** Describes the outcome of a run for people. `what` names the program, for the message that it could not be run. */
export function describeOutcome(
  outcome: SandboxOutcome,
  run: { readonly what: string; readonly seconds: string; readonly timeoutSec: number; readonly lastLine: string },
): string {
  switch (outcome.kind) {
    case 'exited': {
      if (outcome.code === 0) return `Succeeded after ${run.seconds} s`;
      return `Exited with code ${outcome.code} after ${run.seconds} s${run.lastLine === '' ? '' : `: ${run.lastLine}`}`;
    }
    case 'timed out':
      return `Stopped after its time limit of ${run.timeoutSec} s`;
    case 'canceled':
      return `Canceled after ${run.seconds} s`;
    case 'stopped':
      return `Stopped after ${run.seconds} s: ${outcome.because}`;
    case 'failed':
      return `${run.what} could not be run: ${cutText(outcome.reason, 500)}`;
    default: {
      const never: never = outcome;
      throw new Error(`Unknown outcome ${JSON.stringify(never)}`);
    }
  }
}

/** The last line that is not empty, shortened. */
export function lastLineOf(output: string): string {
  return cutText((output.trimEnd().split('\n').at(-1) ?? '').trim(), 200);
}
