export interface Schemathesis {
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface SchemathesisRun {
  readonly status: number | null;
  readonly output: string;
  /** Undefined when it broke off. */
  readonly report:
    | {
        /** Requests meant to be valid, by operation, phase, and how they were answered. */
        readonly valid_rates: Readonly<Record<string, Readonly<Record<string, { readonly accepted: number }>>>>;
      }
    | undefined;
}

export function findSchemathesis(options?: {
  readonly log?: (line: string) => void;
  readonly env?: Readonly<Record<string, string | undefined>>;
}): Schemathesis;

export function runSchemathesis(
  tool: Schemathesis,
  options: {
    readonly url: string;
    readonly token: string;
    readonly examples: number;
    /** Default: all. */
    readonly phases?: readonly string[];
    /** The `operationId`s. Default: all. */
    readonly operations?: readonly string[];
    readonly seed: number;
    readonly log?: (text: string) => void;
  },
): Promise<SchemathesisRun>;
