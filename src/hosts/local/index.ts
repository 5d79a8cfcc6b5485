export { createLocalHost } from './local-host.ts';
export type { LocalHostOptions } from './installation.ts';
export { registerGitHttp } from './http.ts';
export { createCiRunner } from './ci-runner.ts';
export { type CopiedRepository, copyRepository, gitOf, repositoryPath } from './repository-copy.ts';
export { findOldestOutput, removeOldOutput } from './old-output.ts';
export { findLostRepositories, findMissingRepositories } from './repositories.ts';
export { openChecks } from './check-run-leases.rows.ts';
export { type LocalHost } from './local-host.port.ts';
