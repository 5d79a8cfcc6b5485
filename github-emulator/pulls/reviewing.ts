// The combined result of reviews: the latest opinion of each reviewer, and GitHub's review decision.
import { roleOf } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { isRoleAtLeast } from '../model/enums.ts';
import type { PullRequest, Repository, Review } from '../model/types.ts';
import { isAbout } from './timeline.ts';

/**
 * The latest review of each reviewer, except comments and pending reviews. A dismissed review has the state DISMISSED.
 */
export function opinionatedReviews(
  core: Core,
  repository: Repository,
  pull: PullRequest,
  { byWritersOnly }: { readonly byWritersOnly: boolean },
): Review[] {
  const latest = new Map<number, Review>();
  for (const review of core.state.reviews.filter(isAbout(pull)))
    if (review.state !== 'COMMENTED' && review.state !== 'PENDING') latest.set(review.authorId, review);
  return [...latest.values()].filter(
    ({ authorId }) =>
      !byWritersOnly || isRoleAtLeast(roleOf(core, core.state.accounts.must(authorId), repository), 'write'),
  );
}

export type ReviewDecision = 'APPROVED' | 'CHANGES_REQUESTED' | 'REVIEW_REQUIRED';

/** Null: no rule requires a review. */
export function decideReviewDecision(
  reviews: readonly Pick<Review, 'state'>[],
  demanded: number,
): ReviewDecision | null {
  if (demanded === 0) return null;
  const states = reviews.map(({ state }) => state);
  if (states.includes('CHANGES_REQUESTED')) return 'CHANGES_REQUESTED';
  return states.filter((state) => state === 'APPROVED').length < demanded ? 'REVIEW_REQUIRED' : 'APPROVED';
}
