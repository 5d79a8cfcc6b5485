// Drives an app as its skill says: by requests and, where there is one, a browser. What an app answers is anybody's.
import type { Scenario } from '../../domain/previews/skill.ts';
import type { StepConclusion } from '../../domain/previews/judge.ts';

/**
 * Where the app is reached: a sandbox of ours by its address (`tcp:<host>:<port>`, `unix:<path>`), else a user's URL.
 */
export type AppTarget =
  | { readonly kind: 'sandbox'; readonly address: string }
  | { readonly kind: 'endpoint'; readonly url: string };

export interface Drive {
  readonly target: AppTarget;
  readonly scenarios: readonly Scenario[];
  /** Of the preview that is driven: scenarios of other ones are skipped. */
  readonly preview: string;
  /** `{{secret.NAME}}` in a step is one of these. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface DrivenStep {
  readonly scenario: string;
  readonly step: string;
  readonly conclusion: StepConclusion;
  /** What was seen. May have secrets in it. */
  readonly detail: string | null;
  readonly durationMs: number;
}

export interface AppDriver {
  /** Which browser drives, or why none does, in a sentence. */
  readonly browser: string;
  /** A step that failed ends its scenario: what comes after it is skipped. Throws only when the signal is aborted. */
  drive(
    drive: Drive,
    supervision: { readonly signal: AbortSignal; readonly onStep: (step: DrivenStep) => Promise<void> },
  ): Promise<void>;
}
