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

const now = 200_000_000;
const day = 86_400_000;

function situation(is: Partial<VerificationSituation> = {}): VerificationSituation {
  return {
    status: 'pending',
    isWanted: true,
    isActive: true,
    cancelRequestedAt: null,
    publishedCheck: 'pending',
    registrationId: null,
    waitUntil: null,
    hasSandbox: false,
    callAt: null,
    calls: 0,
    problem: null,
    failingSince: null,
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
      'publishes its check before anything else',
      situation({ publishedCheck: null }),
      { kind: 'call', call: 'publish' },
    ],
    ['then reads its configuration', situation(), { kind: 'call', call: 'prepare' }],
    [
      'does not call the host for a while after a failed call',
      situation({ callAt: now + 5 }),
      { kind: 'wait', for: 'call', until: now + 5 },
    ],
    ['waits for a registration', waiting(), { kind: 'wait', for: 'registration', until: now + 1_000 }],
    ['tests a registered preview', waiting({ registrationId: '7' }), { kind: 'attach', registrationId: '7' }],
    [
      'tests a preview that was registered at the end of the wait',
      waiting({ registrationId: '7', waitUntil: now }),
      { kind: 'attach', registrationId: '7' },
    ],
    ['lets the code be judged if nothing was registered in time', waiting({ waitUntil: now }), { kind: 'degrade' }],
    ['is supervised once a preview governs it', driving(), { kind: 'supervise' }],
    [
      'waits for the worker that supervises it',
      driving({ supervisedUntil: now + 9 }),
      { kind: 'wait', for: 'lease', until: now + 9 },
    ],
    ['is started again if its worker was lost', driving({ supervisedUntil: now - 1, calls: 2 }), { kind: 'supervise' }],
    [
      'ends with an error if workers are lost again and again',
      driving({ supervisedUntil: now - 1, calls: 3 }),
      {
        kind: 'become',
        status: 'error',
        because: 'The verification was started 3 times, and each time its worker was lost.',
      },
    ],
    [
      'names the last failure if it ends after other failures',
      driving({ calls: 3, problem: 'The key is wrong.' }),
      {
        kind: 'become',
        status: 'error',
        because: 'The verification was started 3 times without a result. The last failure: The key is wrong.',
      },
    ],
    [
      'waits after a failure of the code host',
      driving({ callAt: now + 5, failingSince: now - 9, problem: '502' }),
      { kind: 'wait', for: 'call', until: now + 5 },
    ],
    [
      'is supervised after the pause, however long the code host has failed',
      driving({ callAt: now, failingSince: now - 2 * day, problem: '502' }),
      { kind: 'supervise' },
    ],
    [
      'waits for a code host that fails for a day at most',
      driving({ callAt: now + day, failingSince: now - day + 7, problem: '502' }),
      { kind: 'wait', for: 'call', until: now + 7 },
    ],
    [
      'ends if the code host has failed for a day',
      driving({ callAt: now + 5, failingSince: now - day, problem: '502' }),
      {
        kind: 'become',
        status: 'error',
        because: 'The code host has failed for 24 hours. The last failure: 502',
      },
    ],
    [
      'is torn down by another worker if its worker was lost',
      situation({ status: 'tearing_down', hasSandbox: true }),
      { kind: 'supervise' },
    ],
    ['publishes its end', situation({ status: 'passed' }), { kind: 'call', call: 'publish' }],
    [
      'has ended when its end is published',
      situation({ status: 'passed', publishedCheck: 'success' }),
      { kind: 'ended' },
    ],
    [
      'has ended when its cancellation is published',
      situation({ status: 'canceled', publishedCheck: 'cancelled' }),
      { kind: 'ended' },
    ],
    [
      'publishes its end however often the host was unavailable',
      situation({ status: 'passed', calls: 60 }),
      { kind: 'call', call: 'publish' },
    ],
    [
      'publishes its end although its repository is inactive',
      situation({ status: 'canceled', isActive: false, calls: 5 }),
      { kind: 'call', call: 'publish' },
    ],
    [
      'has ended if the host of an inactive repository was unavailable six times in a row',
      situation({ status: 'canceled', isActive: false, calls: 6, callAt: now + 5 }),
      { kind: 'ended' },
    ],
  ] as const)('%s', (_, given, expected) => {
    expect(decideVerification(given, now)).toMatchObject(expected);
  });
});

describe('a verification of an outdated head', () => {
  it.each([
    [
      'is canceled before it has begun',
      situation({ ...moved, publishedCheck: null }),
      { kind: 'become', status: 'canceled' },
    ],
    [
      'is canceled while it waits, although its preview was registered',
      waiting({ ...moved, registrationId: '7' }),
      { kind: 'become', status: 'canceled' },
    ],
    [
      'is stopped by the worker that supervises it',
      driving({ ...moved, supervisedUntil: now + 9 }),
      { kind: 'wait', for: 'lease' },
    ],
    ['is torn down if no worker supervises it', driving({ ...moved, hasSandbox: true }), { kind: 'supervise' }],
    ['is canceled after everything was torn down', driving(moved), { kind: 'become', status: 'canceled' }],
    [
      'is canceled even if nothing can tear it down',
      driving({ ...moved, hasSandbox: true, calls: 3 }),
      { kind: 'become', status: 'canceled' },
    ],
    ['keeps its final status', situation({ ...moved, status: 'failed', publishedCheck: 'failure' }), { kind: 'ended' }],
  ] as const)('%s', (_, given, expected) => {
    expect(decideVerification(given, now)).toMatchObject(expected);
  });

  it.each([
    [{ isWanted: false, isActive: false }, 'The repository is inactive.'],
    [{ isWanted: false }, 'The pull request was merged or closed, or has another head by now.'],
    [{ cancelRequestedAt: now - 1 }, 'The verification was canceled.'],
  ])('says why it is canceled: %j', (is, because) => {
    expect(decideVerification(waiting(is), now)).toEqual({ kind: 'become', status: 'canceled', because });
  });

  it('also ends if a user canceled it', () => {
    expect(decideVerification(waiting({ cancelRequestedAt: now - 1 }), now)).toEqual({
      kind: 'become',
      status: 'canceled',
      because: 'The verification was canceled.',
    });
  });
});

const anySituation = fc.record({
  status: fc.constantFrom(...verificationStatuses),
  isWanted: fc.boolean(),
  isActive: fc.boolean(),
  cancelRequestedAt: fc.option(fc.constant(now - 1)),
  publishedCheck: fc.constantFrom(null, 'pending', 'success', 'failure', 'cancelled'),
  registrationId: fc.option(fc.constant('7')),
  waitUntil: fc.option(fc.integer({ min: now - 10, max: now + 10 })),
  hasSandbox: fc.boolean(),
  callAt: fc.option(fc.integer({ min: now - 10, max: now + 10 })),
  calls: fc.integer({ min: 0, max: 7 }),
  problem: fc.option(fc.constant('502')),
  failingSince: fc.option(fc.integer({ min: now - day - 10, max: now })),
  supervisedUntil: fc.option(fc.integer({ min: now - 10, max: now + 10 })),
}) as fc.Arbitrary<VerificationSituation>;

const isDriven = (step: VerificationStep): boolean => step.kind === 'attach' || step.kind === 'degrade';

describe('every verification', () => {
  it('moves only along the table of statuses', () => {
    fc.assert(
      fc.property(anySituation, (given) => {
        const step = decideVerification(given, now);
        const to = step.kind === 'become' ? step.status : isDriven(step) ? 'driving' : null;
        expect(to === null || canMove(given.status, to)).toBe(true);
        expect(step.kind !== 'supervise' || isSupervised(given.status)).toBe(true);
      }),
    );
  });

  it('never waits for a time in the past', () => {
    fc.assert(
      fc.property(anySituation, (given) => {
        const step = decideVerification(given, now);
        const until = step.kind === 'wait' ? step.until : null;
        expect(until ?? now + 1).toBeGreaterThan(now);
      }),
    );
  });

  it('has ended only if its check is published, or cannot be published in an inactive repository', () => {
    fc.assert(
      fc.property(anySituation, (given) => {
        const { status, publishedCheck, isActive, calls } = given;
        const isSettled = publishedCheck === checkOutcomeOf(status) || (!isActive && calls >= 6);
        expect(decideVerification(given, now).kind === 'ended').toBe(isFinal(status) && isSettled);
      }),
    );
  });

  it('can reach an end from every status', () => {
    for (const status of verificationStatuses)
      expect(isFinal(status) || verificationMoves[status].some((to: string) => to === 'error')).toBe(true);
  });

  it('calls an unavailable host less and less often, at least once a minute', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 60].map(pauseAfter)).toEqual([2, 2, 4, 8, 15, 30, 60, 60].map((sec) => sec * 1000));
  });
});
