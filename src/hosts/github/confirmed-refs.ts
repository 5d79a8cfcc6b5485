// Decides whether an answer about refs counts. A repository is read by its name. After a renaming, its owner may make
// another repository with this name, and the token may read it. So the name is confirmed before refs count that differ
// from what is known of the repository.
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { HostRepository } from '../port.ts';
import { isPrefix, matchesPattern, type ReadRefs, type RemoteRef } from './remote-refs.ts';

/** The commits of refs by their full names. */
export type RefCommits = ReadonlyMap<string, string>;

export interface ConfirmedReaderOptions {
  /** Reads refs by the name of the repository. */
  readonly read: ReadRefs;
  /** The stored tips of the default branch, and of those of the given refs that are base branches. */
  readonly readTips: (repository: HostRepository, refs: readonly string[]) => Promise<RefCommits>;
  /** Throws HostUnavailable if the name belongs to another repository. */
  readonly confirmName: (repository: HostRepository) => Promise<void>;
}

/** How many answers to a pattern are remembered. */
const maxAnswers = 100_000;

/**
 * Makes a function that reads refs of the repository itself. An answer counts at once if it repeats the last confirmed
 * one, or the stored tips. The first list of a process also counts at once if the default branch is at its stored tip in
 * the same answer. So a repository in which nothing happens needs no confirmation after a start. Each other answer
 * counts after a confirmation that begins after the read, because a name that was lost does not come back at once.
 */
export function createConfirmedReader({ read, readTips, confirmName }: ConfirmedReaderOptions): ReadRefs {
  const confirmed = new LRUCache<string, string>({ max: maxAnswers });
  const confirm = joinCalls(confirmName);
  return async (repository, patterns) => {
    const keys = patterns.map((pattern) => JSON.stringify([keyOf(repository), pattern]));
    const isNewList = patterns.some(isPrefix) && keys.some((key) => !confirmed.has(key));
    const anchors = isNewList ? await readTips(repository, patterns) : null;
    const found = await read(repository, [...new Set([...patterns, ...(anchors?.keys() ?? [])])]);
    const digests = patterns.map((pattern) => digestOf(found.filter(({ ref }) => matchesPattern(ref, [pattern]))));
    if (keys.some((key, index) => confirmed.get(key) !== digests[index])) {
      const isKnown = anchors
        ? anchors.size > 0 && isAt(found, anchors)
        : await areStored(patterns, found, async () => await readTips(repository, patterns));
      if (!isKnown) await confirm(repository);
      for (const [index, key] of keys.entries()) confirmed.set(key, digests[index] ?? '');
    }
    return found.filter(({ ref }) => matchesPattern(ref, patterns));
  };
}

function keyOf({ accountId, id, owner, name }: HostRepository): string {
  return JSON.stringify([accountId, id, owner, name]);
}

function digestOf(refs: readonly RemoteRef[]): string {
  return createHash('sha256').update(JSON.stringify(refs)).digest('base64');
}

function isAt(refs: readonly RemoteRef[], expected: RefCommits): boolean {
  const found = new Map(refs.map(({ ref, commit }) => [ref, commit]));
  return [...expected].every(([ref, commit]) => found.get(ref) === commit);
}

/** Whether the patterns name only base branches that are at their stored tips. */
async function areStored(
  patterns: readonly string[],
  refs: readonly RemoteRef[],
  readTips: () => Promise<RefCommits>,
): Promise<boolean> {
  if (!patterns.every((pattern) => pattern.startsWith('refs/heads/') && !isPrefix(pattern))) return false;
  const tips = await readTips();
  return patterns.every((pattern) => refs.some(({ ref, commit }) => ref === pattern && tips.get(ref) === commit));
}

/** Joins the calls for a repository that wait while one is in progress. Each call begins after it was asked for. */
function joinCalls(call: (repository: HostRepository) => Promise<void>): (repository: HostRepository) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();
  return async (repository) => {
    const key = keyOf(repository);
    const joined = waiting.get(key);
    if (joined !== undefined) return await joined;
    const before = running.get(key) ?? Promise.resolve();
    const made = before
      .catch(() => {})
      .then(async () => {
        waiting.delete(key);
        running.set(key, made);
        await call(repository);
      })
      .finally(() => {
        if (running.get(key) === made) running.delete(key);
      });
    waiting.set(key, made);
    await made;
  };
}
