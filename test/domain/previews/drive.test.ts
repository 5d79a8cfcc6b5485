import { fc } from '../../support/properties.ts';
import { describe, expect, it } from 'vitest';
import {
  decideVerification,
  pauseAfter,
  type VerificationSituation,
  type VerificationStep,
} from '../../../src/domain/previews/drive.ts';
import { verificationStatuses } from '../../../src/domain/previews/preview.ts';
import {
  canMove,
  checkOutcomeOf,
  isSupervised,
  isFinal,
  verificationMoves,
} from '../../../src/domain/previews/verification.status.ts';

const now = 10_000_000;

function situation(is: Partial<VerificationSituation> = {}): VerificationSituation {
  return {
    status: 'pending',
    isWanted: true,
    cancelRequestedAt: null,
    publishedCheck: 'pending',
    registrationId: null,
    waitUntil: null,
    hasSandbox: false,
    callAt: null,
    calls: 0,
    supervisedUntil: null,
    ...is,
  };
}

const waiting = (is: Partial<VerificationSituation> = {}): VerificationSituation =>
  situation({ status: 'waiting', waitUntil: now + 1_000, ...is });
const driving = (is: Partial<VerificationSituation> = {}): VerificationSituation =>
  situation({ status: 'driving', ...is });
const moved = { isWanted: false };

describe('a verification', () => {
  it.each([
    [
      'says that it is there before it does anything',
      situation({ publishedCheck: null }),
      { kind: 'call', call: 'publish' },
    ],
    ['then reads what governs it', situation(), { kind: 'call', call: 'prepare' }],
    [
      'leaves the host alone for a while after a call that failed',
      situation({ callAt: now + 5 }),
      { kind: 'wait', for: 'call', until: now + 5 },
    ],
    ['waits for a registration', waiting(), { kind: 'wait', for: 'registration', until: now + 1_000 }],
    ['drives what was registered', waiting({ registrationId: '7' }), { kind: 'attach', registrationId: '7' }],
    [
      'drives what was registered in the moment in which it gives up',
      waiting({ registrationId: '7', waitUntil: now }),
      { kind: 'attach', registrationId: '7' },
    ],
    ['has the code judged when nothing was registered in time', waiting({ waitUntil: now }), { kind: 'degrade' }],
    ['is supervised once a preview governs it', driving(), { kind: 'supervise' }],
    [
      'is left to the worker that supervises it',
      driving({ supervisedUntil: now + 9 }),
      { kind: 'wait', for: 'lease', until: now + 9 },
    ],
    [
      'is started again when its worker was lost',
      driving({ supervisedUntil: now - 1, calls: 2 }),
      { kind: 'supervise' },
    ],
    [
      'is given up when that goes on',
      driving({ supervisedUntil: now - 1, calls: 3 }),
      { kind: 'become', status: 'error' },
    ],
    [
      'is torn down by another when its worker was lost',
      situation({ status: 'tearing_down', hasSandbox: true }),
      { kind: 'supervise' },
    ],
    ['says how it ended', situation({ status: 'passed' }), { kind: 'call', call: 'publish' }],
    ['has ended when that was said', situation({ status: 'passed', publishedCheck: 'success' }), { kind: 'ended' }],
    [
      'has ended when it was canceled and that was said',
      situation({ status: 'canceled', publishedCheck: 'cancelled' }),
      { kind: 'ended' },
    ],
  ] as const)('%s', (_, given, expected) => {
    expect(decideVerification(given, now)).toMatchObject(expected);
  });
});

describe('a verification of a head that nobody has any more', () => {
  it.each([
    [
      'is canceled before it began',
      situation({ ...moved, publishedCheck: null }),
      { kind: 'become', status: 'canceled' },
    ],
    [
      'is canceled while it waits, though its preview came',
      waiting({ ...moved, registrationId: '7' }),
      { kind: 'become', status: 'canceled' },
    ],
    [
      'is stopped by the worker that supervises it',
      driving({ ...moved, supervisedUntil: now + 9 }),
      { kind: 'wait', for: 'lease' },
    ],
    ['is taken away if no worker supervises it', driving({ ...moved, hasSandbox: true }), { kind: 'supervise' }],
    ['is canceled when nothing of it is left', driving(moved), { kind: 'become', status: 'canceled' }],
    [
      'is canceled though nobody can take it away',
      driving({ ...moved, hasSandbox: true, calls: 3 }),
      { kind: 'become', status: 'canceled' },
    ],
    ['stays what it ended as', situation({ ...moved, status: 'failed', publishedCheck: 'failure' }), { kind: 'ended' }],
  ] as const)('%s', (_, given, expected) => {
    expect(decideVerification(given, now)).toMatchObject(expected);
  });

  it('ends a run that somebody canceled, too', () => {
    expect(decideVerification(waiting({ cancelRequestedAt: now - 1 }), now)).toEqual({
      kind: 'become',
      status: 'canceled',
      because: 'It was canceled.',
    });
  });
});

const anySituation = fc.record({
  status: fc.constantFrom(...verificationStatuses),
  isWanted: fc.boolean(),
  cancelRequestedAt: fc.option(fc.constant(now - 1)),
  publishedCheck: fc.constantFrom(null, 'pending', 'success', 'failure', 'cancelled'),
  registrationId: fc.option(fc.constant('7')),
  waitUntil: fc.option(fc.integer({ min: now - 10, max: now + 10 })),
  hasSandbox: fc.boolean(),
  callAt: fc.option(fc.integer({ min: now - 10, max: now + 10 })),
  calls: fc.integer({ min: 0, max: 5 }),
  supervisedUntil: fc.option(fc.integer({ min: now - 10, max: now + 10 })),
}) as fc.Arbitrary<VerificationSituation>;

const isDriven = (step: VerificationStep): boolean => step.kind === 'attach' || step.kind === 'degrade';

describe('whatever is known of a verification', () => {
  it('moves along the table alone', () => {
    fc.assert(
      fc.property(anySituation, (given) => {
        const step = decideVerification(given, now);
        const to = step.kind === 'become' ? step.status : isDriven(step) ? 'driving' : null;
        expect(to === null || canMove(given.status, to)).toBe(true);
        expect(step.kind !== 'supervise' || isSupervised(given.status)).toBe(true);
      }),
    );
  });

  it('never waits for a moment that is past', () => {
    fc.assert(
      fc.property(anySituation, (given) => {
        const step = decideVerification(given, now);
        const until = step.kind === 'wait' ? step.until : null;
        expect(until ?? now + 1).toBeGreaterThan(now);
      }),
    );
  });

  it('has ended only when its check says so', () => {
    fc.assert(
      fc.property(anySituation, (given) => {
        const hasEnded = isFinal(given.status) && given.publishedCheck === checkOutcomeOf(given.status);
        expect(decideVerification(given, now).kind === 'ended').toBe(hasEnded);
      }),
    );
  });

  it('every status leads to an end', () => {
    for (const status of verificationStatuses)
      expect(isFinal(status) || verificationMoves[status].some((to: string) => to === 'error')).toBe(true);
  });

  it('a host that is away is asked less and less often, a minute apart at most', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 60].map(pauseAfter)).toEqual([2, 2, 4, 8, 15, 30, 60, 60].map((sec) => sec * 1000));
  });
});
