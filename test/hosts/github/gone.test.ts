// What a landing needs disappears at GitHub in the middle of the landing, and comes back. Each pull request lands once.
import { expect, test } from 'vitest';
import { HostUnavailable } from '../../../src/hosts/port.ts';
import { explainAll } from '../../../src/modules/queue/api/explain.reads.ts';
import { changeActivity } from '../../../src/modules/repositories/index.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { parallel } from '../../support/world.ts';
import { git } from '../commits.ts';
import { queueWorld, requiresTest, type QueueWorld } from './queue-world.ts';

async function sentenceOf(w: QueueWorld, number: number): Promise<string | undefined> {
  const [row] = await w.rows<{ id: string; createdAt: Date }>(
    'select id, created_at as "createdAt" from pull_request where number = $1',
    [number],
  );
  const explained = await w.ctx.db.transaction(
    w.ctx.accountId,
    async (tx) => await explainAll(w.ctx, tx, { pullRequests: [row!], asOf: null, isBrief: true }),
  );
  return explained.get(row!.id)?.sentence;
}

/** Runs turns of the engine, which fail at GitHub, until the condition holds. */
async function whileAway(w: QueueWorld, condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) {
    const failure = await w.until(condition).catch((error: unknown) => error);
    expect([undefined, expect.any(HostUnavailable)]).toContainEqual(failure);
  }
}

const halted = 'select halted_reason from queue where halted_reason is not null';

test('a landing survives an archived repository, a suspended installation and a deleted base branch', async () => {
  await using w = await queueWorld({
    configuration: `base_branches: [main, release]\n${parallel()}${requiresTest}`,
  });
  await w.push('release', { release: '1\n' });
  const [one, two] = [await w.open('one', { one: '1\n' }), await w.open('two', { two: '2\n' })];
  const stop = onFailpoint('landing:before_move', async () => {
    stop();
    await w.person.repos.update({ ...w.place, archived: true });
    // After so many attempts, the next failure halts the queue.
    await w.rows("update intent set attempt = 20 where kind = 'land'");
  });
  await w.label(one);
  await whileAway(w, async () => (await w.rows(halted)).length > 0);
  expect(await sentenceOf(w, one)).toMatch(
    /^Its landing has started and cannot go on: Landing batch \d+ failed \d+ times: .*acme\/shop is archived at GitHub/,
  );
  await w.service.syncInstallations();
  await w.person.repos.update({ ...w.place, archived: false });
  await changeActivity(w.ctx, w.repository.id, true);
  expect(await w.settled(one)).toEqual({ [one]: 'merged' });
  // The halt was about this landing, and ended with it.
  expect(await w.rows(halted)).toEqual([]);

  const suspend = (isSuspended: boolean): void =>
    w.emulator.controls.suspend(Number(w.emulator.installationId), isSuspended);
  const again = onFailpoint('landing:before_move', async () => {
    again();
    await Promise.resolve(suspend(true));
  });
  await w.label(two);
  await expect(w.settled(two)).rejects.toThrow('is the installation suspended, or the repository taken out of it?');
  suspend(false);
  expect(await w.settled(two)).toEqual({ [two]: 'merged' });

  await w.push('three', { three: '3\n' });
  const { data } = await w.person.pulls.create({ ...w.place, title: 'Add three', head: 'three', base: 'release' });
  const three = data.number;
  const gone = onFailpoint('landing:before_move', async () => {
    gone();
    await w.person.git.deleteRef({ ...w.place, ref: 'heads/release' });
  });
  await w.label(three);
  await whileAway(
    w,
    async () =>
      (await sentenceOf(w, three)) ===
      'It is closed: reopen it to merge it. If its head branch was deleted, push the branch again first.',
  );
  await w.push('release', {}, { message: 'Back again' });
  await w.person.pulls.update({ ...w.place, pull_number: three, state: 'open' });
  await w.emulator.core.settled();
  // The label of the earlier request goes, and the pull request is queued again by a new one.
  await w.until(
    async () => (await w.person.issues.listLabelsOnIssue({ ...w.place, issue_number: three })).data.length === 0,
  );
  await w.label(three);
  expect(await w.settled(three)).toEqual({ [three]: 'merged' });

  const clone = await w.clone();
  const landed = (branch: string): string[] =>
    git(clone, 'log', '--first-parent', '--reverse', '--format=%s', `origin/${branch}`).split('\n').slice(-2);
  expect(landed('main')).toEqual([`Add one (#${one})`, `Add two (#${two})`]);
  expect(landed('release')).toEqual(['Back again', `Add three (#${three})`]);
  expect(w.emulator.core.mistakes).toEqual([]);
});
