// A user asks to merge: which pull requests are in line at once, which wait for something, and which their authors must
// change.
import { describe, expect, it } from 'vitest';
import { parallel, serial, world } from '../support/world.ts';
import { expectLandedOnce, line, startCi, statuses } from './stories.ts';

async function ownChecksDone(w: Awaited<ReturnType<typeof world>>): Promise<boolean> {
  return (await w.rows('select 1 from build where finished_at is null')).length === 0;
}

describe('asking to merge', () => {
  it('a pull request in serial mode waits for its own checks, and is queued when they pass', async () => {
    await using w = await world({ configuration: serial(), runsCi: false });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.queue(number);
    expect(await w.status(number)).toMatchObject({ status: 'pending', status_code: null });
    expect((await w.status(number)).status_text).toMatch(/checks/i);
    await using _ = await startCi(w);
    await w.settled(number);
    await expectLandedOnce(w, number);
  });

  it.each([
    ['serial', serial()],
    ['parallel', parallel()],
  ])('a pull request with a failed own check is blocked at once with 107 (%s)', async (_mode, configuration) => {
    await using w = await world({ configuration });
    const number = await w.open('a', { bad: 'bad\n' });
    await w.until(() => ownChecksDone(w));
    await w.queue(number);
    expect(await statuses(w, number)).toEqual(['blocked 107']);
    expect((await w.status(number)).status_text).toBe('A required check failed: test.');
    const [blocked] = await w.rows<{ payload: unknown }>("select payload from event where action = 'blocked'");
    expect(blocked?.payload).toMatchObject({ number, statusCode: 107, failedChecks: ['test'] });
  });

  it('a pull request in line is blocked with 107 when an own check fails', async () => {
    await using w = await world({ configuration: parallel(), runsCi: false });
    const numbers = [await w.open('a', { bad: 'bad\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(...numbers);
    expect(await statuses(w, ...numbers)).toEqual(['queued', 'queued']);
    await using _ = await startCi(w);
    await w.settled(...numbers);
    expect(await statuses(w, ...numbers)).toEqual(['blocked 107', 'merged']);
  });

  it('a pull request is blocked with 117 by a review that requests changes, and lands after the reviewer approves', async () => {
    await using w = await world({ configuration: parallel() });
    const number = await w.open('a', { 'a.txt': 'a\n' });
    await w.host.review(number, { reviewer: 'grace', verdict: 'changes_requested' });
    await w.queue(number);
    expect(await statuses(w, number)).toEqual(['blocked 117']);
    await w.host.review(number, { reviewer: 'grace', verdict: 'approved' });
    await w.queue(number);
    await w.settled(number);
    await expectLandedOnce(w, number);
  });

  it('pull requests without any check are blocked with 107 ("no check ran"), so nothing untested lands', async () => {
    await using w = await world({ configuration: parallel(), ci: 'checks: {}\n' });
    const numbers = [await w.open('a', { 'a.txt': 'a\n' }), await w.open('b', { 'b.txt': 'b\n' })];
    await w.queue(...numbers);
    await w.settled(...numbers);
    expect(await statuses(w, ...numbers)).toEqual(['blocked 107', 'blocked 107']);
    expect((await w.status(1)).status_text).toContain('no check ran');
    expect(await line(w)).toEqual([]);
  });
});
