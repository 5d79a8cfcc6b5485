export { configurationHash, replaceConfiguration, writeConfiguration, type ConfigurationAuthor, type ReplaceOutcome } from './configuration.service.ts';
export { changeQueues, lockRepository } from './repositories.locks.ts';
export { findRepository, loadRepository, readRepositoriesById, type RepositoryName } from './repositories.reads.ts';
export { createRepository, pauseRepository, type NewRepository } from './repositories.service.ts';
