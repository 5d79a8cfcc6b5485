// Decides which required checks of a commit have not passed, and makes GitHub's sentence about them.
import type { RequiredCheck } from './model.ts';

/** The newest result of a check: of a check run in one check suite, or of a status. */
export interface CommitCheck {
  readonly name: string;
  readonly appId: number | null;
  readonly state: 'success' | 'pending' | 'failing';
}

type Outcome = CommitCheck['state'] | 'expected';

/**
 * The outcome of a required check. The check passes only if every result with its name passes, in all check suites and
 * as a status.
 */
function outcomeOf(required: RequiredCheck, checks: readonly CommitCheck[]): Outcome {
  const states = checks
    .filter((check) => check.name === required.context)
    .filter((check) => required.appId === null || required.appId === check.appId)
    .map((check) => check.state);
  if (states.length === 0) return 'expected';
  if (states.includes('failing')) return 'failing';
  return states.includes('pending') ? 'pending' : 'success';
}

const outcomeLabels = {
  expected: 'expected',
  pending: 'in progress',
  failing: 'failing',
} as const satisfies Record<Exclude<Outcome, 'success'>, string>;

/** GitHub's sentence about the required checks that have not passed. Null: all have passed. */
export function describeMissingChecks(
  required: readonly RequiredCheck[],
  checks: readonly CommitCheck[],
): string | null {
  const missing = required
    .map((check) => ({ name: check.context, outcome: outcomeOf(check, checks) }))
    .flatMap(({ name, outcome }) => (outcome === 'success' ? [] : [{ name, label: outcomeLabels[outcome] }]));
  const [first] = missing;
  if (first === undefined) return null;
  if (required.length === 1) return `Required status check "${first.name}" is ${first.label}.`;
  const head = `${missing.length} of ${required.length} required status checks`;
  const counts = Object.values(outcomeLabels)
    .map((label) => ({ label, count: missing.filter((check) => check.label === label).length }))
    .filter(({ count }) => count > 0)
    .map(({ label, count }) => `${count} ${label}`);
  if (counts.length === 1) return `${head} ${missing.length === 1 ? 'is' : 'are'} ${first.label}.`;
  return `${head} have not succeeded: ${counts.slice(0, -1).join(', ')} and ${counts.at(-1)}.`;
}
