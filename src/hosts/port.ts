// The port of a code host: the calls that Interlock makes to the system that has the repositories. The port has only
// calls that GitHub's API supports. So both adapters (`local/`, `github/`) give the same guarantees:
// - Commits and merges are made without a clone.
// - Refs move by compare-and-set, several of them in one atomic update.
// - The host's own merge call compares the head with an expected commit, but not the base.
// - A webhook is only a hint. It may arrive late, twice or never.
// - Every write is idempotent by its arguments, or is guarded by an expected old value. No adapter retries a write.
export * from './port/checks.ts';
export * from './port/code-host.ts';
export * from './port/composing.ts';
export * from './port/git.ts';
export * from './port/local-host-features.ts';
export * from './port/open-once.ts';
export * from './port/pull-requests.ts';
export * from './port/repository.ts';
export * from './port/host-client.ts';
