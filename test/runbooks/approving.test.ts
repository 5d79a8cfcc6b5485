// Separation of duty: the person who requested a runbook cannot approve its pull requests, also if the runbook names
// another author.
import { describe, expect, it } from 'vitest';
import type { Context } from '../../src/context.ts';
import { approvePullRequest, openPullRequest } from '../../src/modules/queue/index.ts';
import { continueRunbook, createRunbook } from '../../src/modules/runbooks/index.ts';
import { runbookWorld, type RunbookWorld } from '../support/runbook-world.ts';

const configuration = 'preconditions:\n  number_of_approvals: 1\n';
const refused = 'Authors cannot review their own pull requests';

/** Makes a user of the account, and returns a context with a token of this user. */
async function person({ w }: RunbookWorld, name: string, handle: string | null = name): Promise<Context> {
  const email = `${name}@acme.test`;
  const [user] = await w.rows<{ id: string }>(
    `insert into account_user (account_id, email, handle, role, created_at) values ($1, $2, $3, 'member', now()) returning id::text`,
    [w.ctx.accountId, email, handle],
  );
  return { ...w.ctx, actor: { ...w.ctx.actor, kind: 'user_token', userId: user?.id ?? null, email, handle } };
}

async function approve({ w }: RunbookWorld, ctx: Context, number: number): Promise<void> {
  await approvePullRequest(ctx, { repository: w.repository, number, verdict: 'approved' });
}

const begin = async ({ w }: RunbookWorld, ctx: Context, authorEmail: string): Promise<number> =>
  await createRunbook(ctx, { repository: w.repository, prompt: 'write a.txt one', authorEmail });

const approvals = async (r: RunbookWorld, number: number): Promise<number> =>
  (await r.w.rows<{ approvals: number }>('select approvals from pull_request where number = $1', [number]))[0]
    ?.approvals ?? -1;

describe('the pull request of a runbook', () => {
  it('can be approved neither by the requester of the runbook nor by its named author, but by another user', async () => {
    await using r = await runbookWorld({ configuration });
    const [ann, bob, cleo] = [await person(r, 'ann'), await person(r, 'bob'), await person(r, 'cleo')];
    const number = await begin(r, bob, 'ann@acme.test');
    await r.rest(number);
    const pullRequest = await r.pullRequestNumber(number);
    expect(await r.atHost(pullRequest)).toMatchObject({ author: 'ann' });
    await expect(approve(r, bob, pullRequest)).rejects.toMatchObject({ code: 'BAD_INPUT', message: refused });
    await expect(approve(r, ann, pullRequest)).rejects.toThrow(refused);
    await r.w.queue(pullRequest);
    expect(await r.w.status(pullRequest)).toMatchObject({ status: 'pending', status_code: 101 });
    await approve(r, cleo, pullRequest);
    await r.w.until(async () => (await r.w.status(pullRequest)).status_code !== 101);
    expect(await approvals(r, pullRequest)).toBe(1);
  });

  it('cannot be approved by its requester under another handle', async () => {
    await using r = await runbookWorld({ configuration });
    await person(r, 'ann');
    const bob = await person(r, 'bob', null);
    const number = await begin(r, bob, 'ann@acme.test');
    await r.rest(number);
    await r.w.rows("update account_user set handle = 'Bobby' where email = 'bob@acme.test'");
    const linked = { ...bob, actor: { ...bob.actor, handle: 'Bobby' } };
    await expect(approve(r, linked, await r.pullRequestNumber(number))).rejects.toThrow(refused);
  });

  it('loses the approval of a user whose follow-up adds a commit, and that user cannot approve it again', async () => {
    await using r = await runbookWorld({ configuration });
    await person(r, 'ann');
    const [bob, cleo] = [await person(r, 'bob'), await person(r, 'cleo')];
    const number = await begin(r, bob, 'ann@acme.test');
    await r.rest(number);
    const pullRequest = await r.pullRequestNumber(number);
    await approve(r, cleo, pullRequest);
    expect(await approvals(r, pullRequest)).toBe(1);
    await continueRunbook(cleo, { number, prompt: 'write b.txt two' });
    await r.become(number, '1.1 completed', '2.1 completed');
    await r.w.until(async () => (await approvals(r, pullRequest)) === 0);
    await expect(approve(r, cleo, pullRequest)).rejects.toThrow(refused);
  });

  it('cannot be approved by the requester of its branch, even if another user opens it by hand', async () => {
    await using r = await runbookWorld({ configuration });
    await person(r, 'ann');
    const [bob, cleo] = [await person(r, 'bob'), await person(r, 'cleo')];
    const number = await createRunbook(bob, {
      repository: r.w.repository,
      prompt: 'write a.txt one',
      authorEmail: 'ann@acme.test',
      prMode: 'manual',
    });
    await r.rest(number);
    await openPullRequest(cleo, { repository: r.w.repository, title: 'By hand', headBranch: 'interlock/runbook-1' });
    const [row] = await r.w.rows<{ number: number }>('select number from pull_request');
    await expect(approve(r, bob, row?.number ?? 0)).rejects.toThrow(refused);
  });
});
