// How a runbook is executed: steps, commits on its branch, and a pull request that says what was done.
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { advanceRunbook } from '../../src/modules/runbooks/index.ts';
import { atMost } from '../../src/platform/at-most.ts';
import { runbookDrivingOf } from '../support/runbook-agent.ts';
import { runbookWorld } from '../support/runbook-world.ts';

describe('a runbook', () => {
  it('is planned, executed leaf by leaf, pushed, and opened as one pull request', async () => {
    await using r = await runbookWorld();
    const number = await r.begin('write a.txt one | write b.txt two\nwrite c.txt three', {
      description: 'Please look.',
      labels: ['agent'],
    });
    await r.become(number, '1.1 completed', '1.2 completed', '2.1 completed');
    await r.rest(number);
    expect(await r.status(number)).toBe('completed');
    expect(await r.commits('interlock/runbook-1')).toEqual(['write a.txt one', 'write b.txt two', 'write c.txt three']);
    expect(await r.file('interlock/runbook-1', 'b.txt')).toBe('two');
    expect(await r.pullRequests(number)).toEqual(['1 open interlock/runbook-1 into main']);
    const at = await r.atHost(await r.pullRequestNumber(number));
    expect(at).toMatchObject({ title: 'Plan 1', labels: ['agent'], state: 'open', author: 'interlock', draft: false });
    expect(at.body).toMatch(
      /^Please look\.\n\n### What was done\n\n- \*\*1\.1\*\* write a\.txt one\n {2}I did write a\.txt one\./,
    );
    expect(at.body).toContain('- **2.1**');
    // Only the branch and the pull request remain in the repository: no hidden refs.
    expect(await r.w.git('for-each-ref', '--format=%(refname)', 'refs/interlock/runbooks/')).toBe('');
    const actions = await r.events(number);
    expect(actions.slice(0, 3)).toEqual(['runbook_created', 'runbook_planned', 'runbook_status_changed']);
    expect(actions.filter((action) => action === 'runbook_step_changed')).toHaveLength(9);
    expect(actions.at(-1)).toBe('runbook_status_changed');
  });

  it('is completed only after its pull request is open and describes its commits', async () => {
    await using r = await runbookWorld();
    const number = await r.begin('write a.txt one');
    const seen: string[] = [];
    r.w.loop.observe = async () => {
      if ((await r.status(number)) === 'completed')
        seen.push(...(await r.pullRequests(number)), (await r.atHost(await r.pullRequestNumber(number))).body);
    };
    await r.rest(number);
    expect(seen[0]).toBe('1 open interlock/runbook-1 into main');
    expect(seen[1]).toContain('**1.1** write a.txt one');
  });

  it('without changes completes without a commit and without a pull request', async () => {
    await using r = await runbookWorld();
    const number = await r.begin('nothing to do');
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed']);
    expect(await r.pullRequests(number)).toEqual([]);
  });

  it('continues with follow-ups, also with those that arrived while it was planned or executed', async () => {
    await using r = await runbookWorld();
    const release = `${r.w.dataDir}/release`;
    const number = await r.begin(`hold ${release}\nwrite b.txt two`, { description: 'First.', labels: ['one'] });
    await r.follow(number, 'write c.txt three');
    await r.become(number, '1.1 in_progress', '2.1 not_started', '3.1 not_started');
    await r.follow(number, 'write d.txt four', { description: 'Second.', labels: ['two', 'one'] });
    await writeFile(release, '');
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed', '2.1 completed', '3.1 completed', '4.1 completed']);
    await r.follow(number, 'write e.txt five');
    await r.become(number, ...['1.1', '2.1', '3.1', '4.1', '5.1'].map((leaf) => `${leaf} completed`));
    await r.rest(number);
    expect(await r.commits('interlock/runbook-1')).toHaveLength(5);
    expect(await r.pullRequests(number)).toHaveLength(1);
    const at = await r.atHost(await r.pullRequestNumber(number));
    expect(at.body).toMatch(/^Second\./);
    expect(at.labels).toEqual(['one', 'two']);
    expect(at.body).toContain('**5.1** write e.txt five');
  });

  it('stops at a failed leaf, shows the reason, and executes this leaf again on a retry', async () => {
    await using r = await runbookWorld({ files: { 'policy.txt': 'x\n' } });
    const number = await r.begin('write a.txt one\nwrite .service/ci.yml checks\nwrite c.txt three');
    await r.rest(number);
    const [, failed] = await r.leaves(number);
    // A refused tool call changes nothing and does not fail the leaf. So the next prompt makes a leaf fail.
    expect(failed).toBe('2.1 completed');
    await r.follow(number, 'fail I cannot\nwrite d.txt four');
    await r.rest(number);
    expect((await r.leaves(number)).slice(3)).toEqual(['4.1 failed: I cannot', '5.1 not_started']);
    expect(await r.status(number)).toBe('failed');
    await r.retry(number);
    await r.rest(number);
    expect((await r.leaves(number)).slice(3)).toEqual(['4.1 failed: I cannot', '5.1 not_started']);
    const [leaf] = await r.w.rows<{ attempts: number }>("select attempts from runbook_step where number = '4.1'");
    expect(leaf?.attempts).toBe(2);
    // A follow-up continues without the failed leaf, and also leaves out the leaves after it.
    await r.follow(number, 'write e.txt five');
    await r.rest(number);
    expect((await r.leaves(number)).slice(3)).toEqual([
      '4.1 failed: I cannot',
      '5.1 failed: Left out: 4.1 had failed, and a follow-up continued without it.',
      '6.1 completed',
    ]);
    expect(await r.commits('interlock/runbook-1')).toEqual([
      'write a.txt one',
      'write c.txt three',
      'write e.txt five',
    ]);
    expect(await r.status(number)).toBe('failed');
  });

  it('whose prompt cannot be planned has one failed leaf with the reason, and is planned again on a retry', async () => {
    await using r = await runbookWorld();
    const number = await r.begin('no plan Write it as steps.');
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 failed: Write it as steps.']);
    await r.retry(number);
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 failed: Write it as steps.']);
    const prompts = await r.w.rows('select attempts from runbook_prompt');
    expect(prompts).toEqual([{ attempts: 1 }]);
    await r.follow(number, 'write a.txt one');
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 failed: Write it as steps.', '2.1 completed']);
  });

  it('whose prompt cannot be planned continues with a follow-up that was already waiting', async () => {
    await using r = await runbookWorld();
    const number = await r.begin('no plan Write it as steps.');
    await r.follow(number, 'write a.txt one');
    await r.become(number, '1.1 failed: Write it as steps.', '2.1 completed');
    await expect(r.retry(number)).rejects.toThrow('Send the prompt of this step again as a follow-up prompt');
  });

  it('that is canceled stops its agent, starts no other leaf, and continues with a follow-up', async () => {
    await using r = await runbookWorld();
    const number = await r.begin(`write a.txt one\nhold ${r.w.dataDir}/never\nwrite c.txt three`);
    await r.become(number, '1.1 completed', '2.1 in_progress', '3.1 not_started');
    await r.cancel(number);
    await r.w.loop.runbooks.ended();
    await r.rest(number);
    expect(await r.leaves(number)).toEqual([
      '1.1 completed',
      '2.1 failed: Canceled by interlock.',
      '3.1 failed: Canceled by interlock.',
    ]);
    await r.follow(number, 'write d.txt four');
    await r.rest(number);
    expect((await r.leaves(number)).at(-1)).toBe('4.1 completed');
    expect(await r.commits('interlock/runbook-1')).toEqual(['write a.txt one', 'write d.txt four']);
  });

  it('starts an agent that crashes again; after 5 starts it fails the leaf with the last output', async () => {
    let now = Date.now();
    await using r = await runbookWorld({ clock: () => new Date(now) });
    const number = await r.begin('stumble over a stone');
    r.w.loop.observe = async () => void (now += 60_000);
    await r.rest(number);
    expect(await r.leaves(number)).toEqual([
      '1.1 failed: The agent was started 5 times. The last failure: over a stone',
    ]);
  });

  it('does not call a busy model before the time that the model named', async () => {
    await using r = await runbookWorld();
    await r.begin('busy 1200');
    const left = async (): Promise<number> =>
      (
        await r.w.rows<{ left: number }>(
          `select coalesce(extract(epoch from call_at - s.started_at), 0)::int as left
           from runbook r join runbook_step s on s.runbook_id = r.id and s.status is not null`,
        )
      )[0]?.left ?? 0;
    await r.w.until(async () => (await left()) > 0);
    expect(await left()).toBeGreaterThanOrEqual(1200);
    expect(await r.w.rows('select problem, calls, failing_since from runbook')).toEqual([
      { problem: 'Too many at once.', calls: 1, failing_since: null },
    ]);
  });

  it('fails a leaf that takes too long, also if its agent does not stop', async () => {
    await using r = await runbookWorld();
    r.w.loop.runbooks.driving = { ...runbookDrivingOf(null), stepLimitMs: 6_000 };
    const release = `${r.w.dataDir}/release`;
    const number = await r.begin(`ignore ${release} | write a.txt one`);
    await r.become(number, '1.1 in_progress', '1.2 not_started');
    const due = `select due_at > s.started_at as "isAfterStart"
      from runbook r join runbook_step s on s.runbook_id = r.id and s.number = '1.1'`;
    expect(await r.w.rows(due)).toEqual([{ isAfterStart: true }]);
    await r.rest(number);
    await writeFile(release, '');
    const message =
      'The step was not done after 0.1 minutes, which is the time limit (RUNBOOK_STEP_MINUTES): retry it, or divide it into smaller steps.';
    expect(await r.leaves(number)).toEqual([`1.1 failed: ${message}`, '1.2 not_started']);
    expect(await r.log(number)).toContain(message);
    expect(await r.w.rows('select due_at from runbook')).toEqual([{ due_at: null }]);
  });

  it('has no end while a command waits for room at its worker, and says that it waits', async () => {
    await using r = await runbookWorld();
    const { driving } = r.w.loop.runbooks;
    if (driving === null) throw new Error('There is no driving.');
    const inTurn = atMost(1);
    r.w.loop.runbooks.driving = { ...driving, inTurn };
    const others = Promise.withResolvers<void>();
    const otherCommand = inTurn(async () => await others.promise);
    const number = await r.begin('run touch a.txt');
    const waits = '[interlock] The command waits until this worker has room for it.';
    const due = async (): Promise<unknown> =>
      (await r.w.rows<{ due_at: Date | null }>('select due_at from runbook where number = $1', [number]))[0]?.due_at;
    await r.w.until(async () => (await r.log(number)).includes(waits) && (await due()) === null);
    const [row] = await r.w.rows<{ id: string }>('select id from runbook where number = $1', [number]);
    expect((await advanceRunbook(r.w.ctx, row?.id ?? '')).step).toBe(
      'the agent works on 1.1 run touch a.txt, and waits until its worker has room for a command',
    );
    expect(await r.leaves(number)).toEqual(['1.1 in_progress']);
    others.resolve();
    await otherCommand;
    await r.rest(number);
    expect(await r.leaves(number)).toEqual(['1.1 completed']);
    expect(await r.file('interlock/runbook-1', 'a.txt')).toBe('');
  });

  it('fails the leaf that exceeds the budget, and starts no other', async () => {
    await using r = await runbookWorld();
    const number = await r.begin('spend 600\nspend 600\nwrite a.txt one', { budgetMicros: 1000 });
    await r.rest(number);
    expect(await r.leaves(number)).toEqual([
      '1.1 completed',
      '2.1 failed: The budget of $0.00 is spent. Retry the runbook with a higher budget, or do the rest by hand.',
      '3.1 not_started',
    ]);
    expect(await r.w.rows('select spent_micros::int as spent, input_tokens::int as tokens from runbook')).toEqual([
      { spent: 1200, tokens: 20 },
    ]);
  });

  it('logs what its agent said, its tool calls and their answers, without secrets', async () => {
    await using r = await runbookWorld();
    const number = await r.begin('run echo hunter2-is-sec""ret > x.txt; cat x.txt; echo hunter2-is-secret');
    await r.rest(number);
    const log = await r.log(number);
    expect(log).toContain('I am to run echo');
    expect(log).toContain('[interlock] run_command');
    expect(log).not.toContain('hunter2-is-secret');
    const [call] = await r.w.rows<{ tool: string; outcome: string; answer: string; arguments: unknown }>(
      'select tool, outcome, answer, arguments from runbook_tool_call',
    );
    expect(call).toMatchObject({ tool: 'run_command', outcome: 'done' });
    expect(JSON.stringify(call)).not.toContain('hunter2-is-secret');
  });
});
