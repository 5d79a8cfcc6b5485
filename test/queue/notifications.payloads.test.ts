// The webhooks of the stories of a queue: every documented action, with exactly its documented keys.
import { describe, expect, it } from 'vitest';
import { webhookBody } from '../../src/domain/events/webhook-body.ts';
import { queuePullRequest, updatePullRequest } from '../../src/modules/queue/index.ts';
import { parallel, serial, world, type World } from '../support/world.ts';
import { hostOf, startCi } from './stories.ts';

/** The webhook bodies of an action, in order. */
async function sent(w: World, action: string): Promise<unknown[]> {
  const events = await w.rows<{ action: string; payload: Record<string, unknown> }>(
    'select action, payload from event where action = $1 order by id',
    [action],
  );
  return events.map((event) => webhookBody(event, w.repository));
}

function about(number: number, action: string, more: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    action,
    repository: 'shop',
    organization: 'acme',
    pr_number: number,
    author: 'interlock',
    status: 'queued',
    skip_line: false,
    status_code: null,
    status_code_text: null,
    ...more,
  };
}

describe('the webhooks', () => {
  it('report a label, a place in line, a batch and a landing', async () => {
    await using w = await world({ configuration: parallel({ batch: 2 }), runsCi: false });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    const [author] = await w.rows<{ author: string }>('select author from pull_request where number = $1', [a]);
    const of = (number: number, action: string, more: Readonly<Record<string, unknown>> = {}) => ({
      ...about(number, action, more),
      author: author?.author,
    });
    await w.pause(true);
    await w.host.label(a, 'mergequeue', true, 'ada');
    await w.until(async () => (await w.status(a)).status === 'queued');
    await w.queue(b);
    await w.pause(false);
    await using _ = await startCi(w);
    await w.settled(a, b);
    const [batch] = await w.rows<{ tested_commit: string }>('select tested_commit from batch');
    const merged = { status: 'merged' };
    expect(await sent(w, 'opened')).toEqual([of(a, 'opened', { status: 'open' }), of(b, 'opened', { status: 'open' })]);
    expect(await sent(w, 'labeled')).toEqual([of(a, 'labeled', { status: 'open' })]);
    expect(await sent(w, 'queued')).toEqual([of(a, 'queued'), of(b, 'queued')]);
    expect(await sent(w, 'added_to_batch')).toEqual([
      of(a, 'added_to_batch', { blocking_pr_numbers: [] }),
      of(b, 'added_to_batch', { blocking_pr_numbers: [] }),
    ]);
    expect(await sent(w, 'top_of_queue')).toEqual([of(a, 'top_of_queue')]);
    expect(await sent(w, 'merged')).toEqual([
      of(a, 'merged', { ...merged, instant_merge: false }),
      of(b, 'merged', { ...merged, instant_merge: false }),
    ]);
    const member = (pr_number: number) => ({
      pr_number,
      author: author?.author,
      ...merged,
      skip_line: false,
      status_code: null,
    });
    expect(await sent(w, 'batch_merged')).toEqual([
      {
        action: 'batch_merged',
        repository: 'shop',
        organization: 'acme',
        pull_requests: [member(a), member(b)],
        batch_commit_sha: batch?.tested_commit,
      },
    ]);
  });

  it('name no commit of a batch that landed without a bot pull request, because CI ran on no such commit', async () => {
    await using w = await world({ configuration: parallel({ builds: 2, batch: 1 }) });
    const green = await w.open('a', { 'a.txt': 'a\n' });
    await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
    await w.queue(green);
    await w.settled(green);
    const skipped = await w.open('b', { 'b.txt': 'b\n' });
    await queuePullRequest(w.ctx, {
      repository: w.repository,
      number: skipped,
      source: 'rest_api',
      skipValidation: true,
    });
    await w.settled(skipped);
    expect(await w.rows('select 1 from bot_pull_request')).toEqual([]);
    const batches = (await sent(w, 'batch_merged')) as readonly { readonly pull_requests: readonly unknown[] }[];
    expect(batches.map(({ pull_requests }) => pull_requests)).toMatchObject([
      [{ pr_number: green }],
      [{ pr_number: skipped }],
    ]);
    expect(batches.filter((batch) => 'batch_commit_sha' in batch)).toEqual([]);
  });

  it('name no commit of a batch without a bot pull request that fails in the plan, here by its final gate', async () => {
    const gates = 'final_gates:\n  - {workflow: smoke, timeout_mins: 5}\n';
    await using w = await world({
      configuration: `${parallel({ builds: 2, batch: 1 })}${gates}`,
      ci: "checks:\n  test: {run: 'true'}\nworkflows:\n  smoke: {run: 'false'}\n",
    });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.until(async () => (await w.rows("select 1 from check_result where conclusion = 'success'")).length > 0);
    await w.queue(number);
    await w.settled(number);
    expect(await w.rows('select 1 from bot_pull_request')).toEqual([]);
    expect(await sent(w, 'batch_failed')).toEqual([
      {
        action: 'batch_failed',
        repository: 'shop',
        organization: 'acme',
        pull_requests: [expect.objectContaining({ pr_number: number, status: 'blocked', status_code: 119 })],
        message: expect.stringMatching(/smoke/),
      },
    ]);
  });

  it('report a reset with the number of closed bot pull requests, without batches that had none yet', async () => {
    await using w = await world({ configuration: parallel({ builds: 3 }), runsCi: false });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    const ahead = await w.open('c', { 'c.txt': 'c\n' });
    await w.queue(a, b);
    await w.until(async () => (await w.rows('select 1 from bot_pull_request where opened_at is not null')).length > 0);
    await w.service.drain();
    // If a worker dies before it opens the second bot pull request, the rows look like this.
    await w.rows('update bot_pull_request set opened_at = null where id = (select max(id) from bot_pull_request)');
    const open = await w.rows('select 1 from bot_pull_request where opened_at is not null and closed_at is null');
    await queuePullRequest(w.ctx, { repository: w.repository, number: ahead, source: 'rest_api', skipLine: true });
    await w.until(async () => (await sent(w, 'reset')).length > 0);
    const batches = await w.rows("select 1 from batch where state = 'superseded'");
    expect([batches.length, open.length]).toEqual([2, 1]);
    const rows = await w.rows<{ payload: { pullRequests: number[]; resetCode: number } }>(
      "select payload from event where action = 'batch_reset' and batch_id is not null order by id",
    );
    expect(rows.map(({ payload }) => payload)).toEqual([
      { pullRequests: [a], resetCode: 302 },
      { pullRequests: [b], resetCode: 302 },
    ]);
    expect(await sent(w, 'reset')).toMatchObject([{ pr_reset_count: 2, closed_bot_pr_count: 1, status_code: 302 }]);
  });

  it.each([
    ['serial', serial()],
    ['no-queue', 'merge_mode:\n  type: no-queue\n'],
  ])('report the reset of the builds of parallel mode if the mode becomes %s', async (_name, rules) => {
    await using w = await world({ configuration: parallel({ builds: 1, batch: 2 }), runsCi: false });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a, b);
    await w.until(async () => (await sent(w, 'added_to_batch')).length === 2);
    await w.configure(rules);
    await w.until(async () => (await w.batches())[0]?.state === 'superseded');
    expect(await sent(w, 'reset')).toMatchObject([
      { pr_number: a, pr_reset_count: 2, closed_bot_pr_count: 1, status_code: 307 },
    ]);
  });

  it('report a failed check whose long message is cut inside of an emoji', async () => {
    await using w = await world();
    const number = await w.open('a', { bad: 'bad\n' });
    const hasFailed = async (): Promise<boolean> =>
      (await w.rows("select 1 from check_result where conclusion = 'failure'")).length > 0;
    await w.until(hasFailed);
    // With `test: ` before it, the first emoji has the last place of a message of 2,000 characters.
    await w.rows('update check_result set summary = $1', [`${'a'.repeat(1_993)}${'\u{1F534}'.repeat(5)}`]);
    await w.queue(number);
    expect(await sent(w, 'blocked')).toEqual([
      expect.objectContaining({ pr_number: number, message: `test: ${'a'.repeat(1_993)}\u{FFFD}` }),
    ]);
  });

  it('report a failed check: `blocked` has the message of the check, and `reset` has the bot pull request that failed', async () => {
    await using w = await world({
      configuration: parallel({ builds: 2, more: 'use_optimistic_validation: false\n' }),
      runsCi: false,
    });
    const [a, b] = [await w.open('a', { bad: 'bad\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a, b);
    await w.until(async () => (await w.rows('select 1 from bot_pull_request')).length === 2);
    const [bot] = await w.rows<Record<string, unknown>>('select * from bot_pull_request order by id');
    // The own checks of the heads are deleted, so that the build fails and not the head.
    await w.rows("delete from local_check_run where ref not like '%mq-bot-%'");
    await using _ = await startCi(w);
    await w.settled(a);
    const code = { status_code: 107, status_code_text: 'A required check failed: test.' };
    expect(await sent(w, 'blocked')).toEqual([
      expect.objectContaining({ pr_number: a, status: 'blocked', ...code, failed_ci_list: ['test'] }),
    ]);
    // On a busy machine the next build may have failed too.
    const failed = await w.rows<{ summary: string }>("select summary from check_result where conclusion = 'failure'");
    const [{ message } = {}] = (await sent(w, 'blocked')) as readonly { readonly message?: string }[];
    expect(failed.map(({ summary }) => `test: ${summary}`)).toContain(message);
    expect(await sent(w, 'reset')).toEqual([
      {
        ...about(a, 'reset', {}),
        author: expect.any(String),
        status: 'blocked',
        status_code: 301,
        status_code_text: 'The queue was reset because a pull request failed.',
        failed_ci_list: ['test'],
        pr_reset_count: 1,
        closed_bot_pr_count: 1,
        bot_pull_request: {
          github_url: bot?.['url'],
          number: bot?.['number'],
          target_branch: 'main',
          head_commit_sha: bot?.['head_commit_sha'],
          head_branch_oid: bot?.['head_commit_sha'],
          codemix_pre_batch_sha: bot?.['pre_batch_sha'],
        },
      },
    ]);
    expect(await sent(w, 'batch_failed')).toEqual([
      {
        action: 'batch_failed',
        repository: 'shop',
        organization: 'acme',
        pull_requests: [
          { pr_number: a, author: expect.any(String), status: 'blocked', skip_line: false, status_code: 107 },
        ],
        message: expect.stringMatching(/./),
        batch_commit_sha: bot?.['head_commit_sha'],
      },
    ]);
  });

  it('report a dequeue, and a merge past the queue', async () => {
    await using w = await world({ configuration: serial(), runsCi: false });
    const [a, b] = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(a);
    await w.dequeue(a);
    expect(await sent(w, 'dequeued')).toEqual([
      {
        ...about(a, 'dequeued', { status: 'open' }),
        author: expect.any(String),
        status_code: 104,
        status_code_text: 'It was dequeued, or its trigger label was removed.',
      },
    ]);
    const head = (await w.status(b)).head_sha;
    await w.git('update-ref', 'refs/heads/main', head);
    await w.service.localHost.reconcile(hostOf(w));
    await w.service.drain();
    await updatePullRequest(w.ctx, { repository: w.repository, number: b, mergeCommitSha: head }).catch(() => {});
    await w.until(async () => (await w.status(b)).status === 'merged');
    expect(await sent(w, 'merged')).toEqual([
      { ...about(b, 'merged', { status: 'merged' }), author: expect.any(String), instant_merge: false },
    ]);
  });
});
