// A runbook on the production worker, and what users see of it in Temporal.
import { describe, expect, it } from 'vitest';
import {
  runbookNumberAttribute,
  runbookStatusAttribute,
  subjectAttribute,
} from '../../workflows/shared/search-attributes.ts';
import { keepHistory } from './engine-world.ts';
import { stage } from './runbook-stage.ts';

describe('on Temporal', { timeout: 300_000 }, () => {
  it('a runbook ends and its workflow returns the result, a follow-up starts it again, and its pull request lands if it is queued', async () => {
    await using s = await stage();
    const { e, r } = s;
    await e.start();
    const number = await r.begin('write a.txt one | write b.txt two\nnothing else');
    await r.rest(number);
    const workflow = await s.workflow();
    expect(await workflow.result()).toEqual({ status: 'completed', summary: 'Runbook 1: Plan 1: completed' });
    const { typedSearchAttributes } = await workflow.describe();
    expect(typedSearchAttributes.get(runbookNumberAttribute)).toBe(1);
    expect(typedSearchAttributes.get(subjectAttribute)).toMatch(/^Runbook 1: /);
    expect(typedSearchAttributes.get(runbookStatusAttribute)).toBe('completed');
    await keepHistory('runbooks.completed', await workflow.fetchHistory());

    await e.w.rows('update runbook set queue_when_green = true');
    await r.follow(number, 'write c.txt three');
    await s.until(
      async () => (await r.pullRequests(number))[0]?.startsWith('1 merged') === true,
      'its pull request has merged',
    );
    await r.rest(number);
    expect(await r.file('main', 'c.txt')).toBe('three');
    await keepHistory('runbooks.followed-and-queued', await (await s.workflow()).fetchHistory());
  });
});
