export { isAncestor } from './ancestry.ts';
export { updateHeadWithBase, cherryPick } from './cherry-pick.ts';
export { commitFolder, listChangedFiles } from './folder.ts';
export { checkOut } from './checkout.ts';
export { type Committer, countUnverifiedCommits, createCommitSigner, SigningKeyRefused } from './commit-signing.ts';
export { composeCommit, type WithCommitter } from './compose.ts';
export { createGit, type Git, type GitOutput } from './git.ts';
export { GitFailed, withHostErrors } from './git-failed.ts';
export { writeObject } from './loose-object.ts';
export {
  branchOf,
  branchRef,
  isBotBranch,
  isObjectId,
  isReservedRef,
  isTemporaryBranch,
  requireObjectId,
  zeroObjectId,
} from './names.ts';
export {
  asHostCommit,
  listAncestry,
  listCommits,
  listFirstParents,
  readCommit,
  readCommits,
  readFile,
  readRef,
  formatIdentity,
  writeCommit,
} from './objects.ts';
export { countLooseFiles, isPackingDue, packRepository } from './packing.ts';
export { packCommits } from './packs.ts';
export { readObjectHeader, readObjects } from './object-reader.ts';
export { explainRefusals } from './receiving.ts';
export { listRefs, readRefValue, readRefValues } from './ref-files.ts';
export {
  cheapestReadOfTimes,
  isStampTrue,
  readRefsStamp,
  readTimesInThread,
  type ReadTimes,
  type RefsStamp,
} from './ref-folders.ts';
export { completeAbandonedUpdates, removeStaleLocks, setRef, updateRefs } from './refs.ts';
