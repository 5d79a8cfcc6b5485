// Rules for the planner under which only builds decide about a landing.
import { noParallelRules } from '../../../src/domain/configuration/queue-rules.ts';
import type { QueueRules } from '../../../src/domain/queue/model/rules.ts';

export const rulesOfPlanner: QueueRules = {
  ...noParallelRules,
  mode: 'parallel',
  speculation: 'linear',
  useAffectedTargets: false,
  maxParallelBuilds: null,
  batchSize: 1,
  batchMaxWaitMinutes: 0,
  useOptimisticValidation: true,
  optimisticValidationFailureDepth: 10,
  maxRequeueAttempts: 0,
  ciTimeoutMins: 0,
  skipDraftWhenUpToDate: true,
  strategy: 'squash',
  batchCommit: 'group',
  requiredChecks: null,
  ownRequiredChecks: [],
  retriableChecks: null,
  waitsForPendingWorkflows: false,
  finalGates: [],
  buildKeysHash: 'keys',
};
