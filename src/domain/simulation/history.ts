// What a queue went through, as the log and its builds tell it: who stood in line from when to when, how it ended, and
// how long CI took for what. A pull request that was queued twice stood in line twice.
import type { Targets } from '../queue/model/overlap.ts';

export interface LogEntry {
  readonly action: 'queued' | 'merged' | 'blocked' | 'dequeued';
  readonly pullRequest: string;
  /** Milliseconds since the epoch, as all instants here. */
  readonly at: number;
  /** Of a block. */
  readonly code: number | null;
  readonly author: string;
  readonly skipLine: boolean;
  readonly targets: Targets;
}

/** A commit of the base branch, as git tells of it. */
export interface PastMerge {
  readonly commit: string;
  /** The name that git was given. */
  readonly author: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * The log of a branch that had no queue: each change is queued when it was merged, because git does not tell since when it
 * was wanted. In the order in which they happened.
 */
export function logOfMerges(merges: readonly PastMerge[]): LogEntry[] {
  return merges
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ commit, author, at }) => {
      const entry = { pullRequest: commit, at, code: null, author, skipLine: false, targets: null };
      return [
        { action: 'queued', ...entry },
        { action: 'merged', ...entry },
      ] as const;
    });
}

/** One time in line. */
export interface Stay {
  readonly pullRequest: string;
  readonly author: string;
  readonly targets: Targets;
  readonly skipLine: boolean;
  readonly arrivedAt: number;
  /** `failed`: CI's word. `left`: another reason, which says nothing of whether it passes. Null: it stands there still. */
  readonly end: { readonly at: number; readonly as: 'landed' | 'failed' | 'left' } | null;
}

export interface PastBatch {
  readonly id: string;
  /** Pull requests. */
  readonly members: readonly string[];
  /** Those a speculative build was put on. */
  readonly assumes: readonly string[];
  readonly parent: string | null;
  /** CI was asked. */
  readonly isBuilt: boolean;
  /** When it was decided on: what making it takes is part of what CI takes. */
  readonly startedAt: number;
  /** When its last check ended. Null: CI said nothing, or was stopped. */
  readonly endedAt: number | null;
  readonly verdict: 'green' | 'red' | null;
}

export interface PastBuild extends PastBatch {
  /** Everything between the base and its commit, members included. */
  readonly content: readonly string[];
}

/** Of a check that failed, and of a build that ran out of time. */
const failures: ReadonlySet<number | null> = new Set([107, 111]);

/** By arrival. Who stood in line before the first entry is left out: since when is not told. */
export function staysOf(log: readonly LogEntry[]): Stay[] {
  const open = new Map<string, LogEntry>();
  const stays: Stay[] = [];
  for (const entry of log) {
    const arrival = open.get(entry.pullRequest);
    if (entry.action === 'queued') open.set(entry.pullRequest, arrival ?? entry);
    else if (arrival !== undefined) {
      open.delete(entry.pullRequest);
      stays.push(stayOf(arrival, { at: entry.at, as: endOf(entry) }));
    }
  }
  const standing = [...open.values()].map((arrival) => stayOf(arrival, null));
  return [...stays, ...standing].sort((a, b) => a.arrivedAt - b.arrivedAt);
}

function stayOf({ pullRequest, author, targets, skipLine, at }: LogEntry, end: Stay['end']): Stay {
  return { pullRequest, author, targets, skipLine, arrivedAt: at, end };
}

function endOf({ action, code }: LogEntry): NonNullable<Stay['end']>['as'] {
  if (action === 'merged') return 'landed';
  return action === 'blocked' && failures.has(code) ? 'failed' : 'left';
}

/** Batches oldest first, so that each parent comes before what stands on it. */
export function buildsOf(batches: readonly PastBatch[]): PastBuild[] {
  const contents = new Map<string, readonly string[]>();
  return batches.map((batch) => {
    const below = batch.parent === null ? [] : (contents.get(batch.parent) ?? []);
    const content = [...below, ...batch.assumes, ...batch.members];
    contents.set(batch.id, content);
    return { ...batch, content };
  });
}
