// The repository is transferred to another owner in the middle of a landing. Each pull request lands once.
import { expect, test } from 'vitest';
import { HostUnavailable } from '../../../src/hosts/port.ts';
import type { Secrets } from '../../../src/modules/accounts/index.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { git } from '../commits.ts';
import { addOtherOwner } from './other-owner.ts';
import { queueWorld, type QueueWorld } from './queue-world.ts';

/** Runs turns of the engine, which cannot reach the repository under its old name, until the condition holds. */
async function whileMoving(w: QueueWorld, condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) {
    const failure = await w.until(condition).catch((error: unknown) => error);
    expect([undefined, expect.any(HostUnavailable)]).toContainEqual(failure);
    // Failed work is tried again, as by Temporal.
    for (const { id } of await w.rows<{ id: string }>('select id from queue'))
      await w.ctx.wake({ accountId: w.ctx.accountId, queueId: id });
  }
}

function secretsOf({ engine: { secrets } }: QueueWorld): Secrets {
  if (secrets === undefined) throw new Error('The world has no secrets.');
  return secrets;
}

test.each([
  ['the gate and the push', 'landing:before_move'],
  ['the push and the record', 'landing:after_host'],
])('a landing goes on at the new owner, if the repository is transferred between %s', async (_between, failpoint) => {
  await using w = await queueWorld();
  const heirs = await addOtherOwner(w.emulator, w.ctx, secretsOf(w));
  const [one, two] = [await w.open('one', { one: '1\n' }), await w.open('two', { two: '2\n' })];
  const stop = onFailpoint(failpoint, async () => {
    stop();
    w.emulator.controls.transfer('acme/shop', heirs);
    await w.service.syncInstallations();
  });
  await w.label(one);
  const isMerged = async (number: number): Promise<boolean> =>
    (await w.rows("select 1 from pull_request where number = $1 and status = 'merged'", [number])).length > 0;
  const isIdle = async (): Promise<boolean> =>
    (await w.rows("select 1 from intent where state in ('planned', 'started')")).length === 0;
  await whileMoving(w, async () => (await isMerged(one)) && (await isIdle()));
  expect(await w.rows('select owner, name, active from repository')).toEqual([
    { owner: heirs, name: 'shop', active: true },
  ]);
  await w.person.issues.addLabels({ owner: heirs, repo: 'shop', issue_number: two, labels: ['mergequeue'] });
  await w.emulator.core.settled();
  await whileMoving(w, async () => await isMerged(two));
  const landed = await w.rows(
    'select p.number from landed_member m join pull_request p on p.id = m.pull_request_id order by 1',
  );
  expect(landed).toEqual([{ number: one }, { number: two }]);
  const clone = await w.clone();
  expect(git(clone, 'log', '--first-parent', '--format=%s', 'origin/main').split('\n')).toEqual([
    `Add two (#${two})`,
    `Add one (#${one})`,
    'First',
  ]);
  expect(await w.rows('select halted_reason from queue where halted_reason is not null')).toEqual([]);
  expect(w.emulator.core.mistakes).toEqual([]);
});
