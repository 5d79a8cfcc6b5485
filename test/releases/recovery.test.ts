// A backup was restored whose deployments were open. Newer versions may have been deployed since, so none of the
// deployments of the backup may go on.
import { describe, expect, it } from 'vitest';
import type { Ports } from '../../src/context.ts';
import { HostRefused, type Hosts } from '../../src/hosts/port.ts';
import { recoverInstallation, surveyRecovery } from '../../src/installation-recovery.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { cdServer, type CdServer } from '../support/cd-server.ts';
import { releaseWorld, type ReleaseWorld } from '../support/release-world.ts';

describe('the recovery of a restored database', () => {
  it('closes the open deployments also if nothing landed since the backup, and a second run changes nothing', async () => {
    await using cd = await cdServer();
    await using r = await restoredWorld(cd);
    const ports = r.w.service.ports;
    const planned = await surveyRecovery(ports);
    expect(planned).toMatchObject({ isNeeded: true, epoch: null });
    const [newEpoch, ...changes] = planned.changes;
    expect(newEpoch).toMatch(/^begin a new epoch/);
    expect(changes).toEqual([expect.stringMatching(/^set 2 open deployments to unknown/)]);
    expect(await r.line()).toEqual(['v1-rc1 in_progress', 'v2-rc1 pending']);
    expect(await recoverInstallation(ports)).toMatchObject({ isNeeded: true, epoch: 2, changes: planned.changes });
    await r.become('v1-rc1 unknown', 'v2-rc1 unknown');
    expect(await recoverInstallation(ports)).toEqual({ isNeeded: false, epoch: null, changes: [], left: [] });
    expect(cd.runs).toHaveLength(1);
  });

  it.each(['recovery:before_closing', 'recovery:after_closing'])(
    'is completed by another run if the first one is killed %s',
    async (failpoint) => {
      await using cd = await cdServer();
      await using r = await restoredWorld(cd);
      const ports = r.w.service.ports;
      // The branch of a build that the backup does not know.
      await r.w.git('update-ref', 'refs/heads/mq-99', 'main');
      const disarm = onFailpoint(failpoint, async () => {
        throw new Error('the recovery was killed');
      });
      try {
        await expect(recoverInstallation(ports)).rejects.toThrow('the recovery was killed');
      } finally {
        disarm();
      }
      expect(await recoverInstallation(ports)).toMatchObject({ isNeeded: true });
      await r.become('v1-rc1 unknown', 'v2-rc1 unknown');
      expect(await r.w.git('for-each-ref', 'refs/heads/mq-*')).toBe('');
      expect(await recoverInstallation(ports)).toMatchObject({ isNeeded: false });
      expect(cd.runs).toHaveLength(1);
    },
  );
});

it('ends the open builds of candidates as failed, and builds nothing once more', async () => {
  await using cd = await cdServer();
  await using r = await releaseWorld({ build: { kind: 'http', url: cd.url, statusUrl: cd.url } });
  await r.candidate('v1-rc1', { built: true });
  await r.w.until(async () => cd.runs.length === 1);
  cd.run('v1-rc1').status = 'success';
  await r.w.until(async () => (await r.candidateStatus('v1-rc1')).status === 'ready');
  cd.broken = { status: 503, body: 'resting' };
  await r.candidate('v1-rc2', { built: true });
  await r.w.until(async () => (await r.candidateStatus('v1-rc2')).problem !== null);
  const ports = r.w.service.ports;
  const planned = await surveyRecovery(ports);
  expect(planned.changes.slice(1)).toEqual([
    'end one open build of release candidates as failed: make other candidates',
  ]);
  expect(await recoverInstallation(ports)).toMatchObject({ isNeeded: true, changes: planned.changes });
  expect(await r.candidateStatus('v1-rc2')).toEqual({
    status: 'failed',
    error_message: 'The database was restored from a backup. The result of this build is not known.',
    problem: null,
  });
  expect((await r.candidateStatus('v1-rc1')).status).toBe('ready');
  expect((await r.events()).at(-1)).toBe('candidate_failed');
  expect(await recoverInstallation(ports)).toEqual({ isNeeded: false, epoch: null, changes: [], left: [] });
});

const refuse = async () => await Promise.reject(new HostRefused('The App is not installed.'));
// The branch of a build that the backup does not know.
const listStray = async (_repository: unknown, prefix: string) =>
  await Promise.resolve(prefix === 'refs/heads/' ? [{ ref: 'refs/heads/mq-bot-99', commit: 'a'.repeat(40) }] : []);

it.each([
  ['cannot be read', refuse],
  ['accepts no change', listStray],
])('closes the open deployments although another repository %s, and names that repository', async (_what, listRefs) => {
  await using cd = await cdServer();
  await using r = await restoredWorld(cd);
  await r.w.rows(
    `insert into repository (account_id, owner, name, host, active, configuration_yaml, configuration_hash)
     select account_id, 'acme', 'gone', 'github', false, configuration_yaml, configuration_hash from repository`,
  );
  const { hosts, ...others } = r.w.service.ports;
  const atGitHub = new Proxy({} as ReturnType<Hosts>, { get: (_, name) => (name === 'listRefs' ? listRefs : refuse) });
  const ports = { ...others, hosts: (kind) => (kind === 'github' ? atGitHub : hosts(kind)) } satisfies Ports;
  expect(await surveyRecovery(ports)).toMatchObject({ isNeeded: true });
  const left = [{ repository: 'acme/gone', reason: 'The App is not installed.', isActive: false }];
  expect(await recoverInstallation(ports)).toMatchObject({ isNeeded: true, left });
  await r.become('v1-rc1 unknown', 'v2-rc1 unknown');
  expect((await recoverInstallation(ports)).left).toEqual(left);
});

async function restoredWorld(cd: CdServer): Promise<ReleaseWorld> {
  const r = await releaseWorld({ provider: { kind: 'http', url: cd.url, statusUrl: cd.url } });
  for (const version of ['v1-rc1', 'v2-rc1']) {
    await r.candidate(version);
    await r.deploy(version);
  }
  await r.w.until(async () => cd.runs.length === 1);
  return r;
}
