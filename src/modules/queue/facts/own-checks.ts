// What a pull request's own required checks say of its head: the same to admission, the planner, the gate and explanations.
import { failedChecks, judgeChecks, missingChecks } from '../../../domain/queue/evidence/evidence.ts';
import type { BuildState, QueueRules, Verdict } from '../../../domain/queue/model/snapshot.ts';

export interface OwnChecks {
  readonly verdict: Verdict;
  readonly failed: readonly string[];
  /** Those of the failed that never ran. */
  readonly missing: readonly string[];
}

/** The word of a pull request's own required checks. A canceled run proves nothing either way. */
export function judgeOwn(build: BuildState | undefined, rules: QueueRules): OwnChecks {
  if (build === undefined || build.canceled) return { verdict: 'none', failed: [], missing: [] };
  const verdict = judgeChecks(build, rules.ownRequiredChecks);
  if (verdict !== 'red') return { verdict, failed: [], missing: [] };
  const required = rules.ownRequiredChecks;
  return { verdict, failed: failedChecks(build, required), missing: missingChecks(build, required) };
}
