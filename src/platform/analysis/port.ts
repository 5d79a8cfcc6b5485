// What can be said of a head without running it: what a verification falls back to when there is nothing to drive.
export interface Analysis {
  /** A text for people: what is looked at, a model's review among it, or why there is none. */
  readonly said: string;
  /** Throws what may be tried again, and when the signal is aborted. Findings never come as errors. */
  analyse(request: AnalysisRequest): Promise<AnalysisReport>;
}

export interface AnalysisRequest {
  /** The title of the pull request. */
  readonly title: string;
  readonly head: string;
  /** The commit that its changes are compared with. */
  readonly base: string;
  /** What differs between the two; `mode` as git has it at the head, null for a file that is gone there. */
  readonly changes: readonly { readonly path: string; readonly mode: string | null }[];
  /** Text of a file; null when it is not there, or larger. */
  readonly read: (file: {
    readonly commit: string;
    readonly path: string;
    readonly maxBytes: number;
  }) => Promise<string | null>;
  /** What would have been driven, at the head. Null: there is no such file. */
  readonly skill: { readonly path: string; readonly text: string } | null;
  readonly signal: AbortSignal;
}

export interface AnalysisReport {
  /** `failed` when a finding is a failure. */
  readonly verdict: 'passed' | 'failed';
  /** Markdown, a few sentences: what was looked at, what was left out and why. */
  readonly summary: string;
  readonly findings: readonly Finding[];
  /** What a model's review cost, in millionths of a US dollar. */
  readonly costMicros: number;
}

export interface Finding {
  readonly path: string;
  /** From 1. Null: the file as a whole. */
  readonly line: number | null;
  readonly message: string;
  /** `note`: to be read, no reason to fail. */
  readonly weight: 'failure' | 'note';
}
