import { afterAll, beforeAll, expect, it } from 'vitest';
import { announceDueFreezes } from '../../src/modules/releases/freezes.timer.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seed } from './seed.ts';

let s: TestServer;
const repository = { owner: 'acme', name: 'shop' };
beforeAll(async () => {
  s = await startServer();
  await seed(s);
});
afterAll(async () => await s.close());

async function ask<Data>(document: string, variables: object = {}): Promise<Data> {
  const { data, errors } = await s.graphql<Data>(document, { ...variables });
  expect(errors).toEqual([]);
  return data;
}

async function frozen(): Promise<unknown> {
  const data = await ask<{ repository: { queue: { frozen: unknown } } }>(
    `{ repository(owner: "acme", name: "shop") { queue(baseBranch: "main") {
       frozen { until reason createdBy sentence freeze { source baseBranches timezone } } } } }`,
  );
  return data.repository.queue.frozen;
}

async function freeze(baseBranches: string, more: object = {}): Promise<void> {
  await ask('mutation ($input: FreezeBranchesInput!) { freezeBranches(input: $input) { freeze { id } } }', {
    input: { repository, baseBranches, ...more },
  });
}

const unfreeze = async (baseBranches: string): Promise<unknown> =>
  await ask('mutation ($input: BaseBranchesInput!) { unfreezeBranches(input: $input) { deleted } }', {
    input: { repository, baseBranches },
  });

const announced = async (): Promise<{ action: string; payload: { baseBranch: string } }[]> =>
  await s.rows(
    "select action, payload from event where action in ('base_branch_frozen', 'base_branch_unfrozen') order by id",
  );

it('the queue shows why nothing lands, and the freeze ends only if its own glob is unfrozen', async () => {
  expect(await frozen()).toBeNull();
  await freeze('release/*');
  expect(await frozen()).toBeNull();
  await freeze('ma*', { reason: 'audit' });
  expect(await frozen()).toEqual({
    until: null,
    reason: 'audit',
    createdBy: 'service@acme.test',
    sentence: 'main is frozen until somebody ends it, by service@acme.test: audit',
    freeze: { source: 'MANUAL', baseBranches: 'ma*', timezone: null },
  });
  expect(
    await ask(
      'mutation ($input: BaseBranchesInput!) { unfreezeBranches(input: $input) { deleted impact { sentence } } }',
      { input: { repository, baseBranches: 'ma*', preview: true } },
    ),
  ).toEqual({ unfreezeBranches: { deleted: 0, impact: { sentence: expect.any(String) as string } } });
  expect(await unfreeze('main')).toEqual({ unfreezeBranches: { deleted: 0 } });
  expect(await unfreeze('ma*')).toEqual({ unfreezeBranches: { deleted: 1 } });
  expect(await frozen()).toBeNull();
});

it('the end of a freeze is announced at its time, once for each base branch that changes, and the queue is woken', async () => {
  const before = (await announced()).length;
  const endsAt = new Date(Date.now() + 3_600_000);
  await freeze('main', { endsAt });
  // Another freeze lasts longer, on a branch without a queue.
  await freeze('release/*', { endsAt: new Date(endsAt.getTime() + 60_000) });
  const woken: object[] = [];
  const ports = { ...s.ports, clock: () => endsAt, wake: async (whose: object) => void woken.push(whose) };
  await Promise.all([announceDueFreezes(ports), announceDueFreezes(ports)]);
  await announceDueFreezes(ports);
  expect((await announced()).slice(before).map(({ action, payload }) => [action, payload.baseBranch])).toEqual([
    ['base_branch_frozen', 'main'],
    ['base_branch_unfrozen', 'main'],
  ]);
  const [queue] = await s.rows<{ id: string }>("select id from queue where base_branch = 'main'");
  expect(woken).toEqual([{ accountId: s.accountId, queueId: queue?.id }]);
  expect(await s.rows("select next_freeze_change_at as at from repository where name = 'shop'")).toEqual([
    { at: new Date(endsAt.getTime() + 60_000) },
  ]);
});
