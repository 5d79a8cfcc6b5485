export {
  replaceConfiguration,
  writeConfiguration,
  type ConfigurationAuthor,
  type ReplaceOutcome,
} from './configuration.service.ts';
export { readPause } from './branch-pauses.reads.ts';
export {
  decideHolds,
  holdColumns,
  readBranchHolds,
  readHoldRows,
  readHoldsOf,
  readPauseNow,
  type BranchHolds,
  type HoldRows,
} from './branch-holds.reads.ts';
export { pauseBranches, type PauseBranchesRequest } from './branch-pauses.service.ts';
export { embedLinkForgetting } from './embed-links.service.ts';
export { configurationHash } from './configuration.service.ts';
export { configurationOf, configurationProblem } from './configuration.in-force.ts';
export { pullRequestPage } from './pull-request-page.ts';
export { configurationReadingLines, readConfigurationFile, readConfigurationText } from './configuration.file.ts';
export {
  findRepository,
  loadActiveRepository,
  loadRepository,
  maySeeInside,
  readRepositoriesById,
  requireActive,
  readWhileSeen,
  requireAtHostOf,
  requireStillSeen,
  requireNotDeleted,
  type RepositoryName,
} from './repositories.reads.ts';
export { maySee, permissionOfHandle, readSeenPage, refusalsAtHost, seenAtOnce } from './host-access.ts';
export {
  listUnderWay,
  markDeleted,
  removeContents,
  removeDeletedRepositories,
  removeUnfinishedRepository,
} from './deletion.service.ts';
export {
  deletionChannel,
  clearNamesOnDeletion,
  loadKnownRepository,
  readKnownRepositories,
} from './known-repositories.ts';
export {
  endComparison,
  hasLine,
  planComparisons,
  renewComparisons,
  takeDueComparison,
  type DueComparison,
} from './host-comparisons.rows.ts';
export { warnOfLocalRepositories } from './local-repositories.ts';
export { numberOf, patternsOf } from './search.words.ts';
export { lockRepository, lockRepositoryForShare } from './repositories.locks.ts';
export {
  beginRepository,
  changeActivity,
  completeRepository,
  createRepository,
  pauseRepository,
  type NewRepository,
} from './repositories.service.ts';
export { readBranchFreezeInForce, readFreeze } from './branch-freezes.reads.ts';
export {
  announceBranchFreezes,
  deleteBranchFreeze,
  freezeBranches,
  scheduleBranchFreeze,
  unfreezeBranches,
} from './branch-freezes.service.ts';
export { checkedReason, checkedSchedule, checkedSpan } from './freezes.input.ts';
export {
  endFreezes,
  freezeColumns,
  freezeFacts,
  freezesOf,
  frozenFacts,
  insertFreeze,
  loadBranchFreezes,
  loadEnvironmentFreezes,
  toFreeze,
  type FreezeRecord,
  type StoredFreeze,
} from './freezes.rows.ts';
