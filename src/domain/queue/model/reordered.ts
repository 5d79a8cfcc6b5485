// What it means for a pull request that others pass it: what its row keeps of that, and how people are told.
import type { PullRequestState } from './snapshot.ts';

/** Why it goes behind those that were behind it. */
export type Overtaking =
  /** Its build failed, and nobody is to wait for its second one. */
  | { readonly kind: 'failed'; readonly failedChecks: readonly string[] }
  /** Others are ready, and it is no likelier to land than this. */
  | { readonly kind: 'doubtful'; readonly chance: number }
  /** Others are ready, and it is still built by itself once more. */
  | { readonly kind: 'aside' };

/** So often others that are ready pass one while it is queued, be it in doubt or aside: nobody is passed for ever. */
export const mostInDoubt = 3;

type Kept = Pick<PullRequestState, 'letPass' | 'passedInDoubt'>;

export function afterOvertaking({ letPass, passedInDoubt }: Kept, { kind }: Overtaking): Kept {
  return {
    letPass: letPass || kind === 'failed',
    passedInDoubt: kind === 'failed' ? passedInDoubt : passedInDoubt + 1,
  };
}

/** For the log. */
export function overtakingText(reason: Overtaking): string {
  switch (reason.kind) {
    case 'failed':
      return 'Its build failed: it lets those behind it pass, and is built once more.';
    case 'doubtful':
      return `Others behind it were ready to merge while it was ${Math.round(reason.chance * 100)} % likely to.`;
    case 'aside':
      return 'Others behind it were ready to merge while it was built once more.';
    default:
      return reason satisfies never;
  }
}

const times = ['', 'once', 'twice', 'three times'];

/** Why it stands where it does; empty: nobody passed it. */
export function overtakenText({ letPass, passedInDoubt }: Kept): string {
  const failed = 'Its build failed, so it let those that were behind it pass, and is built once more.';
  const inDoubt = `Others that were ready passed it ${times[passedInDoubt]}, as it was in doubt; they do so at most ${times[mostInDoubt]}.`;
  return [...(letPass ? [failed] : []), ...(passedInDoubt > 0 ? [inDoubt] : [])].join(' ');
}
