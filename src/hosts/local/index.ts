export { createLocalHost } from './local-host.ts';
export type { LocalHostOptions } from './installation.ts';
export { registerGitHttp, type GitHttpOptions, type GitUser } from './http.ts';
export { createCiRunner, type CiRunner, type CiRunnerOptions } from './ci-runner.ts';
export { assertImportable, importRepository, type ImportedRepository } from './import.ts';
export { type LocalHost } from './local-host.port.ts';
