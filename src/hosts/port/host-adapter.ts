// A code host as a process runs it: what goes on from its start to its stop.
import type { Loop } from '../../platform/repeat.ts';
import type { CodeHost } from './code-host.ts';

export interface HostAdapter extends CodeHost {
  /** Once, at the start of the process tree that owns what the host keeps on disk, before anything else uses it. */
  recover(): Promise<void>;
  /** What the host does by itself: its records are compared with its repositories, at once and every minute unless told otherwise. */
  reconciler(options: { readonly everyMs?: number; readonly onError: (error: unknown) => void }): Loop;
  /** Ends what the host keeps running. Its loops have stopped before. */
  stop(): Promise<void>;
}
