import { fc } from '../../support/properties.ts';
import { describe, expect, it } from 'vitest';
import { decideAfterAttempt, hasFailedTooLong, retryDelaysMs } from '../../../src/domain/events/delivery.ts';

const now = Date.UTC(2026, 0, 31, 12);
const after = (status: number | null, retryAfter: string | null = null, failures = 0) =>
  decideAfterAttempt({ status, retryAfter }, { failures, hasRetries: true }, now);

describe('an answer', () => {
  it('of 2xx is a success, 410 ends the endpoint, and every other status is tried again', () => {
    expect([200, 204, 299].map((status) => after(status).kind)).toEqual(Array(3).fill('succeeded'));
    expect(after(410)).toEqual({ kind: 'gone' });
    expect([null, 100, 301, 308, 400, 401, 404, 409, 429, 500, 503].map((status) => after(status).kind)).toEqual(
      Array(11).fill('again'),
    );
  });

  it('is followed by the documented waits, and then by no attempt', () => {
    const waits = Array.from({ length: 10 }, (_, failures) => {
      const verdict = after(500, null, failures);
      return verdict.kind === 'again' ? (verdict.at - now) / 1000 : verdict.kind;
    });
    expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, 'failed']);
  });

  it('may request a later attempt, in seconds or by a date, at most a day later, and never an earlier attempt', () => {
    const at = (retryAfter: string): number => {
      const verdict = after(503, retryAfter);
      return verdict.kind === 'again' ? (verdict.at - now) / 1000 : Number.NaN;
    };
    expect(['120', ' 120 ', '1', '0', 'soon', '-5', '999999999'].map(at)).toEqual([120, 120, 5, 5, 5, 5, 86_400]);
    expect(at('Sat, 31 Jan 2026 12:10:00 GMT')).toBe(600);
    expect(at('Sat, 31 Jan 2026 11:00:00 GMT')).toBe(5);
  });

  it('never ends a delivery with attempts left, and always ends one without', () => {
    const outcome = fc.record({
      status: fc.option(fc.integer({ min: 100, max: 599 }).filter((status) => status !== 410)),
      retryAfter: fc.option(fc.string()),
    });
    fc.assert(
      fc.property(outcome, fc.nat(retryDelaysMs.length - 1), (answer, failures) => {
        const verdict = decideAfterAttempt(answer, { failures, hasRetries: true }, now);
        expect(verdict.kind).not.toBe('failed');
        if (verdict.kind === 'again') expect(verdict.at).toBeGreaterThanOrEqual(now + (retryDelaysMs[failures] ?? 0));
        const single = decideAfterAttempt(answer, { failures, hasRetries: false }, now);
        expect(['succeeded', 'failed']).toContain(single.kind);
      }),
    );
  });
});

it('an endpoint that fails for five days has failed too long', () => {
  const fiveDays = 5 * 24 * 3_600_000;
  expect([hasFailedTooLong(now - fiveDays, now), hasFailedTooLong(now - fiveDays + 1, now)]).toEqual([true, false]);
});
