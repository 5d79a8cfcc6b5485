// A base branch that is deleted at GitHub and made again before Interlock reads it.
import { expect, test } from 'vitest';
import { compareWithInvariants } from '../../../src/modules/health/index.ts';
import { verifyRepository } from '../../../src/modules/queue/index.ts';
import { loadRepository } from '../../../src/modules/repositories/index.ts';
import { meanwhile } from '../../queue/stories.ts';
import { parallel } from '../../support/world.ts';
import { queueWorld, requiresTest, type QueueWorld } from './queue-world.ts';

async function findLost(w: QueueWorld): Promise<readonly string[]> {
  const repository = await loadRepository(w.ctx, { owner: w.place.owner, name: w.place.repo });
  const verified = await verifyRepository(w.ctx, repository);
  const { violations, uncompared } = await compareWithInvariants(w.service.ports, {
    scope: 'all',
    only: (name) => name === 'landed_tree',
  });
  return [
    ...[...violations, ...uncompared].map(({ sentence }) => sentence),
    ...verified.flatMap(({ failures }) => failures),
  ];
}

test('a landing that is recorded after the deletion was reported is no violation', async () => {
  await using w = await queueWorld({ configuration: `${parallel()}${requiresTest}base_branches: [main, release]\n` });
  const { data: main } = await w.person.git.getRef({ ...w.place, ref: 'heads/main' });
  const makeRelease = async (): Promise<unknown> =>
    await w.person.git.createRef({ ...w.place, ref: 'refs/heads/release', sha: main.object.sha });
  await makeRelease();
  await w.push('one', { one: '1\n' });
  const { data } = await w.person.pulls.create({ ...w.place, title: 'One', head: 'one', base: 'release' });
  await w.label(data.number);
  await meanwhile(
    'landing:after_host',
    async () => {
      await w.person.git.deleteRef({ ...w.place, ref: 'heads/release' });
      await makeRelease();
      await w.emulator.core.settled();
      await w.service.drain();
    },
    async () => void (await w.settled(data.number)),
  );
  expect(await w.rows('select kind from intent where state = $1', ['started'])).toEqual([]);
  await w.until(async () => (await w.rows("select 1 from host_hint where kind = 'deletion'")).length === 0);
  expect(await w.rows('select count(*)::int as n from landing')).toEqual([{ n: 1 }]);
  expect(await findLost(w)).toEqual([]);
});

test('landings on it are no violation, unless the webhook of the deletion is lost', async () => {
  await using w = await queueWorld({ configuration: `${parallel()}${requiresTest}base_branches: [main, release]\n` });
  const { data: main } = await w.person.git.getRef({ ...w.place, ref: 'heads/main' });
  const first = main.object.sha;
  const makeRelease = async (): Promise<unknown> =>
    await w.person.git.createRef({ ...w.place, ref: 'refs/heads/release', sha: first });
  const land = async (branch: string): Promise<void> => {
    await w.push(branch, { [branch]: '1\n' });
    const { data } = await w.person.pulls.create({ ...w.place, title: branch, head: branch, base: 'release' });
    await w.label(data.number);
    expect(await w.settled(data.number)).toEqual({ [data.number]: 'merged' });
  };
  const makeReleaseAgain = async (): Promise<void> => {
    // A read that the webhook of the deletion causes is answered after the branch exists again.
    w.emulator.controls.slow({ operation: 'git-upload-pack', ms: 5_000, times: 1 });
    await w.person.git.deleteRef({ ...w.place, ref: 'heads/release' });
    await makeRelease();
    await w.emulator.core.settled();
    await w.until(
      async () =>
        (await w.rows("select 1 from queue where base_branch = 'release' and base_tip = $1", [first])).length > 0,
    );
  };
  await makeRelease();
  await land('one');
  await makeReleaseAgain();
  expect(await findLost(w)).toEqual([]);

  await land('two');
  w.emulator.controls.webhooks({ drop: 1 });
  await w.person.git.deleteRef({ ...w.place, ref: 'heads/release' });
  w.emulator.controls.webhooks({ drop: 0 });
  await makeRelease();
  await w.emulator.core.settled();
  expect(await findLost(w)).toEqual([
    expect.stringContaining('is not on the first-parent line of release') as string,
    expect.stringContaining('is not on the first-parent line of release') as string,
  ]);
});
