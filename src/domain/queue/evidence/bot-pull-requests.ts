// Bot pull requests without a build: whose next build takes which.

export interface Spare {
  readonly id: string;
  /** Members of the batch it was last used for. */
  readonly pullRequests: readonly string[];
}

/** The one that shares most pull requests with the batch; of several the newest. Null: it shares none with any. */
export function chooseSpare<S extends Spare>(spares: readonly S[], members: readonly string[]): S | null {
  const wanted = new Set(members);
  const shared = (spare: S): number => spare.pullRequests.filter((id) => wanted.has(id)).length;
  const [best] = spares
    .filter((spare) => shared(spare) > 0)
    .toSorted((a, b) => shared(b) - shared(a) || Number(BigInt(b.id) - BigInt(a.id)));
  return best ?? null;
}

/** Those that no build will take: none of their pull requests stands in line without a build that has begun. */
export function findUntakeable<S extends Spare>(
  spares: readonly S[],
  { inLine, building }: { readonly inLine: ReadonlySet<string>; readonly building: ReadonlySet<string> },
): S[] {
  return spares.filter(({ pullRequests }) => pullRequests.every((id) => !inLine.has(id) || building.has(id)));
}
