// Derives the past of a queue from its log and its batches: when each pull request entered and left the line, why it
// left, and how long CI took for each build. A pull request that was queued twice has two stays.
import type { Targets } from '../queue/model/overlap.ts';

export interface LogEntry {
  readonly action: 'queued' | 'merged' | 'blocked' | 'dequeued';
  readonly pullRequest: string;
  /** Milliseconds since the epoch, like all instants here. */
  readonly at: number;
  /** The code of the block. Null for other actions. */
  readonly code: number | null;
  readonly author: string;
  readonly skipLine: boolean;
  readonly targets: Targets;
}

/** A commit of the base branch, as recorded by git. */
export interface PastMerge {
  readonly commit: string;
  /** The author's name in git. */
  readonly author: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Returns the log of a branch that had no queue, in chronological order. Each commit counts as queued when it was
 * merged, because git does not record when the merge was requested.
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

/** The time of a pull request in line, from entry to exit. */
export interface Stay {
  readonly pullRequest: string;
  readonly author: string;
  readonly targets: Targets;
  readonly skipLine: boolean;
  readonly arrivedAt: number;
  /**
   * `failed`: blocked because of a failed check or a build that timed out. `left`: it left the line for a reason that
   * says nothing about CI. Null: it is still in line.
   */
  readonly end: { readonly at: number; readonly as: 'landed' | 'failed' | 'left' } | null;
}

export interface PastBatch {
  readonly id: string;
  /** Ids of pull requests. */
  readonly members: readonly string[];
  /** The pull requests that a speculative build assumes. */
  readonly assumes: readonly string[];
  readonly parent: string | null;
  /** Whether a build was started. */
  readonly isBuilt: boolean;
  /** When the batch was decided. The duration of the build contains the time in which its commit was made. */
  readonly startedAt: number;
  /** When its last check ended. Null: the build has no result, or was stopped. */
  readonly endedAt: number | null;
  readonly verdict: 'green' | 'red' | null;
}

export interface PastBuild extends PastBatch {
  /** All pull requests between the base branch and the commit of the batch, including the members. */
  readonly content: readonly string[];
}

/** The codes of a failed check and of a build that timed out. */
const failures: ReadonlySet<number | null> = new Set([107, 111]);

/**
 * Returns the stays in order of arrival. Pull requests that were in line before the first entry are left out, because
 * their arrival is not known.
 */
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
  const openStays = [...open.values()].map((arrival) => stayOf(arrival, null));
  return [...stays, ...openStays].sort((a, b) => a.arrivedAt - b.arrivedAt);
}

function stayOf({ pullRequest, author, targets, skipLine, at }: LogEntry, end: Stay['end']): Stay {
  return { pullRequest, author, targets, skipLine, arrivedAt: at, end };
}

function endOf({ action, code }: LogEntry): NonNullable<Stay['end']>['as'] {
  if (action === 'merged') return 'landed';
  return action === 'blocked' && failures.has(code) ? 'failed' : 'left';
}

/**
 * Adds the content to each batch. `batches` must be ordered oldest first, so that each parent is before the batches on
 * it.
 */
export function buildsOf(batches: readonly PastBatch[]): PastBuild[] {
  const contents = new Map<string, readonly string[]>();
  return batches.map((batch) => {
    const below = batch.parent === null ? [] : (contents.get(batch.parent) ?? []);
    const content = [...below, ...batch.assumes, ...batch.members];
    contents.set(batch.id, content);
    return { ...batch, content };
  });
}
