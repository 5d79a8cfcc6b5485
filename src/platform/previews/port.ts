// The port of sandboxes in which previews run. A sandbox has a deterministic name, so that another worker can find and
// remove a container whose worker was killed.
import type { PreviewImageKind } from '../../domain/previews/preview.ts';
import type { HostedRepository } from '../../hosts/port.ts';

export interface PreviewBoot {
  /** Deterministic. Booting a second sandbox of this name replaces the first. */
  readonly name: string;
  readonly image: { readonly kind: PreviewImageKind; readonly source: string };
  readonly repository: HostedRepository;
  readonly commit: string;
  /** The port of the app in the configuration. */
  readonly port: number;
  /** The path of the setup script in the repository. */
  readonly setup: string;
  /** The path of the teardown script in the repository. Null: there is none. */
  readonly teardown: string | null;
  /**
   * Environment variables such as `HEAD_SHA` and `PREVIEW_URL`. The sandbox adds PORT, which is `port`, or a free port
   * if the sandbox has no network of its own.
   */
  readonly env: Readonly<Record<string, string>>;
  /** Secrets, by the names of their environment variables. Their values are masked in all outputs and messages. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly bootTimeoutMs: number;
  /**
   * The worker ends the sandbox after this time, counted from the boot. If the worker was killed, another worker ends it
   * when it compares the sandboxes with their rows. The teardown script runs within this time.
   */
  readonly lifeMs: number;
}

export interface PreviewSandbox {
  /** The address at which the proxy and the driver reach the app: `tcp:<host>:<port>` or `unix:<path>`. */
  readonly address: string;
  /** Runs the teardown script, then ends all processes of the sandbox and removes its files. Idempotent. */
  end(): Promise<void>;
  /** Resolves with a message when the sandbox has ended, by itself or by `end`. Never rejects. */
  readonly ended: Promise<string>;
}

export interface PreviewSandboxes {
  readonly kind: 'docker' | 'process';
  /** Why an image of this kind cannot be booted on this worker. Null: it can. */
  refusal(kind: PreviewImageKind): Promise<string | null>;
  /**
   * Resolves when the setup script has exited with 0 and the app's port accepts a connection. Throws BootFailed. The
   * signal aborts only the boot, and has no effect on a sandbox that is up.
   */
  boot(
    boot: PreviewBoot,
    supervision: { readonly signal: AbortSignal; readonly onOutput: (text: string) => void },
  ): Promise<PreviewSandbox>;
  /**
   * Returns the names of the running sandboxes: of this worker, or for containers of all workers on this machine. Also
   * removes the files of dead workers. Ends no sandbox, because only the rows say whether its teardown script may run.
   */
  list(): Promise<readonly string[]>;
  /**
   * Ends a sandbox by its name. A container is ended even if another worker booted it. If the sandbox still answers, its teardown script
   * runs first, possibly for the second time. `report` receives sentences about the outcome. The script's output is not
   * reported, because it may contain secrets that this worker does not know. Idempotent.
   */
  destroy(name: string, report?: (sentence: string) => void): Promise<void>;
  /** Like `destroy`, without the teardown script. */
  remove(name: string): Promise<void>;
}

/** A sandbox could not be booted, and a retry cannot help. The message is for people and contains no secrets. */
export class BootFailed extends Error {}
