// When a failed effect at the host is tried again, because the host is down or has failed internally. An effect that
// the host refuses is not tried again.

/** `step`: the line waits for the effect. `text`: a comment or another text for people. */
export type EffectSort = 'step' | 'text';

/** A text for people is given up after this many tries: more than four hours, with the longest waits. */
export const mostTries = 20;

const firstMs = 1_000;
const longestMs = { step: 60_000, text: 30 * 60_000 } as const satisfies Record<EffectSort, number>;

/**
 * How many milliseconds to wait after this many tries. Null: give up. A step that the line waits for is never given up.
 */
export function decideNextTry(sort: EffectSort, tries: number): number | null {
  if (sort === 'text' && tries >= mostTries) return null;
  return Math.min(longestMs[sort], firstMs * 2 ** (tries - 1));
}

/** Why a queue is halted whose landing has started and fails again and again. It goes on, and its end ends the halt. */
export function landingHaltText(
  batchId: string,
  { tries, reason }: { readonly tries: number; readonly reason: string },
): string {
  return `Landing batch ${batchId} failed ${tries} times: ${reason}`;
}

/** `batchId` null: of any batch. A queue has one landing at a time. */
export function isLandingHalt(haltedReason: string | null | undefined, batchId: string | null): boolean {
  const [, failed] = /^Landing batch (\d+) failed \d+ times: /.exec(haltedReason ?? '') ?? [];
  return failed !== undefined && (batchId === null || failed === batchId);
}

/** How long after the instant that a host has named its answer may be awaited. */
const soonMs = 1_000;

/**
 * The wait where the host has said when it takes requests again: never before that instant, and soon after it, however
 * long the usual wait is. If the host has named no instant, the usual wait.
 */
export function awaitHost(waitMs: number, host: { readonly retryAt: number | null; readonly now: number }): number {
  return host.retryAt === null || host.retryAt <= host.now ? waitMs : host.retryAt - host.now + soonMs;
}
