export {
  replaceConfiguration,
  writeConfiguration,
  type ConfigurationAuthor,
  type ReplaceOutcome,
} from './configuration.service.ts';
export { pauseInForce, readPause } from './branch-pauses.reads.ts';
export { pauseBranches, type PauseBranchesRequest } from './branch-pauses.service.ts';
export { readConfigurationFile } from './configuration.file.ts';
export { findRepository, loadRepository, readRepositoriesById, type RepositoryName } from './repositories.reads.ts';
export { createRepository, pauseRepository, type NewRepository } from './repositories.service.ts';
