// Describes the state of a line by a label and a sentence, for badges and wall screens.

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
  /** Green: no pull request is in line. Blue: pull requests are in line. Amber: paused or frozen. Red: halted. */
  readonly tone: 'green' | 'blue' | 'amber' | 'red';
  /** A short text for a badge. */
  readonly short: string;
  readonly sentence: string;
}

export function describeLine(facts: LineFacts): LineSummary {
  const { baseBranch, queued, building, haltedReason, isPaused, pauseMessage, frozen } = facts;
  const inLine = inLineSentence(queued);
  if (haltedReason !== null)
    return {
      tone: 'red',
      short: withCount('halted', queued),
      sentence: `${baseBranch} is halted: ${withFullStop(haltedReason)} ${inLine}`,
    };
  if (isPaused)
    return {
      tone: 'amber',
      short: withCount('paused', queued),
      sentence: `${baseBranch} is paused${pauseMessage === null ? '.' : `: ${withFullStop(pauseMessage)}`} ${inLine}`,
    };
  if (frozen !== null)
    return { tone: 'amber', short: withCount('frozen', queued), sentence: `${withFullStop(frozen)} ${inLine}` };
  if (queued === 0) return { tone: 'green', short: 'none in line', sentence: inLine };
  const builds = building === 0 ? 'No build runs yet.' : `${building} ${building === 1 ? 'build runs' : 'builds run'}.`;
  return {
    tone: 'blue',
    short: building === 0 ? `${queued} in line` : `${queued} in line, ${building} building`,
    sentence: `${inLine} ${builds}`,
  };
}

function inLineSentence(queued: number): string {
  if (queued === 0) return 'No pull request is in line.';
  return `${queued} ${queued === 1 ? 'pull request is' : 'pull requests are'} in line.`;
}

function withCount(state: string, queued: number): string {
  return queued === 0 ? state : `${state}, ${queued} in line`;
}

function withFullStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
