import type { SandboxOutcome } from './port.ts';

/** The outcome of a run, in words for people. `what` names the program that could not be run. */
export function wordsOf(
  outcome: SandboxOutcome,
  run: { readonly what: string; readonly seconds: string; readonly timeoutSec: number; readonly lastLine: string },
): string {
  switch (outcome.kind) {
    case 'exited': {
      if (outcome.code === 0) return `Succeeded after ${run.seconds} s`;
      return `Exited with code ${outcome.code} after ${run.seconds} s${run.lastLine === '' ? '' : `: ${run.lastLine}`}`;
    }
    case 'timed out':
      return `Stopped after its time limit of ${run.timeoutSec} s`;
    case 'canceled':
      return `Canceled after ${run.seconds} s`;
    case 'stopped':
      return `Stopped after ${run.seconds} s: ${outcome.because}`;
    case 'failed':
      return `${run.what} could not be run: ${outcome.reason.slice(0, 500)}`;
    default: {
      const never: never = outcome;
      throw new Error(`Unknown outcome ${JSON.stringify(never)}`);
    }
  }
}

/** The last line that is not empty, shortened. */
export function lastLineOf(output: string): string {
  return (output.trimEnd().split('\n').at(-1) ?? '').trim().slice(0, 200);
}
