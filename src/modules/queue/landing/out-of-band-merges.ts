// Which pull requests a base branch took in while nobody kept records: told from plain git. A pull request is in a
// commit when merging its head into that commit changes nothing, and it arrived with the first commit of which that is
// true. This holds for squash, merge and rebase alike; inside of a group commit it names the member's own commit.
import type { Context } from '../../../context.ts';
import type { HostCommit } from '../../../hosts/port.ts';
import type { HostedRepository } from '../store/hosted-repository.ts';

const mostCommits = 100_000;
const mostInGroup = 1_000;
const scratchRef = 'refs/interlock/recover';

/** First-parent commits of a base, oldest first, from the one after what rows knew last up to the tip. Empty when none of `unknown` is among them. */
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
  const adapter = ctx.hosts(host.host);
  const tip = await adapter.readRef(host, `refs/heads/${base.branch}`);
  if (tip === null) return [];
  const line = (
    await adapter.listFirstParents(host, { from: base.managedFrom, to: tip.commit, limit: mostCommits })
  ).toReversed();
  const first = line.findIndex(({ commit }) => base.unknown.has(commit));
  if (first < 0) return [];
  const before = line.slice(0, first).findLastIndex(({ commit }) => base.known.has(commit));
  return line.slice(before + 1);
}

export interface Candidate {
  readonly pullRequestId: string;
  readonly number: number;
  /** Heads it is known by: pinned, on record, at the host. */
  readonly heads: readonly string[];
  /** In line it would land again: it is looked for in every commit, though later ones changed the same lines. */
  readonly isInLine: boolean;
}

export interface OutOfBandMerge {
  readonly pullRequestId: string;
  readonly number: number;
  readonly head: string;
  /** The first-parent commit it arrived with. */
  readonly commit: string;
  /** Its own commit inside. */
  readonly own: string;
}

export async function findOutOfBandMerges(
  ctx: Context,
  host: HostedRepository,
  line: readonly HostCommit[],
  candidates: readonly Candidate[],
): Promise<readonly OutOfBandMerge[]> {
  const [first] = line;
  if (first === undefined || candidates.length === 0) return [];
  const before = first.parents[0] === undefined ? null : await ctx.hosts(host.host).readCommit(host, first.parents[0]);
  const search: Search = { ctx, host, before, states: await readStates(ctx, host, line) };
  const found: { readonly candidate: Candidate; readonly head: string; readonly state: State }[] = [];
  for (const candidate of candidates) {
    const hit = await searchFor(search, candidate);
    if (hit !== null) found.push({ candidate, ...hit });
  }
  await forgetScratch(ctx, host);
  // The same change may be proposed twice: the one that a commit names is the one it holds.
  const named = new Set(
    found.filter(({ candidate, state }) => state.names.has(candidate.number)).map(({ state }) => state),
  );
  return found
    .filter(({ candidate, state }) => !named.has(state) || state.names.has(candidate.number))
    .map(({ candidate: { pullRequestId, number }, head, state }) => ({
      pullRequestId,
      number,
      head,
      commit: state.arrivedWith,
      own: state.commit === head ? state.arrivedWith : state.commit,
    }));
}

/** A commit the base went through, on its first-parent line or inside of a group commit. */
interface State {
  readonly commit: string;
  readonly tree: string;
  readonly arrivedWith: string;
  /** Numbers of the pull requests it is said to hold: by its own message, else by that of the landing. */
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
      const own = namedBy(inner.message);
      const names =
        own === null ? [...landed.message.matchAll(/\(#(\d+)\)$/gm)].map(([, number]) => Number(number)) : [own];
      states.push({ commit: inner.commit, tree: inner.tree, arrivedWith: landed.commit, names: new Set(names) });
    }
  }
  return states;
}

/** The members' own commits of a group commit, in order. Empty for any other commit. */
async function readGroup(
  ctx: Context,
  host: HostedRepository,
  { parents, tree, message }: HostCommit,
): Promise<readonly HostCommit[]> {
  const [parent, chain] = parents;
  // The merge commit of one pull request has that one's own history for its second parent.
  if (parent === undefined || chain === undefined || parents.length !== 2 || namedBy(message) !== null) return [];
  const own = (
    await ctx.hosts(host.host).listFirstParents(host, { from: parent, to: chain, limit: mostInGroup })
  ).toReversed();
  return own[0]?.parents[0] === parent && own.at(-1)?.tree === tree ? own : [];
}

function namedBy(message: string): number | null {
  const [subject = ''] = message.split('\n');
  const number = /\(#(\d+)\)$/.exec(subject)?.[1] ?? /^Merge pull request #(\d+)$/.exec(subject)?.[1];
  return number === undefined ? null : Number(number);
}

async function searchFor(search: Search, candidate: Candidate): Promise<{ head: string; state: State } | null> {
  for (const head of new Set(candidate.heads)) {
    if ((await search.ctx.hosts(search.host.host).readCommit(search.host, head)) === null) continue;
    const state = await searchHead(search, head, candidate);
    if (state !== null) return { head, state };
  }
  return null;
}

async function searchHead(search: Search, head: string, { number, isInLine }: Candidate): Promise<State | null> {
  const { states, before } = search;
  const contains = async (state: Pick<HostCommit, 'commit' | 'tree'>): Promise<boolean> =>
    await holds(search, state, head);
  for (const [index, state] of states.entries()) {
    if (!state.names.has(number)) continue;
    const previous = states[index - 1] ?? before;
    if ((await contains(state)) && (previous === null || !(await contains(previous)))) return state;
  }
  const last = states.at(-1);
  if (!isInLine && (last === undefined || !(await contains(last)))) return null;
  // In the base before: it brings nothing, and did not arrive with any of these.
  if (before !== null && (await contains(before))) return null;
  for (const state of states) if (await contains(state)) return state;
  return null;
}

async function holds(
  { ctx, host }: Search,
  state: Pick<HostCommit, 'commit' | 'tree'>,
  head: string,
): Promise<boolean> {
  if (state.commit === head) return true;
  const merged = await ctx.hosts(host.host).composeCommit(host, {
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
  const adapter = ctx.hosts(host.host);
  const there = await adapter.readRef(host, scratchRef);
  if (there !== null) await adapter.updateRefs(host, [{ ref: scratchRef, from: there.commit, to: null }]);
}
