// A simulated queue has one check, which its builds pass or not, and pull requests whose own checks have passed. What
// rules say of checks beyond that has nothing to act on there.
import type { QueueRules } from '../queue/model/snapshot.ts';

export function simulatedRules(rules: QueueRules): QueueRules {
  return {
    ...rules,
    requiredChecks: null,
    ownRequiredChecks: null,
    retriableChecks: null,
    finalGates: [],
    checksStartedTimeoutMins: 0,
    waitsForPendingWorkflows: false,
    skipDraftWhenUpToDate: false,
  };
}
