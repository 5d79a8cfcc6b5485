// How the commits of a runbook become pull requests (one, a stack, or only on request), and what happens when these
// change, close or are queued.
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../src/domain/errors.ts';
import { setRepositoryActive } from '../../src/modules/queue/index.ts';
import { createRunbook } from '../../src/modules/runbooks/index.ts';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { replaceHostMethod } from '../support/replace-host-method.ts';
import { runbookWorld } from '../support/runbook-world.ts';

describe('the pull requests of a runbook', () => {
  it('are opened in manual mode only on request', async () => {
    await using r = await runbookWorld();
    const number = await r.begin('write a.txt one', { prMode: 'manual', labels: ['late'] });
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed']);
    expect(await r.commits('interlock/runbook-1')).toEqual(['write a.txt one']);
    expect(await r.pullRequests(number)).toEqual(['1 planned interlock/runbook-1 into main']);
    await r.publish(number);
    await r.rest(number);
    expect(await r.pullRequests(number)).toEqual(['1 open interlock/runbook-1 into main']);
    expect((await r.atHost(await r.pullRequestNumber(number))).labels).toEqual(['late']);
  });

  it('are stacked, one for each step with changes, and a follow-up adds one on top', async () => {
    await using r = await runbookWorld();
    const number = await r.begin('write a.txt one | write b.txt two\nnothing here\nwrite c.txt three', {
      prMode: 'stacked_pr',
      draft: true,
    });
    await r.rest(number);
    await r.follow(number, 'write d.txt four');
    await r.become(number, ...['1.1', '1.2', '2.1', '3.1', '4.1'].map((leaf) => `${leaf} completed`));
    await r.rest(number);
    expect(await r.pullRequests(number)).toEqual([
      '1 open interlock/runbook-1 into main',
      '2 open interlock/runbook-1-2 into interlock/runbook-1',
      '3 open interlock/runbook-1-3 into interlock/runbook-1-2',
    ]);
    expect(await r.commits('interlock/runbook-1-2', 'interlock/runbook-1')).toEqual(['write c.txt three']);
    expect(await r.commits('interlock/runbook-1-3')).toHaveLength(4);
    const [first, second] = [await r.pullRequestNumber(number), await r.pullRequestNumber(number, 2)];
    expect(await r.atHost(second)).toMatchObject({ title: 'write c.txt three', draft: true });
    expect((await r.atHost(second)).body).toContain(`Stacked on #${first}`);
  });

  it('that have merged get a successor from the target branch when a follow-up makes commits', async () => {
    await using r = await runbookWorld({ runsCi: true });
    const number = await r.begin('write a.txt one', { description: 'Only once.' });
    await r.rest(number);
    const first = await r.pullRequestNumber(number);
    await r.w.queue(first);
    await r.w.settled(first);
    await r.w.until(async () => (await r.pullRequests(number))[0]?.startsWith('1 merged') === true);
    await r.follow(number, 'write b.txt two');
    await r.become(number, '1.1 completed', '2.1 completed');
    expect(await r.pullRequests(number)).toEqual([
      '1 merged interlock/runbook-1 into main',
      '2 open interlock/runbook-1-2 into main',
    ]);
    expect(await r.commits('interlock/runbook-1-2')).toEqual(['write b.txt two']);
    expect((await r.atHost(await r.pullRequestNumber(number, 2))).body).not.toContain('Only once.');
  });

  it('get the label that queues them only when every leaf is done', async () => {
    await using r = await runbookWorld();
    const number = await r.begin(`write a.txt one\nhold ${r.w.dataDir}/release`, {
      labels: ['agent', 'mergequeue', 'last'],
    });
    await r.become(number, '1.1 completed', '2.1 in_progress');
    expect((await r.atHost(await r.pullRequestNumber(number))).labels).toEqual(['agent', 'last']);
    await writeFile(`${r.w.dataDir}/release`, '');
    await r.rest(number);
    const host = await r.atHost(await r.pullRequestNumber(number));
    expect(host.labels).toContain('mergequeue');
    await r.w.until(async () => (await r.w.status(await r.pullRequestNumber(number))).status !== 'open');
  });

  it('keep commits that somebody else pushed to their branch: the next commit goes on top', async () => {
    await using r = await runbookWorld();
    const number = await r.begin(`write a.txt one\nhold ${r.w.dataDir}/release`);
    await r.become(number, '1.1 completed', '2.1 in_progress');
    await r.w.until(async () => (await r.log(number)).includes('I am to hold'));
    await r.w.commit('interlock/runbook-1', { 'theirs.txt': 'theirs\n' }, { message: 'Theirs' });
    await writeFile(`${r.w.dataDir}/release`, '');
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed', '2.1 completed']);
    const subjects = await r.commits('interlock/runbook-1');
    expect(subjects.slice(0, 2)).toEqual(['write a.txt one', 'Theirs']);
    expect(subjects).toHaveLength(3);
  });

  it('fail the leaf if somebody else pushed a conflicting commit, and a retry does the leaf again on top of it', async () => {
    await using r = await runbookWorld();
    const number = await r.begin(`write a.txt one\nhold ${r.w.dataDir}/release`);
    await r.become(number, '1.1 completed', '2.1 in_progress');
    await r.w.until(async () => (await r.log(number)).includes('I am to hold'));
    await r.w.commit('interlock/runbook-1', { 'held.txt': 'theirs\n' }, { message: 'Theirs' });
    await writeFile(`${r.w.dataDir}/release`, '');
    await r.rest(number);
    expect((await r.leaves(number))[1]).toMatch(
      /^2\.1 failed: Another user has pushed to interlock\/runbook-1 .* in held\.txt/,
    );
    await r.retry(number);
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed', '2.1 completed']);
    expect(await r.file('interlock/runbook-1', 'held.txt')).toBe('held');
  });

  it('are queued in the name of the author when all is done, and land with a proof', async () => {
    await using r = await runbookWorld({ runsCi: true });
    const number = await r.begin('write a.txt one\nwrite b.txt two', { queueWhenGreen: true });
    await r.w.until(async () => (await r.pullRequests(number))[0]?.startsWith('1 merged') === true);
    await r.rest(number);
    const pullRequest = await r.pullRequestNumber(number);
    expect(await r.w.status(pullRequest)).toMatchObject({ status: 'merged' });
    expect(await r.file('main', 'b.txt')).toBe('two');
    expect(await r.w.rows('select 1 from proof')).toHaveLength(1);
    const [queued] = await r.w.rows<{ actor: string }>("select actor from event where action = 'queued'");
    expect(queued?.actor).toBe('interlock');
  });

  it.each(['the host does not show yet', 'are retargeted at this moment'])('that %s are queued later', async (why) => {
    await using r = await runbookWorld();
    let isFirst = true;
    let isHidden = false;
    const stop = onFailpoint('runbook:before_queue', async () => {
      if (!isFirst) return;
      isFirst = false;
      if (why !== 'the host does not show yet')
        throw new DomainError('CONFLICT', 'The base branch of the pull request changed meanwhile. Try again.');
      isHidden = true;
      await Promise.resolve();
    });
    replaceHostMethod(r.w, 'getPullRequest', (original) => async (repository, pullRequest) => {
      const found = await original(repository, pullRequest);
      const isShown = !isHidden;
      isHidden = false;
      return isShown ? found : null;
    });
    const number = await r.begin('write a.txt one', { queueWhenGreen: true });
    await r.become(number, '1.1 completed');
    await r.w.until(async () => (await r.w.rows("select 1 from event where action = 'queued'")).length > 0);
    stop();
    expect(isFirst).toBe(false);
    const [row] = await r.w.rows<{ problem: string | null }>('select problem from runbook');
    expect(row?.problem).toBeNull();
  });

  it('are queued after an activation, if their repository was deactivated before they were queued', async () => {
    await using r = await runbookWorld();
    const { ctx, repository } = r.w;
    let isFirst = true;
    const stop = onFailpoint('runbook:before_queue', async () => {
      if (!isFirst) return;
      isFirst = false;
      await setRepositoryActive(ctx, { repository, active: false });
    });
    const number = await r.begin('write a.txt one', { queueWhenGreen: true });
    await r.w.until(
      async () =>
        !isFirst &&
        (
          await r.w.rows(
            "select 1 from runbook where next_look_at is null or next_look_at > now() + interval '2 minutes'",
          )
        ).length > 0,
    );
    await setRepositoryActive(ctx, { repository, active: true });
    await r.w.until(async () => (await r.w.rows("select 1 from event where action = 'queued'")).length > 0);
    stop();
    expect(await r.leaves(number)).toEqual(['1.1 completed']);
  });

  it('that the host refuses fail the leaf, and are requested again only by a retry', async () => {
    await using r = await runbookWorld();
    await r.w.git('branch', 'dev', 'main');
    const number = await r.begin(`hold ${r.w.dataDir}/release`, { targetBranch: 'dev' });
    await r.w.until(async () => (await r.log(number)).includes('I am to hold'));
    await r.w.git('branch', '-D', 'dev');
    await writeFile(`${r.w.dataDir}/release`, '');
    await r.become(number, '1.1 failed: The base branch dev does not exist');
    await r.rest(number);
    expect(await r.pullRequests(number)).toEqual(['1 planned interlock/runbook-1 into dev']);
    await r.w.git('branch', 'dev', 'main');
    await r.retry(number);
    await r.become(number, '1.1 completed');
    expect(await r.pullRequests(number)).toEqual(['1 open interlock/runbook-1 into dev']);
  });

  it('that were closed during a leaf do not get its commit: it is alone in a new pull request', async () => {
    await using r = await runbookWorld();
    const number = await r.begin(`write a.txt one\nhold ${r.w.dataDir}/release`);
    await r.become(number, '1.1 completed', '2.1 in_progress');
    await r.w.until(async () => (await r.log(number)).includes('I am to hold'));
    const first = await r.pullRequestNumber(number);
    const host = { accountId: r.w.ctx.accountId, id: r.w.repositoryId, ...r.w.repository };
    await r.w.service.localHost.closePullRequest(host, first);
    await r.w.until(async () => (await r.w.status(first)).status === 'closed');
    await writeFile(`${r.w.dataDir}/release`, '');
    await r.become(number, '1.1 completed', '2.1 completed');
    expect(await r.pullRequests(number)).toEqual([
      '1 closed interlock/runbook-1 into main',
      '2 open interlock/runbook-1-2 into main',
    ]);
    expect(await r.commits('interlock/runbook-1-2')).toHaveLength(1);
    expect(await r.file('interlock/runbook-1-2', 'held.txt')).toBe('held');
    expect(await r.file('interlock/runbook-1-2', 'a.txt')).toBeNull();
  });

  it.each<[string, string, { readonly isKnown?: boolean; readonly dies?: boolean }]>([
    ['and the queue knows it before the push', 'runbook:advanced_call', { isKnown: true }],
    ['and only the host knows it at the push', 'runbook:advanced_call', {}],
    ['and the commit is taken back that arrives too late', 'runbook:before_push', {}],
    ['and it is taken back too if its worker dies after the push', 'runbook:before_push', { dies: true }],
  ])('that were closed after a leaf was committed do not get its commit, %s', async (_, failpoint, given) => {
    await using r = await runbookWorld();
    const number = await r.begin('write a.txt one\nwrite b.txt two');
    const isCommitted = async (): Promise<boolean> =>
      (await r.w.rows("select 1 from runbook_commit where state = 'made'")).length > 0 &&
      (await r.leaves(number)).includes('1.1 completed');
    const host = { accountId: r.w.ctx.accountId, id: r.w.repositoryId, ...r.w.repository };
    let isClosed = false;
    const stop = onFailpoint(failpoint, async () => {
      if (isClosed || !(await isCommitted())) return;
      isClosed = true;
      const first = await r.pullRequestNumber(number);
      await r.w.service.localHost.closePullRequest(host, first);
      if (given.isKnown) await r.w.until(async () => (await r.w.status(first)).status === 'closed');
    });
    let deaths = 0;
    const revive = onFailpoint('runbook:pushed', async () => {
      if (!given.dies || !isClosed || deaths > 0) return;
      deaths += 1;
      throw new Error('The worker died.');
    });
    await r.become(number, '1.1 completed', '2.1 completed');
    stop();
    revive();
    expect([isClosed, deaths]).toEqual([true, given.dies ? 1 : 0]);
    expect(await r.pullRequests(number)).toEqual([
      '1 closed interlock/runbook-1 into main',
      '2 open interlock/runbook-1-2 into main',
    ]);
    expect(await r.commits('interlock/runbook-1')).toEqual(['write a.txt one']);
    expect(await r.commits('interlock/runbook-1-2')).toEqual(['write b.txt two']);
  });

  it('are queued only for users who may queue', async () => {
    await using r = await runbookWorld();
    const { ctx, repository } = r.w;
    const scopes = new Set([...ctx.actor.scopes].filter((scope) => scope !== 'queue:write'));
    const asking = { ...ctx, actor: { ...ctx.actor, scopes } };
    const request = { repository, prompt: 'write a.txt one' };
    await expect(createRunbook(asking, { ...request, queueWhenGreen: true })).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'This needs a token with the scope queue:write.',
    });
    expect(await createRunbook(asking, request)).toBe(1);
  });
});
