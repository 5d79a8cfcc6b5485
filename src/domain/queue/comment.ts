// What the queue writes on a pull request: one comment, edited in place, with the same sentences as events and explain.
export const statusCommentKey = 'status';

export function blockedComment(reason: string): string {
  return `**Blocked.** ${reason}\n\nQueue it again once that is settled.`;
}

export function mergedComment(landed: {
  readonly baseBranch: string;
  readonly commit: string;
  readonly grade: string;
}): string {
  if (landed.grade === 'external')
    return `**Merged** into \`${landed.baseBranch}\` as ${landed.commit}, outside of the queue.`;
  const tested =
    landed.grade === 'unvalidated'
      ? 'It was merged without validation, as was asked.'
      : `Its tree was verified against what was tested (${landed.grade}).`;
  return `**Merged** into \`${landed.baseBranch}\` as ${landed.commit}. ${tested}`;
}
