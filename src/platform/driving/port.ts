// The port that drives an app as its skill says: by HTTP requests and, if there is one, by a browser. Answers of an app
// are untrusted.
import type { Scenario } from '../../domain/previews/skill.ts';
import type { StepConclusion } from '../../domain/previews/judge.ts';

/**
 * Where the app is reached: a sandbox of Interlock by its address (`tcp:<host>:<port>` or `unix:<path>`), or an
 * endpoint by its URL.
 */
export type AppTarget =
  | { readonly kind: 'sandbox'; readonly address: string }
  | { readonly kind: 'endpoint'; readonly url: string };

export interface Drive {
  readonly target: AppTarget;
  readonly scenarios: readonly Scenario[];
  /** The name of the preview that is tested. Scenarios for other previews are skipped. */
  readonly preview: string;
  /** The values that replace `{{secret.NAME}}` in a step, by NAME. */
  readonly secrets: Readonly<Record<string, string>>;
}

export interface DrivenStep {
  readonly scenario: string;
  readonly step: string;
  readonly conclusion: StepConclusion;
  /** What was observed. It may contain secrets. */
  readonly detail: string | null;
  readonly durationMs: number;
}

export interface AppDriver {
  /** A sentence that says which browser is used, or why none is. */
  readonly browser: string;
  /** After a failed step, the rest of its scenario is skipped. Throws only if the signal is aborted. */
  drive(
    drive: Drive,
    supervision: { readonly signal: AbortSignal; readonly onStep: (step: DrivenStep) => Promise<void> },
  ): Promise<void>;
}
