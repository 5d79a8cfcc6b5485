import { fc } from '../../support/properties.ts';
import { describe, expect, test } from 'vitest';
import {
  listRestorable,
  rollbackTarget,
  areEnoughSuccesses,
  type LatestDeployment,
  type Success,
} from '../../../src/domain/releases/history.ts';
import { lineOf } from '../../../src/domain/releases/slot.ts';
import type { DeploymentKind, DeploymentStatus } from '../../../src/domain/releases/release.ts';

/** `v1 v2 <v1:v2`: two forward successes, then a rollback to v1 that rolled back v2. */
function successesOf(text: string): Success[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      if (!word.startsWith('<')) return { kind: 'forward', candidateId: word, tookBackId: null };
      const [candidateId = '', tookBackId = null] = word.slice(1).split(':');
      return { kind: 'rollback', candidateId, tookBackId };
    });
}

describe('the history of successes', () => {
  test.each([
    ['', ''],
    ['v1', 'v1'],
    ['v1 v2 v3', 'v1 v2 v3'],
    ['v1 v1', 'v1'],
    ['v1 v2 v1', 'v1 v2 v1'],
    ['v1 v2 <v1:v2', 'v1'],
    ['v1 v2 v3 <v2:v3 <v1:v2', 'v1'],
    ['v1 v2 <v1:v2 v3', 'v1 v3'],
    ['v1 v2 v1 v3 <v1:v3', 'v1 v2 v1'],
    // A restored candidate does not count as another success.
    ['v2 <v1:v2', 'v1'],
    ['v0 v2 <v1:v2', 'v0 v1'],
    ['v0 v2 <v1:v3', 'v0 v2 v1'],
  ])('"%s" can restore "%s"', (log, stack) => {
    expect(listRestorable(successesOf(log)).join(' ')).toBe(stack);
  });

  const forward = (candidateId: string, status: DeploymentStatus): LatestDeployment => ({
    id: '9',
    kind: 'forward',
    status,
    candidateId,
    rollbackOfId: null,
  });
  const rollback = (candidateId: string, status: DeploymentStatus): LatestDeployment => ({
    ...forward(candidateId, status),
    kind: 'rollback',
    rollbackOfId: '7',
  });
  test.each([
    ['nothing, if nothing was ever deployed', '', null, null],
    ['nothing, after the first deployment', 'v1', forward('v1', 'success'), null],
    ['nothing, if the first deployment failed', '', forward('v1', 'failure'), null],
    ['the candidate before', 'v1 v2', forward('v2', 'success'), 'v1'],
    ['the last success, after a failure', 'v1 v2', forward('v3', 'failure'), 'v2'],
    ['the last success, during another deployment', 'v1 v2', forward('v3', 'in_progress'), 'v2'],
    ['the last success, if the status is unknown', 'v1 v2', forward('v3', 'unknown'), 'v2'],
    ['the last success, after a canceled deployment', 'v1 v2', forward('v3', 'canceled'), 'v2'],
    ['an older candidate, after a rollback', 'v1 v2 v3 <v2:v3', rollback('v2', 'success'), 'v1'],
    ['nothing, after the last possible rollback', 'v1 v2 <v1:v2', rollback('v1', 'success'), null],
    ['the same candidate, after a failed rollback', 'v1 v2', rollback('v1', 'failure'), 'v1'],
  ])('a rollback goes to %s', (_, log, latest, candidateId) => {
    expect(rollbackTarget(successesOf(log), latest)?.candidateId ?? null).toBe(candidateId);
  });

  test('a repeated rollback rolls back the same deployment as the first one', () => {
    expect(rollbackTarget(successesOf('v1 v2'), rollback('v1', 'error'))?.rollbackOfId).toBe('7');
    expect(rollbackTarget(successesOf('v1 v2 v3 <v2:v3'), rollback('v2', 'success'))?.rollbackOfId).toBe('9');
  });
});

const version = fc.integer({ min: 1, max: 5 }).map((n) => `v${n}`);

describe('rollbacks until nothing is left', () => {
  test('end, never return to a candidate that was rolled back, and follow the stack', () => {
    fc.assert(
      fc.property(fc.array(version, { minLength: 1, maxLength: 20 }), (versions) => {
        const successes: Success[] = versions.map((candidateId) => ({
          kind: 'forward',
          candidateId,
          tookBackId: null,
        }));
        const ran = versions.filter((name, at) => name !== versions[at - 1]);
        let latest: LatestDeployment = forwardSuccess(successes.at(-1));
        const gone: string[] = [];
        for (let target = rollbackTarget(successes, latest); target; target = rollbackTarget(successes, latest)) {
          gone.push(target.candidateId);
          const tookBackId = latest.candidateId;
          successes.push({ kind: 'rollback', candidateId: target.candidateId, tookBackId });
          latest = { ...forwardSuccess(successes.at(-1)), rollbackOfId: latest.id };
        }
        expect(gone).toEqual(ran.slice(0, -1).toReversed());
      }),
    );
  });

  test('are not changed by failed attempts in between', () => {
    fc.assert(
      fc.property(fc.uniqueArray(version, { minLength: 2 }), fc.nat(4), (versions, failures) => {
        const successes: Success[] = versions.map((candidateId) => ({
          kind: 'forward',
          candidateId,
          tookBackId: null,
        }));
        let latest: LatestDeployment = forwardSuccess(successes.at(-1));
        for (let tries = 0; tries <= failures; tries += 1) {
          const target = rollbackTarget(successes, latest);
          expect(target).toMatchObject({ candidateId: versions.at(-2), rollbackOfId: 'd' });
          latest = {
            id: `r${tries}`,
            kind: 'rollback',
            status: 'failure',
            candidateId: target?.candidateId ?? '',
            rollbackOfId: target?.rollbackOfId ?? null,
          };
        }
      }),
    );
  });
});

function forwardSuccess(success: Success | undefined): LatestDeployment {
  if (!success) throw new Error('There is a success.');
  return { id: 'd', kind: success.kind, status: 'success', candidateId: success.candidateId, rollbackOfId: null };
}

test('rollbacks are next in line, then the earliest request; deployments from outside or with the slot are not in line', () => {
  const deployment = (id: string, kind: DeploymentKind, status: DeploymentStatus, reported = false) => ({
    id,
    kind,
    status,
    reported,
    forced: id === '10',
  });
  const deployments = [
    deployment('12', 'rollback', 'pending'),
    deployment('10', 'forward', 'pending'),
    deployment('9', 'forward', 'pending'),
    deployment('8', 'forward', 'pending', true),
    deployment('7', 'forward', 'pending'),
    deployment('6', 'forward', 'in_progress'),
  ];
  const line = (isFrozen: boolean) => lineOf(deployments, { currentId: '7', isFrozen }).map(({ id }) => id);
  expect(line(false)).toEqual(['12', '9', '10']);
  // A forced deployment does not wait for those that wait for the end of a freeze.
  expect(line(true)).toEqual(['10', '12', '9']);
});

test('the newest successes are enough only if all of them agree', () => {
  const candidate = fc.constantFrom('v1', 'v2', 'v3', 'v4');
  const success = fc.record<Success>({
    kind: fc.constantFrom<DeploymentKind>('forward', 'forward', 'rollback'),
    candidateId: candidate,
    tookBackId: fc.option(candidate),
  });
  let enough = 0;
  fc.assert(
    fc.property(fc.array(success, { maxLength: 14 }), fc.nat(14), (all, count) => {
      const newest = all.slice(-count);
      if (!areEnoughSuccesses(newest)) return;
      enough += 1;
      expect(listRestorable(newest).slice(-2)).toEqual(listRestorable(all).slice(-2));
    }),
    { numRuns: 5000 },
  );
  expect(enough).toBeGreaterThan(500);
  expect(areEnoughSuccesses(successesOf('v2 v3 <v1:v3'))).toBe(false);
  expect(areEnoughSuccesses(successesOf('v1 v1'))).toBe(false);
});
