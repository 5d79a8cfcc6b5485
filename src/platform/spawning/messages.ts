// The messages between a process and its spawner. Each message has the number of the child that it is about.

export interface SpawnRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdio: readonly ('ignore' | 'pipe')[];
  readonly detached?: boolean | undefined;
  readonly passesPipes?: boolean | undefined;
}

/**
 * Whether the spawner passes the pipe of this descriptor on. Each pipe that is passed delays the other messages of the
 * spawner until this process has taken it, so the error output, which is mostly empty, comes in messages.
 */
export function isPassedOn({ passesPipes = false }: SpawnRequest, descriptor: number): boolean {
  return passesPipes && descriptor < 2;
}

export type Order =
  | { readonly kind: 'start'; readonly child: number; readonly request: SpawnRequest }
  /** The spawner replies with `written`. */
  | { readonly kind: 'write'; readonly child: number; readonly chunk: Uint8Array }
  | { readonly kind: 'endInput'; readonly child: number }
  /** This many bytes of an output were read, so the spawner may send as many more. */
  | { readonly kind: 'read'; readonly child: number; readonly descriptor: number; readonly bytes: number }
  | { readonly kind: 'closeOutput'; readonly child: number; readonly descriptor: number }
  | { readonly kind: 'kill'; readonly child: number; readonly signal: NodeJS.Signals; readonly isGroup: boolean };

export type Report =
  | { readonly kind: 'started'; readonly child: number; readonly pid: number }
  /** Comes with the pipe of this descriptor, which the spawner uses no more. */
  | { readonly kind: 'pipe'; readonly child: number; readonly descriptor: number }
  | { readonly kind: 'failed'; readonly child: number; readonly message: string; readonly code: string | undefined }
  /** `error`: why the child cannot read any more. Null: the chunk was written. */
  | { readonly kind: 'written'; readonly child: number; readonly error: string | null }
  | { readonly kind: 'output'; readonly child: number; readonly descriptor: number; readonly chunk: Uint8Array }
  | { readonly kind: 'outputEnded'; readonly child: number; readonly descriptor: number }
  | {
      readonly kind: 'exited';
      readonly child: number;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    };
