// The port of code analysis, which examines a head without running it. A verification uses it if there is no preview to
// test.
export interface Analysis {
  /** A sentence for people: which model reviews the changes, or why none does. */
  readonly sentence: string;
  /** Throws errors that may be tried again, and the signal's reason. A finding is never an error. */
  analyse(request: AnalysisRequest): Promise<AnalysisReport>;
}

export interface AnalysisRequest {
  /** The title of the pull request. */
  readonly title: string;
  readonly head: string;
  /** The commit that the head is compared with. */
  readonly base: string;
  /**
   * The files that differ between `base` and `head`. `mode` is git's file mode at the head, or null if the head does
   * not have the file.
   */
  readonly changes: readonly { readonly path: string; readonly mode: string | null }[];
  /** Returns the text of a file. Null: the file does not exist, or it has more than `maxBytes`. */
  readonly read: (file: {
    readonly commit: string;
    readonly path: string;
    readonly maxBytes: number;
  }) => Promise<string | null>;
  /**
   * The skill file at the head, which says how a preview would have been tested. Null: the head has no skill file.
   */
  readonly skill: { readonly path: string; readonly text: string } | null;
  readonly signal: AbortSignal;
}

export interface AnalysisReport {
  /** `failed` if at least one finding is a failure. */
  readonly verdict: 'passed' | 'failed';
  /** Markdown, a few sentences: what was examined, what was left out and why. */
  readonly summary: string;
  readonly findings: readonly Finding[];
  /** The cost of the model's review, in millionths of a US dollar. */
  readonly costMicros: number;
}

export interface Finding {
  readonly path: string;
  /** Counted from 1. Null: the finding is about the whole file. */
  readonly line: number | null;
  readonly message: string;
  /** A `note` does not make the analysis fail. */
  readonly weight: 'failure' | 'note';
}
