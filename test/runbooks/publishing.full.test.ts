// More cases of follow-ups and publishing: stacks, closed pull requests, labels, manual mode.
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runbookWorld } from '../support/runbook-world.ts';

describe('the pull requests of a runbook', () => {
  it('of a stack get the description and labels of a follow-up once it has a commit, even if a later leaf fails', async () => {
    await using r = await runbookWorld();
    const number = await r.begin('write a.txt one\nwrite b.txt two', {
      prMode: 'stacked_pr',
      description: 'First.',
      labels: ['one'],
    });
    await r.rest(number);
    await r.follow(number, 'nothing to do', { description: 'Second.' });
    await r.become(number, '1.1 completed', '2.1 completed', '3.1 completed');
    await r.rest(number);
    const lowest = await r.pullRequestNumber(number);
    expect((await r.atHost(lowest)).body).toMatch(/^First\./);
    await r.follow(number, 'write c.txt three\nfail I cannot', { labels: ['two'] });
    await r.rest(number);
    expect((await r.leaves(number)).slice(3)).toEqual(['4.1 completed', '5.1 failed: I cannot']);
    expect((await r.atHost(lowest)).body).toMatch(/^Second\./);
    for (const at of [1, 2, 3])
      expect((await r.atHost(await r.pullRequestNumber(number, at))).labels, `#${at}`).toEqual(['one', 'two']);
    await r.follow(number, 'write d.txt four', { description: ' ' });
    await r.rest(number);
    expect((await r.atHost(lowest)).body).toMatch(/^### What was done/);
  });

  it('show the description of a follow-up in the successor of a closed pull request', async () => {
    await using r = await runbookWorld();
    const number = await r.begin('write a.txt one', { description: 'First.' });
    await r.rest(number);
    const first = await r.pullRequestNumber(number);
    const host = { accountId: r.w.ctx.accountId, id: r.w.repositoryId, ...r.w.repository };
    await r.w.service.localHost.closePullRequest(host, first);
    await r.w.until(async () => (await r.w.status(first)).status === 'closed');
    await r.follow(number, 'write b.txt two', { description: 'Second.' });
    await r.become(number, '1.1 completed', '2.1 completed');
    await r.rest(number);
    expect((await r.atHost(first)).body).toMatch(/^First\./);
    expect((await r.atHost(await r.pullRequestNumber(number, 2))).body).toMatch(/^Second\./);
  });

  it('do not have the label that queues them while a follow-up waits for its plan', async () => {
    await using r = await runbookWorld();
    const number = await r.begin(`hold ${r.w.dataDir}/release`, { labels: ['mergequeue', 'agent'] });
    await r.w.until(async () => (await r.log(number)).includes('I am to hold'));
    await r.follow(number, `write b.txt two\nhold ${r.w.dataDir}/more`);
    await writeFile(`${r.w.dataDir}/release`, '');
    await r.become(number, '1.1 completed', '2.1 completed', '3.1 in_progress');
    expect((await r.atHost(await r.pullRequestNumber(number))).labels).toEqual(['agent']);
    await writeFile(`${r.w.dataDir}/more`, '');
    await r.rest(number);
    expect((await r.atHost(await r.pullRequestNumber(number))).labels).toContain('mergequeue');
  });

  it('are opened on request, also for a canceled runbook', async () => {
    await using r = await runbookWorld();
    const number = await r.begin(`write a.txt one\nhold ${r.w.dataDir}/release`, { prMode: 'manual' });
    await r.become(number, '1.1 completed', '2.1 in_progress');
    await r.cancel(number);
    await r.publish(number);
    await r.rest(number);
    expect(await r.pullRequests(number)).toEqual(['1 open interlock/runbook-1 into main']);
  });
});

describe('the pull requests of a stack', () => {
  it('are queued from the bottom, each into the target branch after the one below has landed', async () => {
    await using r = await runbookWorld({ runsCi: true });
    const number = await r.begin('write a.txt one\nwrite b.txt two', { queueWhenGreen: true, prMode: 'stacked_pr' });
    await r.w.until(
      async () =>
        (await r.pullRequests(number)).every((row) => / merged /.test(row)) &&
        (await r.leaves(number)).length > 0 &&
        (await r.pullRequests(number)).length === 2,
      90_000,
    );
    await r.rest(number);
    expect(await r.file('main', 'a.txt')).toBe('one');
    expect(await r.file('main', 'b.txt')).toBe('two');
  });
});
