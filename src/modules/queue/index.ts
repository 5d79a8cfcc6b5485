export { advanceQueue, type Advance } from './advance.ts';
export { driveBatch, type BatchProgress } from './batch.drive.ts';
export type { BatchNeed } from './batch.rows.ts';
export {
  askToBackport,
  askToRefresh,
  askToSync,
  type AskAnswer,
  type BackportRequest,
} from './branch-work.service.ts';
export {
  addComment,
  labelPullRequest,
  openThread,
  readComments,
  readThreads,
  resolveThread,
} from './conversations.service.ts';
export { haltQueue, resumeQueue } from './halting.service.ts';
export { createHostInbox, type HostInbox } from './host.inbox.ts';
export { syncBase } from './host.bases.ts';
export { syncPullRequest } from './host.pull-requests.ts';
export { reconcileRepository } from './host.reconciler.ts';
export { hosted, type HostedRepository } from './host.repository.ts';
export { carryOut } from './intents.ts';
export { verifyRepository, type Verification } from './verify.ts';
export { recoverDatabase } from './recovery.ts';
export { surveyInstallation, type Survey } from './recovery.survey.ts';
export { createRelay, type Relay } from './relay.ts';
export { haltOnUnknownLandings } from './unknown-landings.ts';
export { forgetOldVersions } from './past.retention.ts';
export { approvePullRequest } from './reviews.service.ts';
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
} from './queue.service.ts';
