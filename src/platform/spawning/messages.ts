// What a process and its spawner say to each other. Everything of one child carries its number.

export interface SpawnRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdio: readonly ('ignore' | 'pipe')[];
  readonly detached?: boolean | undefined;
}

export type Order =
  | { readonly kind: 'start'; readonly child: number; readonly request: SpawnRequest }
  /** Answered by `written`. */
  | { readonly kind: 'write'; readonly child: number; readonly chunk: Uint8Array }
  | { readonly kind: 'endInput'; readonly child: number }
  /** So many bytes of an output were read: as many more may be sent. */
  | { readonly kind: 'read'; readonly child: number; readonly descriptor: number; readonly bytes: number }
  | { readonly kind: 'closeOutput'; readonly child: number; readonly descriptor: number }
  | { readonly kind: 'kill'; readonly child: number; readonly signal: NodeJS.Signals; readonly isGroup: boolean };

export type Report =
  | { readonly kind: 'started'; readonly child: number; readonly pid: number }
  | { readonly kind: 'failed'; readonly child: number; readonly message: string; readonly code: string | undefined }
  /** `error`: the child reads no more. */
  | { readonly kind: 'written'; readonly child: number; readonly error: string | null }
  | { readonly kind: 'output'; readonly child: number; readonly descriptor: number; readonly chunk: Uint8Array }
  | { readonly kind: 'outputEnded'; readonly child: number; readonly descriptor: number }
  | {
      readonly kind: 'exited';
      readonly child: number;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    };
