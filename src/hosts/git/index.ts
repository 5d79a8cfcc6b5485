export { bringUpToDate, cherryPick } from './carry.ts';
export { composeCommit } from './compose.ts';
export { createGit, GitFailed, type Git } from './git.ts';
export {
  branchOf,
  branchRef,
  isBotBranch,
  isObjectId,
  isRefName,
  isReservedRef,
  isTemporaryBranch,
  objectId,
  zeroObjectId,
} from './names.ts';
export {
  asHostCommit,
  isAncestor,
  listCommits,
  listFirstParents,
  listRefs,
  readCommit,
  readCommits,
  readFile,
  readRef,
} from './objects.ts';
export { isAlive } from './process.ts';
export { countUnverifiedCommits } from './signatures.ts';
export { completeAbandonedUpdates, readRefValue, removeStaleLocks, updateRefs } from './refs.ts';
