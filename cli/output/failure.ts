// The failure of a command: a sentence that says what to do, and an exit code for scripts.

/** The exit codes. docs/command-line.md has the same table. */
export const exitCodes = {
  done: 0,
  /** The service refused, or the command ended badly, for example with a blocked pull request. */
  refused: 1,
  /** The command was called wrongly, or needs a terminal to ask the user. */
  usage: 2,
  unreachable: 3,
  unauthorised: 4,
  /** The service or this program failed. */
  failed: 5,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

export type Outcome = keyof typeof exitCodes;

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly outcome: Outcome;
  /** The API's code, or a code of the command line in the same style. */
  readonly code: string;
  /** The name of the input at fault, as in the API. Null: the failure names none. */
  readonly field: string | null;
  constructor(
    outcome: Outcome,
    message: string,
    more: { readonly code?: string; readonly field?: string | null } = {},
  ) {
    super(message);
    this.outcome = outcome;
    this.code = more.code ?? outcome.toUpperCase();
    this.field = more.field ?? null;
  }
}

const outcomes: Readonly<Record<string, Outcome>> = {
  BAD_INPUT: 'usage',
  SKIP_LINE_REASON_REQUIRED: 'usage',
  UNAUTHENTICATED: 'unauthorised',
  FORBIDDEN: 'unauthorised',
  RATE_LIMITED: 'unreachable',
  HOST_UNAVAILABLE: 'unreachable',
  UNAVAILABLE: 'unreachable',
  INTERNAL: 'failed',
};

/** Returns the outcome for a code of the API (interface 7). Codes that are not listed are refusals. */
export function outcomeOf(code: string): Outcome {
  return outcomes[code] ?? 'refused';
}
