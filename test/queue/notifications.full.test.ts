// The status comment under configurations that set when it is first written and how a user can queue.
import { describe, expect, it } from 'vitest';
import { parallel, world } from '../support/world.ts';
import { untilNotified } from './stories.ts';
import { commentMatching } from './notifications.ts';

describe('the status comment and the check', () => {
  it('begin at the configured status, are then kept up to date, and end when they are switched off', async () => {
    const approvals = 'preconditions:\n  number_of_approvals: 1\n';
    await using w = await world({
      configuration: `${parallel()}${approvals}status_comment:\n  publish: queued\npublish_status_check: true\n`,
      runsCi: false,
    });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await untilNotified(w);
    expect([await w.statusComment(a), await w.statusCheck(a)]).toEqual([null, null]);
    await w.host.review(a, { reviewer: 'grace', verdict: 'approved' });
    await untilNotified(w);
    expect(await w.statusCheck(a)).toMatchObject({ state: 'pending', title: 'Not queued' });
    expect(await w.statusComment(a)).toBeNull();
    await w.pause(true);
    await w.queue(a);
    await commentMatching(w, a, /^\*\*Queued/);
    await w.dequeue(a);
    await commentMatching(w, a, /^\*\*Not queued/);
    await w.configure(`${parallel()}${approvals}enable_comments: false\npublish_status_check: never\n`);
    await w.queue(a);
    await untilNotified(w);
    await commentMatching(w, a, /^\*\*No longer updated/);
    expect(await w.statusCheck(a)).toMatchObject({ title: 'Not queued' });
    await w.configure(`${parallel()}${approvals}`);
    await w.dequeue(a);
    await commentMatching(w, a, /^\*\*Not queued/);
  });

  it('name only the ways to queue that the configuration allows, also after it changes', async () => {
    const refuses = (ways: string): string => `${parallel()}blocked_queue_sources: [${ways}]\n`;
    await using w = await world({ configuration: refuses('label, slash_command'), runsCi: false });
    const a = await w.open('a', { 'a.txt': 'a\n' });
    await commentMatching(w, a, /Nobody has asked to merge it\. Queue it by GraphQL or REST: /);
    await w.configure(refuses('label'));
    await commentMatching(w, a, /Nobody has asked to merge it\. The comment `\/interlock queue` queues it\.$/);
    await untilNotified(w);
    expect((await w.statusCheck(a))?.summary).toMatch(/The comment `\/interlock queue` queues it\.$/);
  });
});
