// Counts reviews. Reviews by authors of the pull request do not count.

export interface Review {
  readonly reviewer: string;
  readonly verdict: 'approved' | 'changes_requested';
}

/** Whether a person is among the authors. `names`: the handle and the email address of the person. */
export function isAuthor(names: readonly string[], authors: readonly string[]): boolean {
  const known = new Set(authors.map(normalized));
  return names.some((name) => known.has(normalized(name)));
}

/** Counts one verdict for each reviewer. A review by a person who became an author later does not count. */
export function countReviews(
  reviews: readonly Review[],
  authors: readonly string[],
): { readonly approvals: number; readonly changesRequested: boolean } {
  const counted = reviews.filter(({ reviewer }) => !isAuthor([reviewer], authors));
  return {
    approvals: counted.filter(({ verdict }) => verdict === 'approved').length,
    changesRequested: counted.some(({ verdict }) => verdict === 'changes_requested'),
  };
}

// Code hosts and accounts compare handles and email addresses without regard to case.
function normalized(name: string): string {
  return name.trim().replace(/^@/, '').toLowerCase();
}
