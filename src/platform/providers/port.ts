// The port of providers, which carry out deployments and builds. A provider has one of two shapes: `remote` runs
// continue by themselves and are polled, `supervised` runs last only while a worker supervises them. Every call may be
// made twice. Calls with the same `key` are about the same run.
import type { ProviderState } from '../../domain/releases/provider-answers.ts';
import type { ProviderSettings } from '../../domain/releases/release.ts';
import type { HostedRepository } from '../../hosts/port.ts';

export interface ProviderRun<Settings extends ProviderSettings = ProviderSettings> {
  readonly accountId: string;
  /**
   * The key of this run. If a provider is triggered again with the same key, it must return the existing run, or do
   * nothing harmful.
   */
  readonly key: string;
  readonly settings: Settings;
  /** The decrypted secret of the provider. Null: the provider has none. */
  readonly secret: string | null;
  readonly repository: HostedRepository;
  readonly commit: string;
  /**
   * Facts for the provider, by names in snake_case, such as `deployment_id`, `environment` and
   * `release_candidate_version`.
   */
  readonly facts: Readonly<Record<string, string>>;
}

/** The state of a run, as the provider reports it. */
export interface ProviderReading {
  readonly state: ProviderState;
  /** A text for people. Null: the provider sent none. */
  readonly message: string | null;
  readonly url: string | null;
}

export interface RemoteProvider {
  readonly shape: 'remote';
  /**
   * Starts the run. Returns the provider's name for the run. Null: the provider gives the run no name. Throws
   * ProviderRefused if a retry cannot help. After any other error it may be called again.
   */
  trigger(run: ProviderRun): Promise<string | null>;
  /** Null: the provider cannot be queried, and only reports the state of the run itself. */
  read(run: ProviderRun, name: string | null): Promise<ProviderReading | null>;
  /**
   * Requests the cancellation of the run. Idempotent. `asked`: the provider has accepted the request, but the run may
   * continue for a while. `gone`: the provider has no such run.
   */
  cancel(run: ProviderRun, name: string | null): Promise<'asked' | 'gone'>;
}

export interface SupervisedProvider {
  readonly shape: 'supervised';
  /**
   * Runs until the end. If the signal is aborted, all processes of the run are stopped, and the state is `canceled`.
   */
  run(run: ProviderRun, supervision: Supervision): Promise<ProviderReading>;
}

export interface Supervision {
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
}

export type Provider = RemoteProvider | SupervisedProvider;
export type Providers = (kind: Exclude<ProviderSettings['kind'], 'none'>) => Provider;

/** The provider refused, and a retry cannot help. The message is the provider's. */
export class ProviderRefused extends Error {}

/** The settings of a run, as those of a given kind. Throws if the settings are of another kind. */
export function settingsOf<Kind extends ProviderSettings['kind']>(
  { settings }: ProviderRun,
  kind: Kind,
): Extract<ProviderSettings, { readonly kind: Kind }> {
  if (settings.kind !== kind) throw new Error(`A run of ${settings.kind} came to the provider ${kind}.`);
  return settings as Extract<ProviderSettings, { readonly kind: Kind }>;
}
