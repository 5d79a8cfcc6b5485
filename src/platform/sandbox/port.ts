// A sandbox runs one shell command of somebody's repository: no network unless it is given, no secrets, nothing of this
// machine but its tools (read-only) and the run's own folders, bounded in time, and gone when we are gone.
import type { Server } from 'node:net';
import type { RunBounds } from '../../domain/runs/bounds.ts';

export interface SandboxRun {
  /** Shell text, run by `sh -e` in the checkout. */
  readonly command: string;
  readonly folders: RunFolders;
  /** Everything the command sees besides PATH, HOME, TMPDIR, CI and LANG. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** This machine's network, loopback included, as its own user reaches it. Default: none at all. */
  readonly network?: boolean;
  /** Folders of this machine to show read-only. A plain process sees them where they are. */
  readonly shown?: readonly { readonly from: string; readonly at: string }[];
  /**
   * Sockets that listen, as descriptors 5, 6, … of the command: the one way in from outside. They are closed here once
   * the command has them. Never a TCP socket: the command could connect it to another address, as this machine.
   */
  readonly listeners?: readonly Server[];
  /** Output and errors, in the order they were written. */
  readonly onOutput: (chunk: Buffer) => void;
  /** More than that stops the command, with everything it started. Default: the sandbox's. */
  readonly bounds?: RunBounds;
  /** What it leaves is kept, and therefore measured once more when it has ended. */
  readonly isKept?: boolean;
  /** Aborted: everything the command started is killed, the outcome is `canceled`. */
  readonly signal?: AbortSignal;
}

/** Folders of one run, made by the caller and removed by it; each but `root` is writable inside. */
export interface RunFolders {
  /** Empty: the sandbox may mount its root there. */
  readonly root: string;
  readonly checkout: string;
  readonly home: string;
  readonly tmp: string;
}

export type SandboxOutcome =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'timed out' }
  | { readonly kind: 'canceled' }
  /** The run passed one of its bounds, which the message names. */
  | { readonly kind: 'stopped'; readonly because: string }
  /** The sandbox itself did not work; nothing is known of the command. */
  | { readonly kind: 'failed'; readonly reason: string };

export type SandboxKind = 'bubblewrap' | 'namespaces' | 'plain';

export interface Sandbox {
  readonly kind: SandboxKind;
  /** Where a command finds the Node that runs us. */
  readonly node: string;
  /** The bounds of a run that names no bounds itself. */
  readonly bounds: RunBounds;
  run(run: SandboxRun): Promise<SandboxOutcome>;
}

/** The outcome of a run, for people. `what` names the program that could not be run. */
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
      return `${run.what} could not be run: ${outcome.reason.slice(0, 500)}`;
    default: {
      const never: never = outcome;
      throw new Error(`Unknown outcome ${JSON.stringify(never)}`);
    }
  }
}

/** The last line that is not empty, shortened. */
export function lastLineOf(output: string): string {
  return (output.trimEnd().split('\n').at(-1) ?? '').trim().slice(0, 200);
}
