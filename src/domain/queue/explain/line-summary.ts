// The state of a line as a label and as a sentence, for badges and wall screens.

export interface LineFacts {
  readonly baseBranch: string;
  readonly queued: number;
  readonly building: number;
  readonly haltedReason: string | null;
  readonly isPaused: boolean;
  /** Null: no message was given. */
  readonly pauseMessage: string | null;
  /** The sentence about the freeze that stops all landings. Null: the base branch is not frozen. */
  readonly frozen: string | null;
}

export interface LineSummary {
  /** Green: nobody is in line. Blue: pull requests are in line. Amber: paused or frozen. Red: halted. */
  readonly tone: 'green' | 'blue' | 'amber' | 'red';
  /** A short text for a badge. */
  readonly short: string;
  readonly sentence: string;
}

export function describeLine(facts: LineFacts): LineSummary {
  const { baseBranch, queued, building, haltedReason, isPaused, pauseMessage, frozen } = facts;
  const inLine = `${queued} ${queued === 1 ? 'pull request is' : 'pull requests are'} in line.`;
  if (haltedReason !== null)
    return {
      tone: 'red',
      short: withCount('halted', queued),
      sentence: `${baseBranch} is halted: ${withStop(haltedReason)} ${inLine}`,
    };
  if (isPaused)
    return {
      tone: 'amber',
      short: withCount('paused', queued),
      sentence: `${baseBranch} is paused${pauseMessage === null ? '.' : `: ${withStop(pauseMessage)}`} ${inLine}`,
    };
  if (frozen !== null)
    return { tone: 'amber', short: withCount('frozen', queued), sentence: `${withStop(frozen)} ${inLine}` };
  if (queued === 0) return { tone: 'green', short: 'nobody in line', sentence: 'Nobody is in line.' };
  const builds = building === 0 ? 'None is built yet.' : `${building} ${building === 1 ? 'build runs' : 'builds run'}.`;
  return {
    tone: 'blue',
    short: building === 0 ? `${queued} in line` : `${queued} in line, ${building} building`,
    sentence: `${inLine} ${builds}`,
  };
}

function withCount(state: string, queued: number): string {
  return queued === 0 ? state : `${state}, ${queued} in line`;
}

function withStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
