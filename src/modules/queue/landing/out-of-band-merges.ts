// Finds out, from git alone, which pull requests without a recorded landing a base branch contains. A commit contains a
// pull request if merging the pull request's head into the commit changes nothing. The pull request landed with the
// first commit that contains it. This is true for squash, merge and rebase. Within a group commit, the own commit of
// the pull request is found.
import type { Context } from '../../../context.ts';
import { hostClient, type HostCommit, type HostedRepository } from '../../../hosts/port.ts';

const maxCommits = 100_000;
const maxInGroup = 1_000;
const scratchRef = 'refs/interlock/recover';

/**
 * The first-parent commits of a base branch without records, oldest first, up to the tip. They begin after the last
 * recorded commit before the first commit of `unknown`. Empty if no commit of `unknown` is on the base branch.
 */
export async function readUnrecordedLine(
  ctx: Context,
  host: HostedRepository,
  base: {
    readonly branch: string;
    readonly managedFrom: string | null;
    readonly known: ReadonlySet<string>;
    readonly unknown: ReadonlySet<string>;
  },
): Promise<readonly HostCommit[]> {
  const client = hostClient(ctx, host);
  const tip = await client.readRef(`refs/heads/${base.branch}`);
  if (tip === null) return [];
  const line = (
    await client.listFirstParents({ from: base.managedFrom, to: tip.commit, limit: maxCommits })
  ).toReversed();
  const first = line.findIndex(({ commit }) => base.unknown.has(commit));
  if (first < 0) return [];
  const before = line.slice(0, first).findLastIndex(({ commit }) => base.known.has(commit));
  return line.slice(before + 1);
}

export interface Candidate {
  readonly pullRequestId: string;
  readonly number: number;
  /** The known heads: the pinned head, the head in the row, and the head at the host. */
  readonly heads: readonly string[];
  /**
   * Whether the pull request is in line. It would then land again, so each commit is examined, even if later commits
   * changed the same lines.
   */
  readonly isInLine: boolean;
}

export interface OutOfBandMerge {
  readonly pullRequestId: string;
  readonly number: number;
  readonly head: string;
  /** The first-parent commit of the base branch with which the pull request landed. */
  readonly commit: string;
  /** The pull request's own commit within `commit`. */
  readonly own: string;
}

export async function findOutOfBandMerges(
  ctx: Context,
  host: HostedRepository,
  { line, candidates }: { readonly line: readonly HostCommit[]; readonly candidates: readonly Candidate[] },
): Promise<readonly OutOfBandMerge[]> {
  const [first] = line;
  if (first === undefined || candidates.length === 0) return [];
  const before = first.parents[0] === undefined ? null : await hostClient(ctx, host).readCommit(first.parents[0]);
  const search: Search = { ctx, host, before, states: await readStates(ctx, host, line) };
  const found: { readonly candidate: Candidate; readonly head: string; readonly state: State }[] = [];
  for (const candidate of candidates) {
    const hit = await searchFor(search, candidate);
    if (hit !== null) found.push({ candidate, ...hit });
  }
  await forgetScratch(ctx, host);
  // Two pull requests may have the same change. If the message of a commit names one of the pull requests, the commit
  // belongs to the named one.
  const namedStates = new Set(
    found.filter(({ candidate, state }) => state.names.has(candidate.number)).map(({ state }) => state),
  );
  return found
    .filter(({ candidate, state }) => !namedStates.has(state) || state.names.has(candidate.number))
    .map(({ candidate: { pullRequestId, number }, head, state }) => ({
      pullRequestId,
      number,
      head,
      commit: state.landedWith,
      own: state.commit === head ? state.landedWith : state.commit,
    }));
}

/** An earlier state of the base branch: a commit on its first-parent line, or an own commit inside a group commit. */
interface State {
  readonly commit: string;
  readonly tree: string;
  readonly landedWith: string;
  /**
   * Numbers of the pull requests that the message of the commit names, or, if it names none, the message of the
   * landing.
   */
  readonly names: ReadonlySet<number>;
}

interface Search {
  readonly ctx: Context;
  readonly host: HostedRepository;
  readonly before: Pick<HostCommit, 'commit' | 'tree'> | null;
  readonly states: readonly State[];
}

async function readStates(ctx: Context, host: HostedRepository, line: readonly HostCommit[]): Promise<State[]> {
  const states: State[] = [];
  for (const landed of line) {
    for (const inner of [...(await readGroup(ctx, host, landed)), landed]) {
      const own = numberInSubject(inner.message);
      const names =
        own === null ? [...landed.message.matchAll(/\(#(\d+)\)$/gm)].map(([, number]) => Number(number)) : [own];
      states.push({ commit: inner.commit, tree: inner.tree, landedWith: landed.commit, names: new Set(names) });
    }
  }
  return states;
}

/** The own commits of the members of a group commit, in order. Empty for any other commit. */
async function readGroup(
  ctx: Context,
  host: HostedRepository,
  { parents, tree, message }: HostCommit,
): Promise<readonly HostCommit[]> {
  const [parent, chain] = parents;
  // The second parent of a merge commit of one pull request is the history of that pull request.
  if (parent === undefined || chain === undefined || parents.length !== 2 || numberInSubject(message) !== null)
    return [];
  const own = (
    await hostClient(ctx, host).listFirstParents({ from: parent, to: chain, limit: maxInGroup })
  ).toReversed();
  return own[0]?.parents[0] === parent && own.at(-1)?.tree === tree ? own : [];
}

function numberInSubject(message: string): number | null {
  const [subject = ''] = message.split('\n');
  const number = /\(#(\d+)\)$/.exec(subject)?.[1] ?? /^Merge pull request #(\d+)$/.exec(subject)?.[1];
  return number === undefined ? null : Number(number);
}

async function searchFor(search: Search, candidate: Candidate): Promise<{ head: string; state: State } | null> {
  for (const head of new Set(candidate.heads)) {
    if ((await hostClient(search.ctx, search.host).readCommit(head)) === null) continue;
    const state = await searchHead(search, head, candidate);
    if (state !== null) return { head, state };
  }
  return null;
}

async function searchHead(search: Search, head: string, { number, isInLine }: Candidate): Promise<State | null> {
  const { states, before } = search;
  const contains = async (state: Pick<HostCommit, 'commit' | 'tree'>): Promise<boolean> =>
    await containsHead(search, state, head);
  for (const [index, state] of states.entries()) {
    if (!state.names.has(number)) continue;
    const previous = states[index - 1] ?? before;
    if ((await contains(state)) && (previous === null || !(await contains(previous)))) return state;
  }
  const last = states.at(-1);
  if (!isInLine && (last === undefined || !(await contains(last)))) return null;
  // The base branch already contained the pull request, so it did not land with any of these commits.
  if (before !== null && (await contains(before))) return null;
  for (const state of states) if (await contains(state)) return state;
  return null;
}

async function containsHead(
  { ctx, host }: Search,
  state: Pick<HostCommit, 'commit' | 'tree'>,
  head: string,
): Promise<boolean> {
  if (state.commit === head) return true;
  const merged = await hostClient(ctx, host).composeCommit({
    parent: state.commit,
    members: [
      { head, strategy: 'squash', message: 'recover\n', authorName: 'recover', authorEmail: 'recover@interlock' },
    ],
    batchCommit: 'linear',
    groupMessage: 'recover\n',
    at: 0,
    keepRef: scratchRef,
  });
  return merged.kind === 'composed' && merged.tree === state.tree;
}

async function forgetScratch(ctx: Context, host: HostedRepository): Promise<void> {
  const client = hostClient(ctx, host);
  const current = await client.readRef(scratchRef);
  if (current !== null) await client.updateRefs([{ ref: scratchRef, from: current.commit, to: null }]);
}
