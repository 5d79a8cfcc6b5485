// Where previews of ours run. A sandbox is found by its name, so that a sandbox whose worker was killed is found again,
// used, or taken away.
import type { PreviewImageKind } from '../../domain/previews/preview.ts';
import type { HostedRepository } from '../../hosts/port.ts';

export interface PreviewBoot {
  /** Deterministic: booting it twice is one sandbox, or a new one in the place of the old. */
  readonly name: string;
  readonly image: { readonly kind: PreviewImageKind; readonly source: string };
  readonly repository: HostedRepository;
  readonly commit: string;
  readonly port: number;
  /** Paths in the repository. */
  readonly setup: string;
  readonly teardown: string | null;
  /**
   * `HEAD_SHA`, `PREVIEW_URL` and the like. The sandbox adds PORT, because only the sandbox knows where the app has to
   * listen.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Secrets by the names of their variables in the sandbox. Their values are masked in every output and message. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly bootTimeoutMs: number;
  /**
   * It ends by itself after this long, counted from its boot, should nobody end it. Its teardown script has the end of
   * it.
   */
  readonly lifeMs: number;
}

export interface PreviewSandbox {
  /** `tcp:<host>:<port>` or `unix:<path>`: where the proxy and the driver reach the app. */
  readonly address: string;
  /** Runs the teardown script, then ends everything of it. Idempotent. */
  end(): Promise<void>;
  /** Settles with a message when it ended, by itself or by `end`. Never rejects. */
  readonly ended: Promise<string>;
}

export interface PreviewSandboxes {
  readonly kind: 'docker' | 'process';
  /** Whether an image of that kind can be booted here: null, or the reason why not. */
  refusal(kind: PreviewImageKind): Promise<string | null>;
  /**
   * Ready when it resolves: the setup script exited 0 and the port accepts a connection. Throws BootFailed. The signal
   * ends the boot alone, not what was booted.
   */
  boot(
    boot: PreviewBoot,
    supervision: { readonly signal: AbortSignal; readonly onOutput: (text: string) => void },
  ): Promise<PreviewSandbox>;
  /** Names of the sandboxes that run here. Removes sandboxes of dead workers and those past their time. */
  list(): Promise<readonly string[]>;
  /**
   * Ends a sandbox by its name, even if another worker booted it: its teardown script runs first where the sandbox
   * still answers, and may have run before. The outcome is reported in sentences; the script's output is not, for
   * nobody knows its secrets. Idempotent.
   */
  destroy(name: string, report?: (sentence: string) => void): Promise<void>;
}

/** A sandbox did not come up, and would not at another try. The message is for people and has no secrets. */
export class BootFailed extends Error {}
