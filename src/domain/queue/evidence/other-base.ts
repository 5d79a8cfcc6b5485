// Decides until when workflow runs of a head may have tested it with another base branch than the present one.

/**
 * How long after its event GitHub may make a workflow run. GitHub does not say for which event, and so for which base
 * branch, it has made a run.
 */
const runFollowsWithinMs = 60_000;

/** What is known of a pull request before it is read. Instants are in milliseconds since the epoch. */
export interface BaseBefore {
  readonly isSameHead: boolean;
  /** When its base branch had last changed. Null: never, or an earlier version read it last. */
  readonly baseChangedAt: number | null;
  readonly otherBaseUntil: number | null;
  /** Since when changes of its base branch are recorded. An earlier version has judged the changes before. */
  readonly baseFollowedSince: number;
  /**
   * Whether the head contains the tip that its earlier base branch had at the change. Then every merge of the head into
   * that branch has the tree of the head. False also if this is not known.
   */
  readonly containsEarlierBase: boolean;
}

/** How far the clock of the host may be from the service's own. */
const clockDifferenceMs = 60_000;

/**
 * Until when GitHub may have made workflow runs that tested the head with another base branch, in milliseconds since the
 * epoch. Null: there is no such run. `before` is null if the pull request is read for the first time.
 */
export function decideOtherBaseUntil(changedAt: number | null, before: BaseBefore | null): number | null {
  if (changedAt === null) return null;
  if (before === null) return changedAt + runFollowsWithinMs;
  // Runs of a head that was pushed after the change are made after the change.
  if (before.baseChangedAt === changedAt) return before.isSameHead ? before.otherBaseUntil : changedAt;
  const isOfEarlierVersion = before.baseChangedAt === null && changedAt < before.baseFollowedSince - clockDifferenceMs;
  if (before.isSameHead && (isOfEarlierVersion || before.containsEarlierBase)) return before.otherBaseUntil;
  return changedAt + runFollowsWithinMs;
}
