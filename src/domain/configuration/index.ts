export { duplicateKeys } from './duplicate-keys.ts';
export { configurationPath, configurationSchema, defaultConfigurationYaml } from './keys.ts';
export type { Configuration } from './keys.ts';
export { parseConfiguration } from './parse.ts';
export type { ParsedConfiguration } from './parse.ts';
export { problemText } from './problem.ts';
export type { Problem, ProblemCode } from './problem.ts';
export {
  findMergeCommits,
  isMergedByHost,
  numberOfApprovals,
  requiresVerification,
  toQueueRules,
  type HostDemands,
} from './queue-rules.ts';
export { isManagedBranch, namedBaseBranches } from './managed-branch.ts';
export { configurationReadingLines, decidePushRefusal, type ConfigurationReading, type KnownPush } from './push.ts';
export { exemptPaths, previewEntries } from './previews.ts';
export { configurationJsonSchema, configurationMarkdown } from './reference.ts';
export { failedValidations, validationsDigest } from './validations.ts';
export { landingWindow, landingsFrom, type LandingWindow } from './merge-windows.ts';
export { blockedLabel } from './merge-rules.keys.ts';
export { defaultPreviewName } from './verify.keys.ts';
