// Tokens for the cases of the contract, besides the first tokens of two accounts, and an account with many rows of each
// kind.
import { accountOf } from '../../accounts/account.ts';
import type { TestServer } from '../../support/server.ts';
import { ask, type Installation, makeRepository, openPullRequest, pushBranches } from './repository.ts';

/** Tokens by the name that a case uses in `as`. */
export type Tokens = Readonly<Record<string, string>>;

/** Adds users of the first account: some may skip in `acme/web`, some may only queue, some may only read. */
export async function prepareUsers(server: TestServer): Promise<Tokens> {
  const account = accountOf(server);
  const ada = await account.add('ada');
  for (const permission of ['SKIP_LINE', 'SKIP_VALIDATION'] as const)
    await account.grant(permission, { user: ada.id }, { owner: 'acme', name: 'web' });
  const bob = await account.add('bob', { scopes: ['queue:read', 'queue:write'] });
  const reader = await account.add('reader', { scopes: ['queue:read'] });
  return { ada: ada.token, bob: bob.token, reader: reader.token };
}

const repositories = 11;
const changes = 21;
const actions = 51;

/**
 * Makes more than a page of repositories, of changes of a configuration and of user actions, and an inactive
 * repository. The oldest change came by a push of the configuration file. Also makes an account on a plan without user
 * actions.
 */
export async function prepareMany(server: TestServer): Promise<Tokens> {
  const { token, accountId } = await server.otherAccount('many');
  const at = { url: server.url, token };
  for (let index = 0; index < repositories; index += 1)
    await makeRepository(at, { owner: 'many', name: `r${String(index).padStart(2, '0')}` });
  const [idle, configured] = [
    { owner: 'many', name: 'r00' },
    { owner: 'many', name: 'r01' },
  ];
  await pushBranches(at, idle, ['topic']);
  await openPullRequest(at, { repository: idle, title: 'Add topic', headBranch: 'topic', baseBranch: 'main' });
  await server.rows('update repository set active = false where account_id = $1 and name = $2', [accountId, idle.name]);
  await pushBranches(at, configured, [], 'merge_rules: {labels: {trigger: pushed}}\n');
  await server.drain();
  for (let change = 1; change < changes; change += 1) {
    const body = `merge_rules: {labels: {trigger: go-${change}}}\n`;
    const answer = await server.rest('POST', `/api/v1/config?org=many&repo=${configured.name}`, { body, token });
    if (answer.status !== 200) throw new Error(await answer.text());
  }
  await act(at);
  const small = await server.otherAccount('small');
  await server.rows("update account set plan = 'community' where id = $1", [small.accountId]);
  return { many: token, small: small.token };
}

/** Acts as the dashboard does, with the token of a user. */
async function act(at: Installation): Promise<void> {
  const { createApiToken } = await ask<{ createApiToken: { token: string } }>(
    at,
    'mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) { token } }',
    { name: 'dashboard', kind: 'USER', scopes: ['QUEUE_PAUSE', 'ADMIN'] },
  );
  const own = { ...at, token: createApiToken.token };
  await ask(
    own,
    'mutation ($input: SetAccountTimezoneInput!) { setAccountTimezone(input: $input) { account { timezone } } }',
    { timezone: 'Europe/Berlin' },
  );
  const pause = 'mutation ($input: PauseRepositoryInput!) { pauseRepository(input: $input) { repository { paused } } }';
  for (let action = 0; action < actions; action += 1) {
    const input = { repository: { owner: 'many', name: 'r02' }, paused: action % 2 === 0 };
    await ask(own, pause, input);
  }
}
