// Retries one call within work of many calls, so that one failure of GitHub does not repeat all of the work. No other
// code retries a call (ADR 0071).
import { setTimeout as delay } from 'node:timers/promises';
import { HostUnavailable } from '../port.ts';

const maxAttempts = 3;
const firstPauseMs = 250;

/** Makes an idempotent call up to three times. An error with `retryAt` is thrown at once. */
export async function retryCall<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof HostUnavailable) || error.retryAt !== null || attempt === maxAttempts) throw error;
      await delay(firstPauseMs * attempt);
    }
  }
}
