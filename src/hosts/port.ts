// The code host port: what Interlock asks of the place where repositories live. The port asks for nothing that GitHub's
// API cannot do, so that both adapters (`local/`, `github/`) offer the very same guarantees:
// commits and merges are made without a clone; refs move by compare-and-set, several in one atomic update;
// the host's own merge call guards the head but not the base; webhooks are hints that come late, twice or never.
// Every write is idempotent by its arguments or guarded by an expected old value, and no adapter retries a write.
export * from './port/checks.ts';
export * from './port/code-host.ts';
export * from './port/composing.ts';
export * from './port/git.ts';
export * from './port/local-host-features.ts';
export * from './port/pull-requests.ts';
export * from './port/repository.ts';
export * from './port/host-client.ts';
