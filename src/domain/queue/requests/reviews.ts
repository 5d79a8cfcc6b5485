// Whose reviews count: nobody approves their own work.

export interface Review {
  readonly reviewer: string;
  readonly verdict: 'approved' | 'changes_requested';
}

/** Whether the person with these names (a handle, an address) is among the authors. */
export function isAmong(names: readonly string[], authors: readonly string[]): boolean {
  const known = new Set(authors.map(asKnown));
  return names.some((name) => known.has(asKnown(name)));
}

/** One verdict for each reviewer. A review by somebody who later became an author no longer counts. */
export function countReviews(
  reviews: readonly Review[],
  authors: readonly string[],
): { readonly approvals: number; readonly changesRequested: boolean } {
  const counted = reviews.filter(({ reviewer }) => !isAmong([reviewer], authors));
  return {
    approvals: counted.filter(({ verdict }) => verdict === 'approved').length,
    changesRequested: counted.some(({ verdict }) => verdict === 'changes_requested'),
  };
}

// Code hosts and accounts compare handles and addresses without case.
function asKnown(name: string): string {
  return name.trim().replace(/^@/, '').toLowerCase();
}
