import { describe, expect, test } from 'vitest';
import {
  activeStatuses,
  startsDeployment,
  canMove,
  decideCancel,
  endsSlot,
  isFinal,
  instantAfter,
  timesAfter,
} from '../../../src/domain/releases/deployment.status.ts';
import { deploymentStatuses, type DeploymentStatus } from '../../../src/domain/releases/release.ts';

describe('the moves of a deployment by the service', () => {
  test('are those of this table', () => {
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

  test('give each status these properties', () => {
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

describe('the start and the end of a deployment', () => {
  const [created, later, last] = ['2026-01-01T00:00:00Z', '2026-01-01T00:01:00Z', '2026-01-01T00:02:00Z'].map(
    (at) => new Date(at),
  ) as [Date, Date, Date];
  const waiting = { status: 'pending', deployStartAt: null, deployEndAt: null } as const;
  const ended = { status: 'success', deployStartAt: created, deployEndAt: later } as const;

  test.each([
    ['are set when it starts', waiting, 'in_progress', later, null],
    ['are both set when it starts and ends at once', waiting, 'success', later, later],
    ['are both set when it fails before it began', waiting, 'failure', later, later],
    ['have no start when it is canceled before its turn', waiting, 'canceled', null, later],
    ['have a start when it is canceled while it is triggered', waiting, 'canceling', later, null],
  ] as const)('%s', (_, before, to, deployStartAt, deployEndAt) => {
    expect(timesAfter(before, to, later)).toEqual({ deployStartAt, deployEndAt });
  });

  test.each([
    ['are the present in an environment without a start', null, later, later],
    ['are the present after an earlier start', created, later, later],
    ['are later than a start in the same millisecond', later, later, new Date(later.getTime() + 1)],
    ['are later than a start by a clock that is ahead', last, later, new Date(last.getTime() + 1)],
  ] as const)('%s', (_, newest, now, at) => {
    expect(instantAfter(newest, now)).toEqual(at);
  });

  test('begin with these moves, also when it begins again', () => {
    const rows = deploymentStatuses.map(
      (from) => `${from}: ${deploymentStatuses.filter((to) => startsDeployment(from, to)).join(' ') || '–'}`,
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

  test('have no start when it was canceled before its turn and is reported as canceled again', () => {
    const canceled = { status: 'canceled', deployStartAt: null, deployEndAt: later } as const;
    expect(timesAfter(canceled, 'canceled', last)).toEqual({ deployStartAt: null, deployEndAt: later });
  });

  test.each([
    ['if it is reported again, the end stays', 'success', later],
    ['if it is reported otherwise, the end is new', 'failure', last],
    ['if it is reopened, it has no end', 'in_progress', null],
  ] as const)('of a succeeded deployment: %s', (_, to, deployEndAt) => {
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
  test.each(cases)(
    'of a deployment that is %s, with the slot: %s, trigger started: %s, moves it to %j',
    (status, hasSlot, triggerStarted, path) => {
      expect(decideCancel({ status, hasSlot, triggerStarted })).toEqual(path);
    },
  );

  test('moves only along the table', () => {
    for (const [status, , , path] of cases)
      path.reduce((from, to) => {
        expect(canMove(from, to)).toBe(true);
        return to;
      }, status);
  });
});
