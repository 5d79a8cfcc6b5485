// The origin of each commit between two candidates: a landing, a pull request that was merged past the queue, or a
// push. Commits that a merge brought have the origin of the merge.

export interface HistoryCommit {
  readonly commit: string;
  readonly parents: readonly string[];
}

/** A known landing: all first-parent commits after `after`, up to `commit`. */
export interface KnownLanding {
  readonly batchId: string;
  readonly commit: string;
  readonly after: string;
}

export interface MergedPullRequest {
  readonly pullRequestId: string;
  readonly number: number;
  readonly commit: string;
}

export interface Origin {
  readonly batchId: string | null;
  readonly pullRequestIds: readonly string[];
  /** Why the commit has no proof. Null: the commit has a proof. */
  readonly withoutProof: string | null;
}

export interface KnownMerges {
  readonly landings: readonly KnownLanding[];
  readonly merged: readonly MergedPullRequest[];
}

/** The origin of each of `commits`, the history of `tip`. `known` gives pull requests and landings by their commits. */
export function originsOf(
  commits: readonly HistoryCommit[],
  tip: string,
  { landings, merged }: KnownMerges,
): Map<string, Origin> {
  const line = firstParentsOf(commits, tip);
  const mergedBy = Map.groupBy(merged, ({ commit }) => commit);
  const landedBy = new Map(landings.map((landing) => [landing.commit, landing]));
  const ofLine = new Map<string, Origin>();
  let landing: KnownLanding | undefined;
  for (const { commit } of line) {
    if (landing?.after === commit) landing = undefined;
    landing = landedBy.get(commit) ?? landing;
    ofLine.set(commit, originOf(landing, mergedBy.get(landing?.commit ?? commit) ?? []));
  }
  const origins = new Map(ofLine);
  for (const [commit, by] of broughtBy(commits, line)) origins.set(commit, ofLine.get(by) as Origin);
  return origins;
}

function originOf(landing: KnownLanding | undefined, merged: readonly MergedPullRequest[]): Origin {
  const pullRequestIds = merged.map(({ pullRequestId }) => pullRequestId);
  if (landing !== undefined) return { batchId: landing.batchId, pullRequestIds, withoutProof: null };
  const names = merged.map(({ number }) => `#${number}`).join(', ');
  const withoutProof =
    names === ''
      ? 'The commit was pushed, and no known pull request contains it.'
      : `Pull request ${names} was merged past the queue.`;
  return { batchId: null, pullRequestIds, withoutProof };
}

/** Newest first. */
function firstParentsOf(commits: readonly HistoryCommit[], tip: string): HistoryCommit[] {
  const byId = new Map(commits.map((each) => [each.commit, each]));
  const line: HistoryCommit[] = [];
  for (let at = byId.get(tip); at !== undefined; at = byId.get(at.parents[0] ?? '')) line.push(at);
  return line;
}

/** For each commit beside the first-parent line, the first commit on the line that contains it. */
function broughtBy(commits: readonly HistoryCommit[], line: readonly HistoryCommit[]): Map<string, string> {
  const beside = new Map(commits.map((each) => [each.commit, each]));
  for (const { commit } of line) beside.delete(commit);
  const brought = new Map<string, string>();
  for (const { commit: by, parents } of line.toReversed()) {
    const open = parents.slice(1);
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const side = beside.get(at);
      if (side === undefined) continue;
      beside.delete(at);
      brought.set(at, by);
      open.push(...side.parents);
    }
  }
  return brought;
}
