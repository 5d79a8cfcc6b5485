// What a provider that deploys or builds must do. There are two shapes: a run that goes on by itself and is polled, and
// a command that lives only while a worker supervises it. Every call may come twice. Calls with the same `key` are
// about one run.
import type { ProviderState } from '../../domain/releases/drive.ts';
import type { ProviderSettings } from '../../domain/releases/release.ts';
import type { HostedRepository } from '../../hosts/port.ts';

export interface ProviderRun<Settings extends ProviderSettings = ProviderSettings> {
  readonly accountId: string;
  /** Of this very run: asked again with it, the provider answers the run there is, or does no harm. */
  readonly key: string;
  readonly settings: Settings;
  /** Decrypted. Null: there is none. */
  readonly secret: string | null;
  readonly repository: HostedRepository;
  readonly commit: string;
  /**
   * Facts for the provider: snake_case names and values, such as `deployment_id`, `environment`,
   * `release_candidate_version`.
   */
  readonly facts: Readonly<Record<string, string>>;
}

/** How a run stands, as the provider says. */
export interface ProviderReading {
  readonly state: ProviderState;
  /** A text for people. Null: nothing to say. */
  readonly message: string | null;
  readonly url: string | null;
}

export interface RemoteProvider {
  readonly shape: 'remote';
  /**
   * Answers the provider's name for the run; null where it has none. Throws ProviderRefused for good, else may be tried
   * again.
   */
  trigger(run: ProviderRun): Promise<string | null>;
  /** Null: it cannot be asked, and the run is known only by its reports. */
  read(run: ProviderRun, name: string | null): Promise<ProviderReading | null>;
  /** Idempotent. That it was asked, not that it has ended; `gone`: the provider knows of no such run. */
  cancel(run: ProviderRun, name: string | null): Promise<'asked' | 'gone'>;
}

export interface SupervisedProvider {
  readonly shape: 'supervised';
  /** Runs to its end. Aborted: everything it started is stopped, and it answers `canceled`. */
  run(run: ProviderRun, supervision: Supervision): Promise<ProviderReading>;
}

export interface Supervision {
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
}

export type Provider = RemoteProvider | SupervisedProvider;
export type Providers = (kind: Exclude<ProviderSettings['kind'], 'none'>) => Provider;

/** The provider refused for good, with its message. */
export class ProviderRefused extends Error {}

/** The settings of a run that came to the provider of their kind. */
export function settingsOf<Kind extends ProviderSettings['kind']>(
  { settings }: ProviderRun,
  kind: Kind,
): Extract<ProviderSettings, { readonly kind: Kind }> {
  if (settings.kind !== kind) throw new Error(`A run of ${settings.kind} came to the provider ${kind}.`);
  return settings as Extract<ProviderSettings, { readonly kind: Kind }>;
}
