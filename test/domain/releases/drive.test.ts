import { fc } from '../../support/properties.ts';
import { describe, expect, it } from 'vitest';
import {
  isCancelUnsent,
  keepsPauses,
  mustNotifyCancel,
  mustStillNotifyCancel,
} from '../../../src/domain/releases/cancellation.ts';
import { decideBuild, decideDeployment } from '../../../src/domain/releases/drive.ts';
import {
  candidateStatusByReading,
  decideRefusedStart,
  pauseAfter,
  pauseAfterFailure,
  statusesByReading,
} from '../../../src/domain/releases/provider-answers.ts';
import type { BuildSituation, DeploymentSituation } from '../../../src/domain/releases/situation.ts';
import { deploymentStatuses, type ProviderSettings } from '../../../src/domain/releases/release.ts';

const none: ProviderSettings = { kind: 'none' };
const command: ProviderSettings = { kind: 'command', command: 'make deploy', timeoutSec: 600 };
const reporting: ProviderSettings = { kind: 'http', url: 'https://cd.example.test/deploy', statusUrl: null };
const workflow: ProviderSettings = { kind: 'github_actions', workflow: 'deploy' };
const polled: ProviderSettings = { ...reporting, statusUrl: 'https://cd.example.test/status' };

const now = 10_000_000;
const aMinuteAgo = now - 60_000;
const longAgo = now - 61 * 60_000;

function situation(is: Partial<DeploymentSituation> = {}): DeploymentSituation {
  return {
    status: 'pending',
    provider: polled,
    isReported: false,
    slot: 'free',
    isFirstInLine: true,
    freeze: null,
    triggerStartedAt: null,
    isReportedSinceStart: false,
    triggeredAt: null,
    cancelRequestedAt: null,
    cancelSentAt: null,
    callAt: null,
    calls: 0,
    problem: null,
    failingSince: null,
    supervisedUntil: null,
    statusAt: aMinuteAgo,
    reportTimeoutSec: 3_600,
    cancelPending: false,
    isElsewhere: false,
    ...is,
  };
}

/** A deployment with the slot, whose trigger was started in it. */
const started = (is: Partial<DeploymentSituation> = {}): DeploymentSituation =>
  situation({ status: 'in_progress', slot: 'ours', isFirstInLine: false, triggerStartedAt: aMinuteAgo, ...is });
const running = (is: Partial<DeploymentSituation> = {}): DeploymentSituation =>
  started({ triggeredAt: aMinuteAgo, ...is });

const deadline = aMinuteAgo + 3_600_000;

describe('a deployment that waits', () => {
  it.each([
    ['takes the free slot when it is its turn', situation(), { kind: 'take_slot' }],
    [
      'waits for another deployment that has the slot',
      situation({ slot: 'taken' }),
      { kind: 'wait', for: 'turn', until: null },
    ],
    ['waits behind others in line', situation({ isFirstInLine: false }), { kind: 'wait', for: 'turn', until: null }],
    ['waits for the end of a freeze', situation({ freeze: { until: 7 } }), { kind: 'wait', for: 'freeze', until: 7 }],
    [
      'waits for its turn and not for a freeze while both hold',
      situation({ slot: 'taken', freeze: { until: 7 } }),
      { kind: 'wait', for: 'turn', until: null },
    ],
    [
      'waits only for reports if a report made it',
      situation({ isReported: true }),
      { kind: 'wait', for: 'report', until: null },
    ],
    [
      'is not triggered twice if a report sets it back',
      situation({ triggerStartedAt: longAgo }),
      { kind: 'wait', for: 'report', until: null },
    ],
    [
      'gives back the slot with which it was set back',
      situation({ slot: 'ours', triggerStartedAt: longAgo, statusAt: longAgo }),
      { kind: 'become', status: 'error', because: 'No report about the deployment arrived for 60 minutes.' },
    ],
  ])('%s', (_, given, step) => expect(decideDeployment(given, now)).toEqual(step));
});

describe('a deployment that has the slot', () => {
  it.each([
    ['triggers its provider', started(), { kind: 'call', call: 'trigger' }],
    [
      'does not call a failed provider for a while',
      started({ callAt: now + 5, calls: 1 }),
      { kind: 'wait', for: 'call', until: now + 5 },
    ],
    [
      'ends if its provider cannot be reached',
      started({ triggerStartedAt: now - 600_000, statusAt: now - 600_000, calls: 20 }),
      {
        kind: 'become',
        status: 'unknown',
        because: 'The provider could not be reached, so Interlock does not know whether the deployment began.',
      },
    ],
    [
      'goes on while reports say that it runs, although its provider cannot be reached',
      started({ triggerStartedAt: now - 600_000, isReportedSinceStart: true, calls: 20 }),
      { kind: 'call', call: 'trigger' },
    ],
    [
      'goes on at GitHub too while reports say that it runs',
      started({
        ...{ triggerStartedAt: now - 600_000, isReportedSinceStart: true },
        ...{ calls: 20, provider: workflow, callAt: now + 9 },
      }),
      { kind: 'wait', for: 'call', until: now + 9 },
    ],
    ['asks its provider for the status', running(), { kind: 'call', call: 'read' }],
    [
      'does not ask its provider all the time',
      running({ callAt: now + 9 }),
      { kind: 'wait', for: 'call', until: now + 9 },
    ],
    ['gets reports of its status', running({ provider: reporting }), { kind: 'wait', for: 'report', until: deadline }],
    [
      'becomes unknown without a report for too long',
      running({ provider: reporting, statusAt: longAgo }),
      { kind: 'become', status: 'unknown', because: 'No report about the deployment arrived for 60 minutes.' },
    ],
    [
      'is reported from outside if there is no provider',
      situation({ status: 'in_progress', slot: 'ours', provider: none }),
      { kind: 'wait', for: 'report', until: deadline },
    ],
    ['is supervised', started({ provider: command }), { kind: 'supervise' }],
    [
      'is supervised by one worker',
      started({ provider: command, supervisedUntil: now + 3 }),
      { kind: 'wait', for: 'lease', until: now + 3 },
    ],
    [
      'is supervised by another worker if the first one is lost',
      started({ provider: command, supervisedUntil: now, calls: 1 }),
      { kind: 'supervise' },
    ],
    [
      'may take long while it is supervised',
      started({ provider: command, statusAt: longAgo, triggerStartedAt: longAgo }),
      { kind: 'supervise' },
    ],
    [
      'ends if each worker is lost',
      started({ provider: command, supervisedUntil: now, calls: 5 }),
      {
        kind: 'become',
        status: 'error',
        because: 'The command was started 5 times, and each time its worker was lost.',
      },
    ],
    [
      'does not say that its worker was lost each time if another failure is known',
      started({ provider: command, calls: 5, problem: 'No memory.' }),
      { kind: 'become', status: 'error', because: 'The command was started 5 times without a result.' },
    ],
    [
      'waits after a failure of the code host',
      started({ provider: command, callAt: now + 5, failingSince: now - 9 }),
      { kind: 'wait', for: 'call', until: now + 5 },
    ],
    [
      'waits for a code host that fails until its time limit',
      started({ provider: command, callAt: now + 9_000, failingSince: now - 3_600_000 + 7 }),
      { kind: 'wait', for: 'call', until: now + 7 },
    ],
    [
      'ends if the code host has failed for its time limit',
      started({ provider: command, callAt: now + 5, failingSince: now - 3_600_000 }),
      { kind: 'become', status: 'error', because: 'The code host has failed for 60 minutes.' },
    ],
  ])('%s', (_, given, step) => expect(decideDeployment(given, now)).toEqual(step));

  it('does not ask its provider about a deployment that a report has reopened', () => {
    const reopened = running({ slot: 'free' });
    expect(decideDeployment(reopened, now)).toEqual({ kind: 'wait', for: 'report', until: deadline });
    expect(decideDeployment({ ...reopened, statusAt: longAgo }, now)).toMatchObject({ status: 'unknown' });
  });
});

describe('a deployment that is to be canceled', () => {
  const canceling = (is: Partial<DeploymentSituation> = {}): DeploymentSituation =>
    running({ status: 'canceling', ...is });
  it.each([
    ['notifies its provider', canceling(), { kind: 'call', call: 'cancel' }],
    [
      'notifies its provider even if it is unknown whether the run has begun',
      canceling({ triggeredAt: null }),
      { kind: 'call', call: 'cancel' },
    ],
    [
      'reads the name of its workflow run first, if it is unknown whether the run has begun',
      canceling({ provider: workflow, triggeredAt: null }),
      { kind: 'call', call: 'trigger' },
    ],
    ['notifies its workflow run by its name', canceling({ provider: workflow }), { kind: 'call', call: 'cancel' }],
    [
      'notifies its provider again later if it could not be reached',
      canceling({ callAt: now + 2, calls: 1 }),
      { kind: 'wait', for: 'call', until: now + 2 },
    ],
    [
      'then asks its provider whether the run has ended',
      canceling({ cancelSentAt: now }),
      { kind: 'call', call: 'read' },
    ],
    [
      'waits for a report of its end',
      canceling({ cancelSentAt: now, provider: reporting }),
      { kind: 'wait', for: 'report', until: deadline },
    ],
    [
      'becomes an error without a report of its end',
      canceling({ cancelSentAt: longAgo, statusAt: longAgo, provider: reporting }),
      {
        kind: 'become',
        status: 'error',
        because: 'The deployment was canceled. Within 60 minutes no report said how it ended.',
      },
    ],
    [
      'waits for the worker that supervises it',
      canceling({ provider: command, supervisedUntil: now + 3 }),
      { kind: 'wait', for: 'lease', until: now + 3 },
    ],
    [
      'is canceled if no worker supervises it',
      canceling({ provider: command }),
      { kind: 'become', status: 'canceled', because: 'It was canceled.' },
    ],
    [
      'is canceled at once without a provider',
      canceling({ provider: none }),
      { kind: 'become', status: 'canceled', because: 'It was canceled.' },
    ],
    [
      'is canceled at once if it was never triggered',
      canceling({ triggerStartedAt: null }),
      { kind: 'become', status: 'canceled', because: 'It was canceled.' },
    ],
    [
      'is canceled at once if the service does not drive it',
      canceling({ slot: 'taken' }),
      { kind: 'become', status: 'canceled', because: 'It was canceled.' },
    ],
  ])('%s', (_, given, step) => expect(decideDeployment(given, now)).toEqual(step));
});

describe('a deployment that was canceled without waiting for it', () => {
  const pending = (is: Partial<DeploymentSituation> = {}): DeploymentSituation =>
    situation({ status: 'canceled', triggerStartedAt: longAgo, statusAt: longAgo, cancelPending: true, ...is });
  it.each([
    ['has ended if its provider needs no notification', pending({ cancelPending: false }), { kind: 'ended' }],
    ['has ended if its environment has another provider now', pending({ isElsewhere: true }), { kind: 'ended' }],
    [
      'notifies its provider, even if another one has the slot',
      pending({ slot: 'taken' }),
      { kind: 'call', call: 'cancel' },
    ],
    [
      'does not call a provider for a while if it could not be reached',
      pending({ callAt: now + 5, calls: 3 }),
      { kind: 'wait', for: 'call', until: now + 5 },
    ],
    ['notifies its provider again after that', pending({ callAt: now, calls: 3 }), { kind: 'call', call: 'cancel' }],
    [
      'becomes unknown before its provider is called again, if no report arrives until then',
      pending({ status: 'in_progress', statusAt: aMinuteAgo, reportTimeoutSec: 65, callAt: now + 60_000, calls: 6 }),
      { kind: 'wait', for: 'call', until: now + 5_000 },
    ],
    [
      'waits for reports if its environment has another provider now',
      pending({ status: 'in_progress', statusAt: aMinuteAgo, isElsewhere: true }),
      { kind: 'wait', for: 'report', until: deadline },
    ],
    [
      'is canceled again at once if it is reported as canceling',
      pending({ status: 'canceling', slot: 'free' }),
      { kind: 'become', status: 'canceled', because: 'It was canceled.' },
    ],
  ])('%s', (_, given, step) => expect(decideDeployment(given, now)).toEqual(step));

  it.each(['pending', 'in_progress', 'unknown'] as const)(
    'notifies its provider although it is reported as %s',
    (status) => {
      const reported = pending({ status, statusAt: aMinuteAgo, isReported: true, slot: 'taken' });
      expect(decideDeployment(reported, now)).toEqual({ kind: 'call', call: 'cancel' });
    },
  );

  it.each([
    ['that was called and has not answered', {}, true],
    ['at a workflow', { provider: workflow }, true],
    ['that still waits for its result', { status: 'in_progress' }, false],
    ['in line', { status: 'pending' }, false],
    ['that was never started', { triggerStartedAt: null }, false],
    ['driven from outside', { isReported: true }, false],
    ['that was started at a provider that does not exist any more', { isElsewhere: true }, false],
    ['without a provider', { provider: none }, false],
    ['that ended with the worker that supervised it', { provider: command }, false],
  ] as const)('must notify the provider of a deployment %s (%j): %s', (_, is, owes) =>
    expect(
      mustNotifyCancel({
        status: 'unknown',
        provider: reporting,
        isReported: false,
        triggerStartedAt: longAgo,
        isElsewhere: false,
        ...is,
      }),
    ).toBe(owes),
  );

  it('is given up after ten tries, because nothing else would end it', () => {
    expect(pauseAfterFailure({ cancelPending: true, calls: 9 })).toBe(60_000);
    expect(pauseAfterFailure({ cancelPending: true, calls: 10 })).toBeNull();
    expect(pauseAfterFailure({ cancelPending: false, calls: 99 })).toBe(60_000);
  });
});

describe('a cancellation that was not sent', () => {
  const requested = { cancelRequestedAt: aMinuteAgo, statusAt: longAgo };
  const canceling = { kind: 'become', status: 'canceling', because: 'It was canceled.' };
  it.each([
    ['goes on after a report that the run is in progress', running(requested), canceling],
    ['goes on if the start was not answered', started(requested), canceling],
    ['goes on at a command', started({ ...requested, provider: command }), canceling],
    ['goes on without a provider', started({ ...requested, provider: none, triggerStartedAt: null }), canceling],
    [
      'goes on no further when it was sent',
      running({ ...requested, cancelSentAt: aMinuteAgo, statusAt: aMinuteAgo }),
      { kind: 'call', call: 'read' },
    ],
    [
      'does not concern a deployment that a report has reopened',
      running({ ...requested, statusAt: aMinuteAgo, slot: 'free' }),
      { kind: 'wait', for: 'report', until: deadline },
    ],
  ])('%s', (_, given, step) => expect(decideDeployment(given, now)).toEqual(step));

  it.each([
    ['with the slot', {}, true],
    ['without the slot', { slot: 'taken' }, false],
    ['that nobody requested', { cancelRequestedAt: null }, false],
    ['that was sent', { cancelSentAt: aMinuteAgo }, false],
  ] as const)('is a cancellation %s: %s', (_, is, unsent) =>
    expect(isCancelUnsent({ ...running(requested), ...is })).toBe(unsent),
  );

  const withSlot = running({ ...requested, status: 'canceling' });
  const withoutSlot = situation({ status: 'canceled', triggerStartedAt: longAgo, cancelPending: true });
  it.each([
    ['without the slot', withoutSlot, 'report', 'in_progress', true],
    ['without the slot', withoutSlot, 'report', 'canceling', true],
    ['without the slot', withoutSlot, 'report', 'unknown', true],
    ['without the slot', withoutSlot, 'report', 'success', false],
    ['without the slot', withoutSlot, 'report', 'canceled', false],
    ['without the slot', withoutSlot, 'service', 'unknown', true],
    ['without the slot', withoutSlot, 'service', 'canceled', true],
    ['with the slot that it keeps', withSlot, 'report', 'in_progress', false],
    ['with the slot that it loses', withSlot, 'report', 'unknown', true],
    ['with the slot that it loses', withSlot, 'report', 'pending', true],
    ['with the slot that it loses at its end', withSlot, 'report', 'failure', false],
    ['that lost the slot earlier', { ...withSlot, slot: 'free' }, 'report', 'unknown', false],
    ['that was told', { ...withSlot, cancelSentAt: now }, 'report', 'unknown', false],
    ['by a command', { ...withSlot, provider: command }, 'report', 'unknown', false],
  ] as const)('of a deployment %s (%j), by a %s that it is %s, must still be sent: %s', (_, before, source, to, owes) =>
    expect(mustStillNotifyCancel(before, { to, source })).toBe(owes),
  );
});

describe('the pauses between failed calls of the provider', () => {
  const unsent = running({ status: 'canceling', cancelRequestedAt: aMinuteAgo });
  const pending = situation({ status: 'canceled', cancelPending: true });
  it.each([
    ['a cancellation with the slot', unsent, 'in_progress', false, true],
    ['a cancellation with the slot', unsent, 'canceling', false, true],
    ['a cancellation with the slot', unsent, 'unknown', true, false],
    ['a cancellation with the slot', unsent, 'failure', false, false],
    ['a cancellation that was sent', { ...unsent, cancelSentAt: aMinuteAgo }, 'in_progress', false, false],
    ['a cancellation without the slot', pending, 'in_progress', true, true],
    ['a cancellation without the slot', pending, 'success', false, false],
    ['other calls', running(), 'canceling', false, false],
  ] as const)('of %s (%j) that becomes %s (pending: %s) go on: %s', (_, before, to, cancelPending, goOn) =>
    expect(keepsPauses(before, { to, cancelPending })).toBe(goOn),
  );
});

describe('the build of a candidate', () => {
  const build = (is: Partial<BuildSituation> = {}): BuildSituation => ({
    status: 'building',
    isCanceled: false,
    provider: polled,
    triggeredAt: null,
    cancelSentAt: null,
    callAt: null,
    calls: 0,
    problem: null,
    failingSince: null,
    supervisedUntil: null,
    createdAt: aMinuteAgo,
    timeoutSec: 3_600,
    ...is,
  });
  const canceled = { kind: 'become', status: 'failed', because: 'It was canceled.' };
  it.each([
    ['is triggered', build(), { kind: 'call', call: 'trigger' }],
    ['is read at the provider', build({ triggeredAt: aMinuteAgo }), { kind: 'call', call: 'read' }],
    ['is supervised', build({ provider: command }), { kind: 'supervise' }],
    [
      'fails after its time limit',
      build({ createdAt: longAgo }),
      { kind: 'become', status: 'failed', because: 'The build did not end within 60 minutes.' },
    ],
    [
      'by a command fails after its time limit, which includes its waits',
      build({ provider: command, createdAt: longAgo }),
      {
        kind: 'become',
        status: 'failed',
        because: 'The build did not end within 60 minutes. This time includes waits for room at a worker.',
      },
    ],
    [
      'fails if each worker is lost',
      build({ provider: command, calls: 5 }),
      {
        kind: 'become',
        status: 'failed',
        because: 'The command was started 5 times, and each time its worker was lost.',
      },
    ],
    [
      'waits for a code host that fails, until its time limit at most',
      build({ provider: command, createdAt: now - 3_600_000 + 7, callAt: now + 9_000, failingSince: aMinuteAgo }),
      { kind: 'wait', for: 'call', until: now + 7 },
    ],
    [
      'is canceled at its provider',
      build({ isCanceled: true, triggeredAt: aMinuteAgo }),
      { kind: 'call', call: 'cancel' },
    ],
    [
      'is canceled at its provider even if it is unknown whether it was started',
      build({ isCanceled: true }),
      { kind: 'call', call: 'cancel' },
    ],
    [
      'is started once more with its key, so that its run is known and can be canceled',
      build({ isCanceled: true, provider: workflow }),
      { kind: 'call', call: 'trigger' },
    ],
    [
      'fails after its provider was asked to cancel it',
      build({ isCanceled: true, cancelSentAt: aMinuteAgo }),
      canceled,
    ],
    ['fails at once if it is canceled and nobody drives it', build({ isCanceled: true, provider: none }), canceled],
    ['fails if it is canceled and no worker supervises it', build({ isCanceled: true, provider: command }), canceled],
    [
      'waits for the worker that supervises it, if it is canceled',
      build({ isCanceled: true, provider: command, supervisedUntil: now + 1 }),
      { kind: 'wait', for: 'lease', until: now + 1 },
    ],
    ['has ended if it is ready', build({ status: 'ready' }), { kind: 'ended' }],
    ['has ended if it has failed', build({ status: 'failed' }), { kind: 'ended' }],
  ])('%s', (_, given, step) => expect(decideBuild(given, now)).toEqual(step));

  it('becomes ready or failed by the answer of its provider', () => {
    expect(candidateStatusByReading('success')).toBe('ready');
    for (const state of ['failure', 'error', 'canceled'] as const)
      expect(candidateStatusByReading(state)).toBe('failed');
    for (const state of ['running', 'gone', 'unknown'] as const) expect(candidateStatusByReading(state)).toBeNull();
  });
});

describe('the answer of a provider', () => {
  it.each([
    ['in_progress', 'success', ['success']],
    ['in_progress', 'failure', ['failure']],
    ['in_progress', 'error', ['error']],
    ['in_progress', 'running', []],
    ['in_progress', 'unknown', []],
    ['in_progress', 'gone', []],
    ['canceling', 'gone', ['canceled']],
    ['in_progress', 'canceled', ['canceling', 'canceled']],
    ['canceling', 'canceled', ['canceled']],
    ['canceling', 'success', ['success']],
    ['canceling', 'failure', ['failure']],
    ['canceling', 'running', []],
    ['success', 'failure', []],
    ['canceled', 'success', []],
    ['unknown', 'success', []],
    ['pending', 'running', []],
  ] as const)('for a deployment that is %s: the answer %s moves it to %j', (status, state, becomes) =>
    expect(statusesByReading(state, { status, triggeredAt: 1 })).toEqual(becomes),
  );

  it('ends a deployment that was canceled before it reached its provider', () => {
    expect(statusesByReading('unknown', { status: 'canceling', triggeredAt: null })).toEqual(['canceled']);
    expect(statusesByReading('unknown', { status: 'canceling', triggeredAt: 1 })).toEqual([]);
  });
});

const instant = fc.option(fc.integer({ min: 0, max: 20_000_000 }), { nil: null });
const anySituation: fc.Arbitrary<DeploymentSituation> = fc.record({
  status: fc.constantFrom(...deploymentStatuses),
  provider: fc.constantFrom(none, command, reporting, polled, workflow),
  isReported: fc.boolean(),
  slot: fc.constantFrom('ours', 'free', 'taken'),
  isFirstInLine: fc.boolean(),
  freeze: fc.option(fc.record({ until: instant }), { nil: null }),
  triggerStartedAt: instant,
  isReportedSinceStart: fc.boolean(),
  triggeredAt: instant,
  cancelRequestedAt: instant,
  cancelSentAt: instant,
  callAt: instant,
  calls: fc.nat(12),
  problem: fc.option(fc.constant('502'), { nil: null }),
  failingSince: instant,
  supervisedUntil: instant,
  statusAt: fc.integer({ min: 0, max: 20_000_000 }),
  reportTimeoutSec: fc.integer({ min: 1, max: 7_200 }),
  cancelPending: fc.boolean(),
  isElsewhere: fc.boolean(),
});

type Decided = ReturnType<typeof decideDeployment>;

function expectToLeaveOthersAlone(given: DeploymentSituation, step: Decided, at: number): void {
  const isTelling = given.cancelPending && step.kind === 'call' && step.call === 'cancel';
  if (!isTelling && (step.kind === 'call' || step.kind === 'supervise')) expect(given.slot).toBe('ours');
  if (step.kind === 'take_slot')
    expect(given).toMatchObject({
      status: 'pending',
      slot: 'free',
      freeze: null,
      isReported: false,
      isFirstInLine: true,
    });
  if (step.kind === 'supervise') expect(given.supervisedUntil ?? 0).toBeLessThanOrEqual(at);
  if (step.kind === 'call' && step.call === 'trigger') {
    const statuses = given.provider.kind === 'github_actions' ? ['in_progress', 'canceling'] : ['in_progress'];
    expect(statuses).toContain(given.status);
    expect(given.triggeredAt).toBeNull();
  }
}

function expectToLookAgain(given: DeploymentSituation, step: Decided, at: number): void {
  if (step.kind !== 'wait') return;
  if (step.until !== null && step.for !== 'freeze') expect(step.until).toBeGreaterThan(at);
  if (given.slot === 'ours') expect(step.until).not.toBeNull();
}

const anyTime = fc.integer({ min: 0, max: 20_000_000 });

describe('for all rows', () => {
  it('nothing is triggered or supervised without the slot, and the slot is not taken from another deployment or in a freeze', () => {
    fc.assert(
      fc.property(anySituation, anyTime, (given, at) => {
        expectToLeaveOthersAlone(given, decideDeployment(given, at), at);
      }),
    );
  });

  it('a wait ends in the future, and a deployment with the slot always has a next step', () => {
    fc.assert(
      fc.property(anySituation, anyTime, (given, at) => {
        expectToLookAgain(given, decideDeployment(given, at), at);
      }),
    );
  });
});

it('the pause after each failure of a provider is longer, and at most a minute', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 99].map(pauseAfter)).toEqual([2, 2, 4, 8, 15, 30, 60, 60].map((sec) => sec * 1_000));
});

it.each([
  ['ends a deployment that nobody reports', {}, 'error'],
  ['does not end a deployment that a report says is in progress', { isReportedSinceStart: true }, 'goes_on'],
  ['ends a deployment at GitHub, whatever is reported', { isReportedSinceStart: true, provider: workflow }, 'error'],
  ['ends a deployment that was never started', { isReportedSinceStart: true, triggerStartedAt: null }, 'error'],
  ['ends the cancellation of a deployment', { status: 'canceling' }, 'canceled'],
  ['ends the cancellation of a deployment at GitHub', { status: 'canceling', provider: workflow }, 'canceled'],
] as const)('a refused start %s', (_what, is, to) => {
  expect(decideRefusedStart(started({ provider: reporting, ...is }), { isRepeated: false })).toBe(to);
});

it.each([
  ['over HTTP, because the provider is still notified', reporting, 'canceled'],
  ['at GitHub, because a run may go on that cannot be found', workflow, 'error'],
] as const)('a repeated start that is refused ends a cancellation %s', (_why, provider, to) => {
  expect(decideRefusedStart(started({ provider, status: 'canceling' }), { isRepeated: true })).toBe(to);
});
