// The objects that all parts of the emulator share.
import type { RandomSource } from './faults/random.ts';
import type { FaultState, Controls } from './faults/controls.ts';
import type { GitStore } from './git/store.ts';
import type { HostEvent } from './webhooks/events.ts';
import type { Rules } from './git/rules.ts';
import type { RateLimits } from './http/limits.ts';
import type { State } from './model/state.ts';

export interface Core {
  readonly state: State;
  /** The bare repositories. */
  readonly git: GitStore;
  readonly random: RandomSource;
  readonly controls: Controls;
  readonly faults: FaultState;
  readonly limits: RateLimits;
  readonly rules: Rules;
  readonly urls: Urls;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** The present instant in GitHub's form, with whole seconds. */
  readonly now: () => string;
  /** Sends an event to the parts and the webhooks. Events are handled one after another, in their order. */
  readonly emit: (event: HostEvent) => void;
  /** Resolves when all emitted events were handled and all webhooks were answered. */
  readonly settled: () => Promise<void>;
  /** Errors of the emulator itself: answers that GitHub's description does not allow, and listeners that failed. */
  readonly mistakes: string[];
}

export interface Urls {
  /** For example `http://127.0.0.1:4900`, without a slash at the end. */
  readonly web: string;
  readonly api: string;
  readonly graphql: string;
}

export function instant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
