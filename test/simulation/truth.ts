// What CI would say of a commit, which only its files decide, and what CI has said. The rules compare the base with
// this and not with rows of the service.
import type { Installation } from './installation.ts';

export type Conclusion = 'success' | 'failure' | 'error' | 'timed_out' | 'cancelled';

export interface Truth {
  /** Whether the files of a commit are green together. */
  isGreen(commit: string): Promise<boolean>;
  /** What CI says: mostly the truth. CI never says that a red commit is green. */
  judge(commit: string, whim: number): Promise<Conclusion>;
  report(commit: string, conclusion: Conclusion): void;
  /** Commits of which CI has reported something untrue. */
  readonly wronged: ReadonlySet<string>;
  /** Commits that CI has reported as green. */
  readonly green: ReadonlySet<string>;
  /** Whether CI says only the truth now. */
  isHonest(): boolean;
  setHonest(isHonest: boolean): void;
}

const flakyShare = 0.02;
const brokenShare = 0.03;

export function createTruth(i: Installation): Truth {
  const wronged = new Set<string>();
  const green = new Set<string>();
  const greenByFiles = new Set<string>();
  let isHonest = false;
  const truth: Truth = {
    async isGreen(commit) {
      const names = await i.git.filesOf(commit);
      const isGreen = [...names].every(
        (name) => !name.startsWith('bad') && !(name.endsWith('-left') && names.has(name.replace(/left$/, 'right'))),
      );
      if (isGreen) greenByFiles.add(commit);
      return isGreen;
    },
    async judge(commit, whim) {
      const isGreen = await truth.isGreen(commit);
      if (!isHonest && whim < brokenShare) return whim < brokenShare / 2 ? 'error' : 'timed_out';
      if (!isHonest && isGreen && whim < brokenShare + flakyShare) return 'failure';
      return isGreen ? 'success' : 'failure';
    },
    report(commit, conclusion) {
      if (conclusion === 'success') green.add(commit);
      else if (conclusion !== 'cancelled' && (conclusion !== 'failure' || greenByFiles.has(commit)))
        wronged.add(commit);
    },
    wronged,
    green,
    isHonest: () => isHonest,
    setHonest: (given) => void (isHonest = given),
  };
  return truth;
}
