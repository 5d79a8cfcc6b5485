// What every part of the emulator works with.
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
  /** The clock in GitHub's form, with seconds. */
  readonly now: () => string;
  /** Tells the parts and the webhooks what happened. Listeners run one after another, in the order of the events. */
  readonly emit: (event: HostEvent) => void;
  /** Resolves when every event so far has been heard, and every webhook so far has been answered. */
  readonly settled: () => Promise<void>;
  /** Mistakes of the emulator itself: answers that GitHub's description does not allow, listeners that failed. */
  readonly mistakes: string[];
}

export interface Urls {
  /** http://127.0.0.1:4900, no slash at the end. */
  readonly web: string;
  readonly api: string;
  readonly graphql: string;
}

export function instant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
