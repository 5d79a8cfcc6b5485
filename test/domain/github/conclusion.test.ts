// When the conclusion of a pull request waits until GitHub marks it as merged.
import { expect, test } from 'vitest';
import type { Client } from '../../../src/hosts/github/client.ts';
import { conclusionOperation } from '../../../src/hosts/github/conclusion.ts';
import { HostUnavailable, type HostPullRequest, type HostRepository } from '../../../src/hosts/port.ts';

const repository: HostRepository = { accountId: '1', id: '1', owner: 'acme', name: 'shop' };
const at = Date.parse('2026-11-02T10:00:00Z');

/** The head `own` is on `main`, and not on the branch below. */
async function conclude(seen: Partial<HostPullRequest>, laterMs: number): Promise<string[]> {
  const done: string[] = [];
  const pullRequest = { number: 1, state: 'open', headSha: 'own', baseTip: 'main', ...seen } as HostPullRequest;
  const client = {
    apiFor: async () =>
      await Promise.resolve({ request: async (route: string) => await Promise.resolve(void done.push(route)) }),
  };
  const { concludePullRequest } = conclusionOperation(
    {
      getPullRequest: async () => await Promise.resolve(pullRequest),
      isAncestor: async (_repository, head, tip) => await Promise.resolve(head === 'own' && tip === 'main'),
      upsertComment: async (_repository, _number, { body }) => await Promise.resolve(void done.push(body)),
    },
    client as unknown as Client,
    () => new Date(at + laterMs),
  );
  await concludePullRequest(repository, 1, { at, comment: 'Landed.' });
  return done;
}

const closes = ['Landed.', 'PATCH /repos/{owner}/{repo}/pulls/{pull_number}'];

test.each<[string, Partial<HostPullRequest>, number, readonly string[]]>([
  ['is marked as merged already', { state: 'merged' }, 0, []],
  ['is squashed', { headSha: 'before' }, 0, closes],
  ['landed in a stack, by a head that its own base does not have', { baseTip: 'below' }, 0, closes],
  ['lost its base branch', { baseTip: null }, 0, closes],
  ['is not marked after two minutes', {}, 120_000, closes],
  ['was closed by somebody', { state: 'closed' }, 0, ['Landed.']],
])('a pull request that %s is concluded at once', async (_name, seen, laterMs, done) => {
  expect(await conclude(seen, laterMs)).toEqual(done);
});

test('a pull request whose base contains its head waits for the mark', async () => {
  await expect(conclude({}, 119_000)).rejects.toThrow(
    new HostUnavailable('GitHub does not show #1 as merged yet', { retryAt: at + 124_000 }),
  );
});
