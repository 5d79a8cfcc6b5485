export { bringUpToDate, cherryPick } from './carry.ts';
export { listChangedFiles } from './changes.ts';
export { composeCommit } from './compose.ts';
export { commitFolder } from './folder.ts';
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
  listAncestry,
  listCommits,
  listFirstParents,
  listRefs,
  readCommit,
  readCommits,
  readFile,
  readRef,
} from './objects.ts';
export { countUnverifiedCommits } from './signatures.ts';
export { completeAbandonedUpdates, readRefValue, removeStaleLocks, updateRefs } from './refs.ts';
