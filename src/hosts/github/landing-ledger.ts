// The ledger of landings: `refs/interlock/ledger` lists landing refs of earlier days, so that a push, which GitHub
// answers with every ref, and a listing of landings stay small. Each commit of the ledger names refs and their commits
// in its message. Those commits are its parents too, so that GitHub keeps them.
//
// The ledger and the deletion of what it lists are one atomic push. Anybody who may write to the repository can delete
// the ledger or move it back: then landings of earlier days have no ref, and the rows decide.
import { type Git, signature, writeCommit } from '../git/index.ts';
import type { HostRepository, Identity, RefUpdate } from '../port.ts';
import type { RemoteRef } from './remote-refs.ts';

export const ledgerRef = 'refs/interlock/ledger';
export const landingPrefix = 'refs/interlock/landings/';

/** Landing refs with the commits they named. */
export type Ledger = ReadonlyMap<string, string>;

/** Whether the ledger has to be read for this pattern: a full name, or a prefix that ends in `/`. */
export function concernsLandings(pattern: string): boolean {
  return pattern.startsWith(landingPrefix) || (pattern.endsWith('/') && landingPrefix.startsWith(pattern));
}

/**
 * Lines `<commit> <ref>` among others. Of a ref that is named twice the first counts, because a landing ref never
 * moves.
 */
export function parseLedger(text: string): Ledger {
  const ledger = new Map<string, string>();
  for (const [, commit = '', ref = ''] of text.matchAll(/^([0-9a-f]{40}) (refs\/interlock\/landings\/\S+)$/gm))
    if (!ledger.has(ref)) ledger.set(ref, commit);
  return ledger;
}

/**
 * What stands at GitHub, and what the ledger has beside it, in the order of the names. A ref that stands counts first.
 */
export function joinLedger(actual: readonly RemoteRef[], ledger: Ledger): RemoteRef[] {
  const joined = new Map([...ledger, ...actual.map(({ ref, commit }) => [ref, commit] as const)]);
  return [...joined].map(([ref, commit]) => ({ ref, commit })).toSorted((a, b) => (a.ref < b.ref ? -1 : 1));
}

/** Where the commits of the ledger are read and made. */
export interface LedgerMirrors {
  readonly git: Git;
  need(repository: HostRepository, commits: readonly string[]): Promise<string>;
}

/** What one compaction does. Null: there is nothing to compact. */
export interface CompactionPlan {
  /** Landing refs that the ledger gets. */
  readonly listed: readonly RemoteRef[];
  /** Landing refs that are deleted: those, and others that the ledger has already. */
  readonly deleted: readonly RemoteRef[];
}

/** Deleting a ref takes a server a moment, and a push must not take minutes. */
export const mostInCompaction = 500;

export function planCompaction(
  actual: readonly RemoteRef[],
  ledger: Ledger,
  isDue: (landing: RemoteRef) => boolean,
): CompactionPlan | null {
  const due = actual.filter((each) => each.ref.startsWith(landingPrefix) && isDue(each));
  // A ref that differs from the ledger stays: somebody has changed the ref or the ledger.
  const deleted = due.filter(({ ref, commit }) => (ledger.get(ref) ?? commit) === commit).slice(0, mostInCompaction);
  if (deleted.length === 0) return null;
  return { deleted, listed: deleted.filter(({ ref }) => !ledger.has(ref)) };
}

const landingsOfOneCommit = 16;

/** The updates of one atomic push. The commits of the ledger are made in the mirror. */
export async function composeCompaction(
  mirrors: LedgerMirrors,
  repository: HostRepository,
  {
    plan,
    tip,
    by,
    at,
  }: { readonly plan: CompactionPlan; readonly tip: string | null; readonly by: Identity; readonly at: number },
): Promise<RefUpdate[]> {
  const directory = await mirrors.need(repository, [...plan.listed.map(({ commit }) => commit), ...(tip ? [tip] : [])]);
  const tree = await mirrors.git.text(directory, ['mktree']);
  const author = signature(by.name, by.email, at);
  const write = async (parents: readonly string[], message: string): Promise<string> =>
    await writeCommit(directory, { tree, parents, author, committer: author, message });
  let last = tip;
  for (let from = 0; from < plan.listed.length; from += landingsOfOneCommit) {
    const entries = plan.listed.slice(from, from + landingsOfOneCommit);
    // The first parent is always the ledger before.
    last ??= await write([], 'The ledger of landings: which ref of a landing named which commit');
    const commits = [...new Set(entries.map(({ commit }) => commit))];
    const lines = entries.map(({ ref, commit }) => `${commit} ${ref}`);
    last = await write([last, ...commits], `Landings of earlier days\n\n${lines.join('\n')}\n`);
  }
  const deletions = plan.deleted.map(({ ref, commit }) => ({ ref, from: commit, to: null }));
  return last === tip ? deletions : [{ ref: ledgerRef, from: tip, to: last }, ...deletions];
}

/** Reads the ledger of each repository once for each of its commits. */
export function createLedgerReader(): (
  mirrors: LedgerMirrors,
  repository: HostRepository,
  tip: string | null,
) => Promise<Ledger> {
  const read = new Map<string, { readonly tip: string; readonly ledger: Ledger }>();
  return async (mirrors, repository, tip) => {
    if (tip === null) return new Map();
    const known = read.get(repository.id);
    if (known?.tip === tip) return known.ledger;
    const directory = await mirrors.need(repository, [tip]);
    const args = ['log', '--first-parent', '--reverse', '--format=%B', tip];
    const ledger = parseLedger((await mirrors.git.run(directory, args)).stdout.toString('utf8'));
    read.set(repository.id, { tip, ledger });
    return ledger;
  };
}
