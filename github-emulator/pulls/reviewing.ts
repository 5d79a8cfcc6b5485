// What reviews say together: the latest opinion of each reviewer, and the decision that GitHub shows.
import { roleOf } from '../auth/actor.ts';
import type { Core } from '../core.ts';
import { isRoleAtLeast } from '../model/enums.ts';
import type { PullRequest, Repository, Review } from '../model/types.ts';
import { isAbout } from './timeline.ts';

/** The latest review with an opinion of each reviewer. A dismissed one takes the reviewer's opinion away. */
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

/** Null: no rule demands a review, whatever the reviews say. */
export function decideReviewDecision(
  reviews: readonly Pick<Review, 'state'>[],
  demanded: number,
): ReviewDecision | null {
  if (demanded === 0) return null;
  const states = reviews.map(({ state }) => state);
  if (states.includes('CHANGES_REQUESTED')) return 'CHANGES_REQUESTED';
  return states.filter((state) => state === 'APPROVED').length < demanded ? 'REVIEW_REQUIRED' : 'APPROVED';
}
