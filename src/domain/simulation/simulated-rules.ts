// In a simulated queue, each build has one check, and the own checks of all pull requests have passed. Other rules
// about checks have no effect.
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
