export { advanceQueue, planIfIrrelevant, type Advance } from './planning/advance.ts';
export { planBeforeWake } from './planning/plan-before-wake.ts';
export { driveBatch, type BatchProgress } from './builds/batch.drive.ts';
export { readTracesOfBatch } from './facts/traces.ts';
export { recordServiceCheck } from './facts/service-checks.ts';
export type { NextBatchStep } from './store/batch.rows.ts';
export {
  requestBackport,
  requestRefresh,
  requestSync,
  type BranchWorkAnswer,
  type BackportRequest,
} from './requests/branch-work.service.ts';
export { configurationOf, labelRulesOf } from './store/rules-in-force.ts';
export { haltQueue, resumeQueue } from './requests/halting.service.ts';
export { createHostInbox, type HostInbox } from './requests/host.inbox.ts';
export { hintsAreDue, storeHints, type HostHint, type PlannedHint } from './store/host-hints.ts';
export { sqlUnrecorded } from './facts/builds.loader.ts';
export { listBranchesInUse, syncBase } from './facts/base-branches.ts';
export { syncPullRequest } from './host-sync/pull-requests.ts';
export { readIdleStamp, reconcileRepository } from './requests/host.reconciler.ts';
export { carryOut, carryOutAll } from './effects/intents.ts';
export { examineRepository } from './requests/examine.ts';
export { verifyRepository, type Verification } from './landing/verify.ts';
export { canonical, digestProof, type ProofBody } from './landing/proof.ts';
export { beginRecovery, recoverRepositories } from './landing/recovery.ts';
export { surveyInstallation, type Survey } from './landing/recovery.survey.ts';
export { createRelay, queuesAreDue } from './effects/relay.ts';
export { haltOnUnknownLandings } from './facts/unknown-landings.ts';
export { explainAll } from './api/explain.reads.ts';
export { batchById } from './api/batches.reads.ts';
export { pullRequestById } from './api/pull-requests.reads.ts';
export { historyForgetting, intentForgetting, targetsForgetting } from './store/retention.ts';
export { setRepositoryActive } from './requests/activation.service.ts';
export {
  closePullRequest,
  reopenPullRequest,
  openPullRequest,
  type OpenRequest,
} from './requests/host-pull-requests.service.ts';
export { approvePullRequest } from './requests/conversations.service.ts';
export {
  dequeuePullRequest,
  previewDequeueing,
  previewQueueing,
  queuePullRequest,
  updatePullRequest,
  type PullRequestRef,
  type QueueRequest,
  type RepositoryRef,
  type UpdateRequest,
} from './requests/queue.service.ts';
export { type PullRequestAnswer } from './requests/pull-request.changes.ts';
