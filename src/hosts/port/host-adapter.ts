// A code host as a process runs it: what goes on from its start to its stop.
import type { Loop } from '../../platform/repeat.ts';
import type { CodeHost } from './code-host.ts';

export interface HostAdapter extends CodeHost {
  /** Once, at the start of the process tree that owns what the host keeps on disk, before anything else uses it. */
  recover(): Promise<void>;
  /** Compares the host's records with its repositories, at once and then every `everyMs` (default: a minute). */
  reconciler(options: { readonly everyMs?: number; readonly onError: (error: unknown) => void }): Loop;
  /** Ends what the host keeps running. Its loops have stopped before. */
  stop(): Promise<void>;
}
