// Judges the steps that were carried out in a preview.
import type { Verdict } from './preview.ts';

export type StepConclusion = 'passed' | 'failed' | 'skipped';

export interface JudgedStep {
  readonly scenario: string;
  readonly step: string;
  readonly conclusion: StepConclusion;
}

export interface Judgement {
  readonly verdict: Verdict;
  /** One sentence. */
  readonly summary: string;
}

/** If a step failed, the verdict is `failed`. If every step was skipped, nothing is proven, and the verdict is `error`. */
export function judgeSteps(steps: readonly JudgedStep[]): Judgement {
  const failed = steps.filter(({ conclusion }) => conclusion === 'failed');
  const passed = steps.filter(({ conclusion }) => conclusion === 'passed');
  const skipped = steps.length - failed.length - passed.length;
  const [first] = failed;
  if (first !== undefined) {
    const others = failed.length === 1 ? '' : `, and ${count(failed.length - 1, 'other step')} failed`;
    return { verdict: 'failed', summary: `${first.scenario}: ${first.step} failed${others}.` };
  }
  if (passed.length === 0) return { verdict: 'error', summary: 'No step could be carried out, so nothing is proven.' };
  const left = skipped === 0 ? '' : `, ${count(skipped, 'step')} skipped`;
  return { verdict: 'passed', summary: `${count(passed.length, 'step')} passed${left}.` };
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
