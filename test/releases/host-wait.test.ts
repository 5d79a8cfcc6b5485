// If the code host asks to wait, this is no failure of the provider.
import { expect, it } from 'vitest';
import { HostUnavailable } from '../../src/hosts/port.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { releaseWorld, type ReleaseWorld } from '../support/release-world.ts';

it('a deployment whose code host asks to wait is triggered later, and the wait does not count as a failure', async () => {
  const inputs = ['deployment_id', 'environment', 'release_candidate_version'];
  await using r = await releaseWorld({
    runsCi: true,
    ci: JSON.stringify({ checks: {}, workflows: { deploy: { run: 'true', inputs } } }),
    provider: { kind: 'github_actions', workflow: 'deploy' },
  });
  const asked: number[] = [];
  // A call that comes before the test has seen the wait is asked to wait again, so that a slow machine cannot miss it.
  const given: number[] = [];
  let isSeen = false;
  replaceHostMethod(r.w, 'dispatchWorkflow', (original) => async (...of) => {
    asked.push(Date.now());
    if (isSeen) return await original(...of);
    const retryAt = Date.now() + 1_000;
    given.push(retryAt);
    throw new HostUnavailable('Too many requests.', { retryAt });
  });
  await r.candidate('v1-rc1');
  await r.deploy('v1-rc1');
  await r.w.until(async () => (await r.deployments()).some(({ problem }) => problem === 'Too many requests.'));
  expect(await r.w.rows('select calls from deployment')).toEqual([{ calls: 0 }]);
  isSeen = true;
  await r.become('v1-rc1 success');
  expect(asked).toHaveLength(given.length + 1);
  for (const [at, retryAt] of given.entries()) expect(asked[at + 1]).toBeGreaterThanOrEqual(retryAt);
});

const command = { kind: 'command', command: 'true', timeoutSec: 60 } as const;

interface HostThatAsksToWait {
  /** When the commit was asked for, in milliseconds since the epoch. */
  readonly asked: readonly number[];
  /** Until when the host asked to wait, each time. */
  readonly given: readonly number[];
  /** Lets the next checkout succeed. */
  end(): void;
}

/** The code host asks to wait for a second at each checkout, until the test has seen the wait. */
function askToWait(r: ReleaseWorld): HostThatAsksToWait {
  const asked: number[] = [];
  const given: number[] = [];
  let isSeen = false;
  replaceHostMethod(r.w, 'checkOut', (original) => async (...of) => {
    asked.push(Date.now());
    if (isSeen) return await original(...of);
    const retryAt = Date.now() + 1_000;
    given.push(retryAt);
    throw new HostUnavailable('The clone took longer than 20 s.', { retryAt });
  });
  return { asked, given, end: () => void (isSeen = true) };
}

function expectWaited({ asked, given }: HostThatAsksToWait): void {
  expect(asked).toHaveLength(given.length + 1);
  for (const [at, retryAt] of given.entries()) expect(asked[at + 1]).toBeGreaterThanOrEqual(retryAt);
}

it('a command whose commit the code host does not give yet is run later, and the wait does not count as a failure', async () => {
  await using r = await releaseWorld({ provider: command });
  const host = askToWait(r);
  await r.candidate('v1-rc1');
  const id = await r.deploy('v1-rc1');
  await r.w.until(async () =>
    (await r.deployments()).some(({ problem }) => problem === 'The clone took longer than 20 s.'),
  );
  expect(await r.w.rows('select calls, supervised_by from deployment')).toEqual([{ calls: 0, supervised_by: null }]);
  host.end();
  await r.become('v1-rc1 success');
  expectWaited(host);
  expect(await r.log({ deployment: id })).toContain('The clone took longer than 20 s.');
});

it('the build of a candidate whose commit the code host does not give yet is run later', async () => {
  await using r = await releaseWorld({ build: command });
  const host = askToWait(r);
  await r.candidate('v1-rc1', { built: true });
  await r.w.until(async () => (await r.candidateStatus('v1-rc1')).problem === 'The clone took longer than 20 s.');
  expect(await r.w.rows('select calls from release_candidate')).toEqual([{ calls: 0 }]);
  host.end();
  await r.w.until(async () => (await r.candidateStatus('v1-rc1')).status === 'ready');
  expectWaited(host);
});

it('a deployment that waits for its code host is canceled at once', async () => {
  await using r = await releaseWorld({ provider: command });
  askToWait(r);
  await r.candidate('v1-rc1');
  const id = await r.deploy('v1-rc1');
  await r.w.until(async () => (await r.deployments()).some(({ problem }) => problem !== null));
  await r.cancel(id);
  await r.become('v1-rc1 canceled');
  expect(await r.w.rows('select status, calls from deployment')).toEqual([{ status: 'canceled', calls: 0 }]);
});

it('a deployment whose code host fails until the time limit ends with the failure of the host', async () => {
  let aheadMs = 0;
  const clock = (): Date => new Date(Date.now() + aheadMs);
  await using r = await releaseWorld({ provider: command, reportTimeoutSec: 600, clock });
  replaceHostMethod(r.w, 'checkOut', () => async () => await Promise.reject(new HostUnavailable('502 Bad Gateway')));
  await r.candidate('v1-rc1');
  await r.deploy('v1-rc1');
  // The clock moves only when no turn is left, because each turn must see the wait that follows its attempt.
  await r.w.until(async () => {
    const [row] = await r.w.rows<{ status: string; call_at: Date | null }>('select status, call_at from deployment');
    aheadMs += Math.max(0, (row?.call_at?.getTime() ?? 0) - clock().getTime());
    return row?.status === 'error';
  });
  expect((await r.deployments())[0]?.error_message).toBe(
    'The code host has failed for 10 minutes. The last failure: 502 Bad Gateway',
  );
});
