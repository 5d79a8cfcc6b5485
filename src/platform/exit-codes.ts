// The exit codes of `interlock` and of the programs that it runs. docs/command-line.md has the same table.
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

/** Returns the outcome of a program that ended with this exit code. */
export function outcomeOfExit(exitCode: number): Outcome {
  const found = (Object.keys(exitCodes) as Outcome[]).find((outcome) => exitCodes[outcome] === exitCode);
  return found ?? 'failed';
}
