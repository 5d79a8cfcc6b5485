// A restored database may be older than the repository. Commits and pull requests that already exist are not made
// again.
import { describe, expect, it } from 'vitest';
import { HostUnavailable } from '../../src/hosts/port.ts';
import { recoverInstallation } from '../../src/installation-recovery.ts';
import { countOpenRunbooks, stopOpenRunbooks } from '../../src/modules/runbooks/index.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { runbookWorld } from '../support/runbook-world.ts';

describe('after a backup was restored', () => {
  it('open runbooks are stopped, and continue on a retry', async () => {
    await using r = await runbookWorld();
    const { w } = r;
    const number = await r.begin('write a.txt one\nfail later');
    await r.rest(number);
    expect(await countOpenRunbooks(w.ctx)).toBe(0);
    const other = await r.begin('write b.txt two');
    expect(await countOpenRunbooks(w.ctx)).toBe(1);
    expect(await stopOpenRunbooks(w.ctx)).toBe(1);
    await r.rest(other);
    expect(await r.leaves(other)).toEqual([
      '1.1 failed: The database was restored from a backup. Check what is on the branch already, then retry the runbook.',
    ]);
    await r.retry(other);
    await r.rest(other);
    expect(await r.leaves(other)).toEqual(['1.1 completed']);
  });

  it('a completed runbook does not queue its pull request until it is retried', async () => {
    await using r = await runbookWorld();
    const { w } = r;
    const disarm = onFailpoint('runbook:before_queue', async () => {
      throw new HostUnavailable('The code host does not answer.');
    });
    let number = 0;
    try {
      number = await r.begin('write a.txt one', { queueWhenGreen: true });
      await w.until(async () => (await w.rows('select 1 from runbook where problem is not null')).length > 0);
      expect(await stopOpenRunbooks(w.ctx)).toBe(1);
    } finally {
      disarm();
    }
    expect(await countOpenRunbooks(w.ctx)).toBe(0);
    await w.rows('update runbook set next_look_at = now()');
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed']);
    expect(await w.rows("select 1 from event where action = 'queued'")).toEqual([]);
    await r.retry(number);
    await w.until(async () => (await w.rows("select 1 from event where action = 'queued'")).length > 0);
  });

  it('a second recovery changes nothing, although a commit of a stopped runbook is still to be pushed', async () => {
    await using r = await runbookWorld();
    const { w } = r;
    const disarm = onFailpoint('runbook:before_push', async () => {
      throw new HostUnavailable('The code host does not answer.');
    });
    try {
      const number = await r.begin('write a.txt one\nwrite b.txt two');
      await w.until(async () => (await w.rows('select 1 from runbook where problem is not null')).length > 0);
      const { ports } = w.service;
      expect(await recoverInstallation(ports)).toMatchObject({ isNeeded: true, epoch: 2 });
      expect(await r.leaves(number)).toEqual(['1.1 in_progress', expect.stringMatching(/^2\.1 failed: /)]);
      expect(await recoverInstallation(ports)).toMatchObject({ isNeeded: false, epoch: null });
    } finally {
      disarm();
    }
  });

  it('commits and pull requests since the backup are found, and not made twice', async () => {
    await using r = await runbookWorld();
    const { w } = r;
    const number = await r.begin('write a.txt one\nwrite b.txt two');
    await r.rest(number);
    const tip = await w.git('rev-parse', 'interlock/runbook-1');
    const pullRequest = await r.pullRequestNumber(number);
    // The rows are set back to a time at which no leaf had started.
    await w.rows('delete from runbook_commit');
    await w.rows('delete from runbook_pull_request');
    await w.rows("update runbook_step set status = 'not_started', started_at = null where status is not null");
    await w.rows('update runbook set next_look_at = now()');
    await r.become(number, '1.1 completed', '2.1 completed');
    await r.rest(number);
    expect(await w.git('rev-parse', 'interlock/runbook-1')).toBe(tip);
    expect(await r.pullRequestNumber(number)).toBe(pullRequest);
    expect(await w.rows('select 1 from local_pull_request')).toHaveLength(1);
  });
});
