// The ledger of landings: `refs/interlock/ledger` lists the landing refs of earlier days, and these refs are deleted.
// So GitHub has fewer refs, of which it sends every one with each push. A commit of the ledger lists landing refs and
// their commits in its message. The listed commits are also its parents, so that GitHub keeps them.
//
// One atomic push updates the ledger and deletes the refs that it lists. Every person with write permission can delete
// the ledger or move it back. Then landings of earlier days have no ref, and only the rows prove them.
import { type Git, formatIdentity, writeCommit } from '../git/index.ts';
import type { HostRepository, Identity, RefUpdate } from '../port.ts';
import type { RemoteRef } from './remote-refs.ts';

export const ledgerRef = 'refs/interlock/ledger';
export const landingPrefix = 'refs/interlock/landings/';

/** The commit of each landing ref, by the full name of the ref. */
export type Ledger = ReadonlyMap<string, string>;

/** Whether a read of this pattern needs the ledger. A pattern is a full name, or a prefix that ends in `/`. */
export function concernsLandings(pattern: string): boolean {
  return pattern.startsWith(landingPrefix) || (pattern.endsWith('/') && landingPrefix.startsWith(pattern));
}

/**
 * Parses the lines `<commit> <ref>`, and ignores other lines. If a ref is listed twice, the first line counts, because
 * a landing ref never moves.
 */
export function parseLedger(text: string): Ledger {
  const ledger = new Map<string, string>();
  for (const [, commit = '', ref = ''] of text.matchAll(/^([0-9a-f]{40}) (refs\/interlock\/landings\/\S+)$/gm))
    if (!ledger.has(ref)) ledger.set(ref, commit);
  return ledger;
}

/** The refs at GitHub and the refs of the ledger, sorted by name. A ref at GitHub takes precedence over the ledger. */
export function joinLedger(actual: readonly RemoteRef[], ledger: Ledger): RemoteRef[] {
  const joined = new Map([...ledger, ...actual.map(({ ref, commit }) => [ref, commit] as const)]);
  return [...joined].map(([ref, commit]) => ({ ref, commit })).toSorted((a, b) => (a.ref < b.ref ? -1 : 1));
}

/** The part of `Mirrors` that the ledger needs. */
export interface LedgerMirrors {
  readonly git: Git;
  fetchMissing(repository: HostRepository, commits: readonly string[]): Promise<string>;
}

/** The changes of one compaction. */
export interface CompactionPlan {
  /** The landing refs that are added to the ledger. */
  readonly listed: readonly RemoteRef[];
  /** The landing refs that are deleted: the added refs, and refs that the ledger had before. */
  readonly deleted: readonly RemoteRef[];
}

/**
 * The most refs that one compaction deletes. A server needs some time for each deletion, and a push must not take
 * minutes.
 */
export const maxInCompaction = 500;

export function planCompaction(
  actual: readonly RemoteRef[],
  ledger: Ledger,
  isDue: (landing: RemoteRef) => boolean,
): CompactionPlan | null {
  const due = actual.filter((each) => each.ref.startsWith(landingPrefix) && isDue(each));
  // A ref that differs from the ledger is not deleted, because somebody has changed the ref or the ledger.
  const deleted = due.filter(({ ref, commit }) => (ledger.get(ref) ?? commit) === commit).slice(0, maxInCompaction);
  if (deleted.length === 0) return null;
  return { deleted, listed: deleted.filter(({ ref }) => !ledger.has(ref)) };
}

const landingsOfOneCommit = 16;

/** Makes the commits of the ledger in the mirror, and returns the updates of one atomic push. */
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
  const directory = await mirrors.fetchMissing(repository, [
    ...plan.listed.map(({ commit }) => commit),
    ...(tip ? [tip] : []),
  ]);
  const tree = await mirrors.git.text(directory, ['mktree']);
  const author = formatIdentity(by.name, by.email, at);
  const write = async (parents: readonly string[], message: string): Promise<string> =>
    await writeCommit(directory, { tree, parents, author, committer: author, message });
  let last = tip;
  for (let from = 0; from < plan.listed.length; from += landingsOfOneCommit) {
    const entries = plan.listed.slice(from, from + landingsOfOneCommit);
    // The first parent of a commit of the ledger is always the earlier commit of the ledger.
    last ??= await write([], 'The ledger of landings: which ref of a landing named which commit');
    const commits = [...new Set(entries.map(({ commit }) => commit))];
    const lines = entries.map(({ ref, commit }) => `${commit} ${ref}`);
    last = await write([last, ...commits], `Landings of earlier days\n\n${lines.join('\n')}\n`);
  }
  const deletions = plan.deleted.map(({ ref, commit }) => ({ ref, from: commit, to: null }));
  return last === tip ? deletions : [{ ref: ledgerRef, from: tip, to: last }, ...deletions];
}

/** Makes a function that reads the ledger of a repository. The ledger is cached until its tip changes. */
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
    const directory = await mirrors.fetchMissing(repository, [tip]);
    const args = ['log', '--first-parent', '--reverse', '--format=%B', tip];
    const ledger = parseLedger((await mirrors.git.run(directory, args)).stdout.toString('utf8'));
    read.set(repository.id, { tip, ledger });
    return ledger;
  };
}
