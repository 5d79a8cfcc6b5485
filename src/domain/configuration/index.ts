export { configurationSchema, defaultConfigurationYaml } from './keys.ts';
export type { Configuration } from './keys.ts';
export { parseConfiguration } from './parse.ts';
export type { ParsedConfiguration } from './parse.ts';
export { problemText } from './problem.ts';
export type { Problem, ProblemCode } from './problem.ts';
export { numberOfApprovals, toQueueRules } from './queue-rules.ts';
export { isManagedBranch, namedBaseBranches } from './managed-branch.ts';
export { configurationJsonSchema, configurationMarkdown } from './reference.ts';
