// Verifies a landing that builds of its parts justify. The content of each part is composed again from git. The
// landings between the base of a part and the landing come from the line and its proofs. Then the rule for composed
// evidence is applied again.
import { isComposed } from '../../../domain/queue/evidence/composed-evidence.ts';
import type { Landing } from '../../../domain/queue/model/snapshot.ts';
import type { HostCommit } from '../../../hosts/port.ts';
import type { ProofBody } from './proof.ts';
import { composeAgain, type ExaminedLanding, type StoredProof } from './verify.git.ts';

/**
 * The landings that moved the base branch from one tip to another one, oldest first. Null: the two commits are not tips
 * of the base branch in this order.
 */
export type VerifiedLine = (from: string, to: string) => readonly Landing[] | null;

export function createVerifiedLine(of: {
  readonly managedFrom: string;
  /** Oldest first. */
  readonly commits: readonly HostCommit[];
  readonly proofOf: ReadonlyMap<string, StoredProof>;
  /** Commits that are part of a landing whose last commit is later on the line. */
  readonly inner: ReadonlySet<string>;
}): VerifiedLine {
  const tips = of.commits.filter(({ commit }) => !of.inner.has(commit));
  const position = new Map(tips.map(({ commit }, index) => [commit, index]));
  const after = (tip: string): number | null => (tip === of.managedFrom ? 0 : successor(position.get(tip)));
  return (from, to) => {
    const [start, end] = [after(from), after(to)];
    if (start === null || end === null || start > end) return null;
    return tips.slice(start, end).map(({ commit, parents }) => {
      const body = of.proofOf.get(commit)?.body;
      return {
        commit,
        firstParent: body?.firstParent ?? parents[0] ?? '',
        members: body?.members.map(toChange) ?? null,
      };
    });
  };
}

function successor(index: number | undefined): number | null {
  return index === undefined ? null : index + 1;
}

function toChange({ number, head, targets }: ProofBody['members'][number]) {
  return { pullRequest: String(number), head, targets: targets ?? null };
}

export async function checkParts(examined: ExaminedLanding, line: VerifiedLine): Promise<string[]> {
  const { commit, proof } = examined;
  const { firstParent, members, evidence } = proof.body;
  const failures: string[] = [];
  let landings: readonly Landing[] = [];
  for (const { base = '', content = [], tree, commit: tested } of evidence) {
    const since = line(base, firstParent);
    if (since === null)
      failures.push(`${commit.commit}: its part ${tested} was built on ${base}, which was not the tip`);
    if (since !== null && since.length > landings.length) landings = since;
    const merged = await composeAgain(examined, base, content);
    if (merged.kind === 'conflict')
      failures.push(`${commit.commit}: the heads of its part ${tested} do not merge again`);
    else if (merged.tree !== tree)
      failures.push(`${commit.commit}: merging the heads of its part ${tested} again gives the tree ${merged.tree}`);
  }
  const parts = evidence.map(({ base = '', content = [] }) => ({
    base,
    content: content.map(({ number, head }) => ({ pullRequest: String(number), head })),
  }));
  if (!isComposed({ tip: firstParent, members: members.map(toChange), parts, landings }))
    failures.push(`${commit.commit}: its parts were not tested with all changes that affect it`);
  return failures;
}
