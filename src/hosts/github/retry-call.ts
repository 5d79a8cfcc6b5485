// A call that may be made twice, within work of many calls: one failure of GitHub does not begin all of the work again.
// Nothing else repeats a call (ADR 0071).
import { setTimeout as delay } from 'node:timers/promises';
import { HostUnavailable } from '../port.ts';

const mostTries = 3;
const firstPauseMs = 250;

/**
 * `call` reads, or does what has no further effect when it is repeated. A failure with an instant to wait for is
 * thrown.
 */
export async function askAgain<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof HostUnavailable) || error.retryAt !== null || tries === mostTries) throw error;
      await delay(firstPauseMs * tries);
    }
  }
}
