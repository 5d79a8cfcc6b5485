// A model of git and CI. A tree is the sequence of the changes merged into it. The result of CI depends only on the set
// of changes. Changes are numbered in the order in which they are made. The scenario says which changes are bad, and
// how pairs interact.

export type PairKind = 'fixed_by' | 'semantic_conflict' | 'conflict';

export interface Physics {
  /** Change n is bad, and red in every tree, if `bad[n % length]`. */
  readonly bad: readonly boolean[];
  /**
   * fixed_by: `a` is bad, except together with `b`. semantic_conflict: red together. conflict: they do not merge into
   * one tree.
   */
  readonly pairs: readonly { readonly a: number; readonly b: number; readonly kind: PairKind }[];
}

export interface Commit {
  readonly id: string;
  readonly tree: string;
  readonly firstParent: string | null;
}

export class Forest {
  readonly commits = new Map<string, Commit>();
  readonly #changes = new Map<string, readonly number[]>([['t', []]]);
  readonly #physics: Physics;
  #made = 0;

  constructor(physics: Physics) {
    this.#physics = physics;
    this.addCommit({ id: 'root', tree: 't', firstParent: null });
  }

  addCommit(commit: Commit): Commit {
    this.commits.set(commit.id, commit);
    return commit;
  }

  /** Makes a change for a head or for a commit from outside, and returns its number. */
  newChange(): number {
    this.#made += 1;
    return this.#made - 1;
  }

  treeOf(commit: string): string {
    const known = this.commits.get(commit);
    if (known === undefined) throw new Error(`unknown commit ${commit}`);
    return known.tree;
  }

  /** The tree of `changes` merged in order. `conflictAt`: the change that does not merge. */
  merge(tree: string, changes: readonly number[]): { readonly tree: string } | { readonly conflictAt: number } {
    let merged = tree;
    for (const [index, change] of changes.entries()) {
      const present = this.#changes.get(merged) ?? [];
      if (this.#physics.pairs.some((pair) => pair.kind === 'conflict' && meets(pair, change, present)))
        return { conflictAt: index };
      merged = `${merged}.${change}`;
      this.#changes.set(merged, [...present, change]);
    }
    return { tree: merged };
  }

  /** The result of CI for a tree without flakes. */
  isGreen(tree: string): boolean {
    return this.failing(tree).length === 0;
  }

  /** The changes that make a tree red. */
  failing(tree: string): readonly number[] {
    const present = this.#changes.get(tree) ?? [];
    const { bad, pairs } = this.#physics;
    const isGood = (change: number): boolean => {
      const fixes = pairs.filter((pair) => pair.kind === 'fixed_by' && pair.a === change);
      if (fixes.length > 0) return fixes.some((pair) => present.includes(pair.b));
      const hasSemanticConflict = pairs.some(
        (pair) => pair.kind === 'semantic_conflict' && pair.a === change && present.includes(pair.b),
      );
      return !hasSemanticConflict && !(bad.length > 0 && bad[change % bad.length]);
    };
    return present.filter((change) => !isGood(change));
  }

  changesOf(tree: string): readonly number[] {
    return this.#changes.get(tree) ?? [];
  }

  /**
   * The targets of a change: one of its own, one that it shares with its pair, and for some changes one that many
   * share. Null: unknown.
   */
  targetsOf(change: number): readonly string[] | null {
    if (change % 9 === 7) return null;
    const shared = this.#physics.pairs.flatMap(({ a, b }) => (a === change || b === change ? [`pair ${a} ${b}`] : []));
    return [`own ${change}`, ...(change % 4 === 0 ? ['common'] : []), ...shared];
  }

  /** The first-parent line from a commit to the root. */
  lineOf(commit: string): Commit[] {
    const line: Commit[] = [];
    for (let at = this.commits.get(commit); at !== undefined; at = this.commits.get(at.firstParent ?? ''))
      line.push(at);
    return line;
  }
}

function meets(pair: { readonly a: number; readonly b: number }, change: number, present: readonly number[]): boolean {
  if (pair.a === pair.b) return false;
  return (pair.a === change && present.includes(pair.b)) || (pair.b === change && present.includes(pair.a));
}
