// Whose reviews count: nobody approves what is his own.

export interface Review {
  readonly reviewer: string;
  readonly verdict: 'approved' | 'changes_requested';
}

/** Whether somebody who has these names (a handle, an address) is among the authors. */
export function isAmong(names: readonly string[], authors: readonly string[]): boolean {
  const known = new Set(authors.map(asKnown));
  return names.some((name) => known.has(asKnown(name)));
}

/** One verdict of each reviewer. What an author said before becoming one counts no more, for or against. */
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

// Code hosts and accounts here tell neither handles nor addresses apart by case.
function asKnown(name: string): string {
  return name.trim().replace(/^@/, '').toLowerCase();
}
