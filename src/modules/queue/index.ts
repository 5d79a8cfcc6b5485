export { advanceQueue, type Advance } from './planning/advance.ts';
export { driveBatch, type BatchProgress } from './builds/batch.drive.ts';
export { recordServiceCheck } from './builds/service-checks.ts';
export type { BatchNeed } from './builds/batch.rows.ts';
export {
  askToBackport,
  askToRefresh,
  askToSync,
  type AskAnswer,
  type BackportRequest,
} from './branches/branch-work.service.ts';
export {
  addComment,
  labelPullRequest,
  openThread,
  readComments,
  readCommitsOf,
  readThreads,
  resolveThread,
} from './asking/conversations.service.ts';
export { configurationOf, labelRulesOf } from './planning/configuration.cache.ts';
export { haltQueue, resumeQueue } from './planning/halting.service.ts';
export { createHostInbox, type HostInbox } from './observing/host.inbox.ts';
export { syncBase } from './observing/host.bases.ts';
export { syncPullRequest } from './observing/host.pull-requests.ts';
export { reconcileRepository } from './observing/host.reconciler.ts';
export { hosted, type HostedRepository } from './observing/host.repository.ts';
export { carryOut } from './landing/intents.ts';
export { verifyRepository, type Verification } from './landing/verify.ts';
export { recoverDatabase } from './landing/recovery.ts';
export { surveyInstallation, type Survey } from './landing/recovery.survey.ts';
export { createRelay, type Relay } from './planning/relay.ts';
export { haltOnUnknownLandings } from './landing/unknown-landings.ts';
export { batchById } from './builds/batches.reads.ts';
export { pullRequestById } from './pull-requests.reads.ts';
export { forgetOldVersions } from './explaining/past.retention.ts';
export { setRepositoryActive } from './asking/activity.service.ts';
export { closePullRequest, reopenPullRequest } from './asking/closing.service.ts';
export { approvePullRequest } from './asking/reviews.service.ts';
export {
  dequeuePullRequest,
  openPullRequest,
  previewDequeueing,
  previewQueueing,
  queuePullRequest,
  updatePullRequest,
  type OpenRequest,
  type PullRequestAnswer,
  type PullRequestRef,
  type QueueRequest,
  type RepositoryRef,
  type UpdateRequest,
} from './asking/queue.service.ts';
