// Decides when an effect at the host is tried again after it failed because the host is down or has an internal error.
// An effect that the host refuses is not tried again.

/** `step`: the line waits for the effect. `text`: a comment or another text for people. */
export type EffectSort = 'step' | 'text';

/** A text for people is given up after this many attempts, which take more than four hours. */
export const maxEffectAttempts = 20;

const firstMs = 1_000;
const longestMs = { step: 60_000, text: 30 * 60_000 } as const satisfies Record<EffectSort, number>;

/**
 * How many milliseconds to wait after this many attempts. Null: give up. A step that the line waits for is never given
 * up.
 */
export function decideNextAttempt(sort: EffectSort, attempts: number): number | null {
  if (sort === 'text' && attempts >= maxEffectAttempts) return null;
  return Math.min(longestMs[sort], firstMs * 2 ** (attempts - 1));
}

/**
 * The reason of the halt of a queue whose landing has started and fails repeatedly. The landing is still tried, and its
 * end ends the halt.
 */
export function landingHaltText(
  batchId: string,
  { attempts, reason }: { readonly attempts: number; readonly reason: string },
): string {
  return `Landing batch ${batchId} failed ${attempts} times: ${reason}`;
}

/** Whether a queue is halted because the landing of this batch fails. `batchId` null: the landing of any batch. */
export function isLandingHalt(haltedReason: string | null | undefined, batchId: string | null): boolean {
  const [, failed] = /^Landing batch (\d+) failed \d+ times: /.exec(haltedReason ?? '') ?? [];
  return failed !== undefined && (batchId === null || failed === batchId);
}

/** How long after the instant that the host named the effect is tried. */
const soonMs = 1_000;

/**
 * Returns how long to wait, in milliseconds. If the host has said when it accepts requests again (`retryAt`), the wait
 * ends shortly after that instant. Otherwise it is the usual `waitMs`.
 */
export function awaitHost(waitMs: number, host: { readonly retryAt: number | null; readonly now: number }): number {
  return host.retryAt === null || host.retryAt <= host.now ? waitMs : host.retryAt - host.now + soonMs;
}
