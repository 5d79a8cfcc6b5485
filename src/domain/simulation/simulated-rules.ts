// A simulated queue has one check, which its builds pass or fail, and pull requests whose own checks have passed. Other
// rules about checks have no effect in it.
import type { QueueRules } from '../queue/model/rules.ts';

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
