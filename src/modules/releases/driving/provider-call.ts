// One call to a provider whose runs continue without Interlock. A failure of the provider is returned as an outcome and
// not thrown, because it is not a failure of Interlock.
import { retryAtOf } from '../../../hosts/port.ts';
import type { ProviderCall } from '../../../domain/releases/drive.ts';
import type { RunOrRefusal } from './provider-run.ts';
import { cutText } from '../../../platform/storable-text.ts';
import { passFailpoint } from '../../../platform/failpoints.ts';
import {
  ProviderRefused,
  type ProviderReading,
  type ProviderRun,
  type Providers,
} from '../../../platform/providers/port.ts';

export type CallOutcome =
  | { readonly kind: 'triggered'; readonly name: string | null }
  /** `reading` is null if the provider cannot report the status. */
  | { readonly kind: 'read'; readonly reading: ProviderReading | null }
  | { readonly kind: 'cancel_sent'; readonly isGone: boolean }
  /** The provider refused for good, with this message. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The call failed, and may be tried again. */
  | { readonly kind: 'failed'; readonly message: string };

const maxCharacters = 500;

/** The purposes of a call to a provider. Names of failpoints begin with them. */
export type Subject = 'deployment' | 'build';

export interface ProviderCallRequest {
  readonly run: RunOrRefusal;
  readonly call: ProviderCall;
  /** The provider's name for the run. Null: the provider has given no name. */
  readonly name: string | null;
  readonly subject: Subject;
}

export async function callProvider(providers: Providers, { run, ...asked }: ProviderCallRequest): Promise<CallOutcome> {
  if (run instanceof ProviderRefused) return { kind: 'refused', message: run.message };
  await passFailpoint(`${asked.subject}:before_${asked.call}`);
  const outcome = await call(providers, { run, ...asked }).catch((error: unknown): CallOutcome => {
    // The code host asked for a pause. This is no failure, and the call is repeated after the pause.
    if (retryAtOf(error) !== null) throw error;
    const message = cutText(error instanceof Error ? error.message : String(error), maxCharacters);
    return { kind: error instanceof ProviderRefused ? 'refused' : 'failed', message };
  });
  await passFailpoint(`${asked.subject}:after_${asked.call}`);
  return outcome;
}

async function call(
  providers: Providers,
  { run, call, name }: ProviderCallRequest & { readonly run: ProviderRun },
): Promise<CallOutcome> {
  if (run.settings.kind === 'none') throw new Error('There is no provider to call.');
  const provider = providers(run.settings.kind);
  if (provider.shape !== 'remote') throw new Error(`The provider ${run.settings.kind} is supervised, not called.`);
  switch (call) {
    case 'trigger':
      return { kind: 'triggered', name: await provider.trigger(run) };
    case 'read':
      return { kind: 'read', reading: await provider.read(run, name) };
    case 'cancel':
      return { kind: 'cancel_sent', isGone: (await provider.cancel(run, name)) === 'gone' };
  }
}

/** Returns the result of the call as a text for people. */
export function outcomeText(outcome: CallOutcome): string {
  switch (outcome.kind) {
    case 'triggered':
      return outcome.name === null ? 'triggered' : `triggered as ${outcome.name}`;
    case 'read':
      return outcome.reading === null ? 'the provider cannot report the status' : readingText(outcome.reading);
    case 'cancel_sent':
      return outcome.isGone ? 'asked to cancel, and the provider knows no such run' : 'asked to cancel';
    case 'refused':
      return `refused: ${outcome.message}`;
    case 'failed':
      return `failed, and will be repeated: ${outcome.message}`;
  }
}

export function readingText({ state, message }: ProviderReading): string {
  return message === null ? state : `${state}: ${message}`;
}
