import { describe, expect, test } from 'vitest';
import {
  activeStatuses,
  begins,
  canMove,
  decideCancel,
  endsSlot,
  isFinal,
  timesAfter,
} from '../../../src/domain/releases/deployment.status.ts';
import { deploymentStatuses, type DeploymentStatus } from '../../../src/domain/releases/release.ts';

describe('moves of the service itself', () => {
  test('the whole table', () => {
    const rows = deploymentStatuses.map(
      (from) => `${from}: ${deploymentStatuses.filter((to) => canMove(from, to)).join(' ') || '–'}`,
    );
    expect(rows).toEqual([
      'pending: in_progress failure canceling canceled error',
      'in_progress: success failure canceling error unknown',
      'success: –',
      'failure: –',
      'canceling: success failure canceled error',
      'canceled: –',
      'error: –',
      'unknown: pending in_progress success failure canceling canceled error',
    ]);
  });

  test('what each status means', () => {
    const meaning = deploymentStatuses.map((status) => [
      status,
      isFinal(status),
      activeStatuses.includes(status),
      endsSlot(status),
    ]);
    expect(meaning).toEqual([
      // final, active, gives the slot back
      ['pending', false, true, true],
      ['in_progress', false, true, false],
      ['success', true, false, true],
      ['failure', true, false, true],
      ['canceling', false, true, false],
      ['canceled', true, false, true],
      ['error', true, false, true],
      ['unknown', false, true, true],
    ]);
  });
});

describe('start and end', () => {
  const [created, later, last] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z'].map(
    (at) => new Date(at),
  ) as [Date, Date, Date];
  const waiting = { status: 'pending', deployStartAt: null, deployEndAt: null } as const;
  const ended = { status: 'success', deployStartAt: created, deployEndAt: later } as const;

  test.each([
    ['starts', waiting, 'in_progress', later, null],
    ['starts and ends at once', waiting, 'success', later, later],
    ['fails before it began: it started all the same', waiting, 'failure', later, later],
    ['canceled in line: it never started', waiting, 'canceled', null, later],
    ['asked to stop while it is triggered', waiting, 'canceling', later, null],
  ] as const)('%s', (_, before, to, deployStartAt, deployEndAt) => {
    expect(timesAfter(before, to, later)).toEqual({ deployStartAt, deployEndAt });
  });

  test('what begins the work on the environment, once more too', () => {
    const rows = deploymentStatuses.map(
      (from) => `${from}: ${deploymentStatuses.filter((to) => begins(from, to)).join(' ') || '–'}`,
    );
    expect(rows).toEqual([
      'pending: in_progress success failure canceling error unknown',
      'in_progress: –',
      'success: in_progress canceling',
      'failure: in_progress canceling',
      'canceling: –',
      'canceled: in_progress canceling',
      'error: in_progress canceling',
      'unknown: –',
    ]);
  });

  test('canceled in line, and reported so again: it never started', () => {
    const canceled = { status: 'canceled', deployStartAt: null, deployEndAt: later } as const;
    expect(timesAfter(canceled, 'canceled', last)).toEqual({ deployStartAt: null, deployEndAt: later });
  });

  test.each([
    ['reported again keeps its end', 'success', later],
    ['reported otherwise ends then', 'failure', last],
    ['reopened has no end', 'in_progress', null],
  ] as const)('a succeeded deployment, %s', (_, to, deployEndAt) => {
    expect(timesAfter(ended, to, last)).toEqual({ deployStartAt: created, deployEndAt });
  });
});

describe('cancellation', () => {
  const cases: readonly (readonly [DeploymentStatus, boolean, boolean, readonly DeploymentStatus[]])[] = [
    // has the slot, trigger started
    ['pending', false, false, ['canceled']],
    ['pending', true, false, ['canceled']],
    ['pending', true, true, ['canceling']],
    ['in_progress', true, true, ['canceling']],
    ['in_progress', true, false, ['canceling']],
    ['in_progress', false, false, ['canceling', 'canceled']],
    ['canceling', true, true, []],
    ['canceling', false, true, ['canceled']],
    ['unknown', false, true, ['canceled']],
    ['success', false, true, []],
    ['failure', false, true, []],
    ['canceled', false, false, []],
    ['error', false, true, []],
  ];
  test.each(cases)('%s, slot %s, trigger started %s: %j', (status, hasSlot, triggerStarted, path) => {
    expect(decideCancel({ status, hasSlot, triggerStarted })).toEqual(path);
  });

  test('goes along the table', () => {
    for (const [status, , , path] of cases)
      path.reduce((from, to) => {
        expect(canMove(from, to)).toBe(true);
        return to;
      }, status);
  });
});
