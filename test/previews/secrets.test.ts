// Secrets of an account are written and granted to repositories. Only previews of these repositories get them, and no
// answer shows them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemContext } from '../../src/context.ts';
import { openPreviewSecrets } from '../../src/modules/previews/index.ts';
import { accountOf, type AccountVerbs } from '../accounts/account.ts';
import { seed, type SeededRepository } from '../graphql/seed.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { repository, rowsContaining } from './previews-api.ts';

let s: TestServer;
let seeded: SeededRepository;
let account: AccountVerbs;
beforeAll(async () => {
  s = await startServer();
  seeded = await seed(s);
  account = accountOf(s);
});
afterAll(async () => await s.close());

const canary = 'canary-88ad31f6';
const shown = 'previewSecret { key grantedTo }';
const set = async (key: string, value: string): Promise<unknown> =>
  await account.run('setPreviewSecret', { key, value }, shown);
const open = async (accountId: string, repositoryId: string, ...keys: string[]): Promise<unknown> =>
  await openPreviewSecrets(systemContext(s.ports, accountId), s.secrets, { repositoryId, keys });
const mine = async (...keys: string[]): Promise<unknown> => await open(s.accountId, seeded.repositoryId, ...keys);

it('a secret is given only to the repositories to which it was granted, with its newest value', async () => {
  expect(await set('API_KEY', 'first')).toEqual({ previewSecret: { key: 'API_KEY', grantedTo: [] } });
  expect(await mine('API_KEY')).toEqual({ values: {}, missing: ['API_KEY'] });
  const grant = { key: 'API_KEY', repository };
  for (let time = 0; time < 2; time += 1)
    expect(await account.run('grantPreviewSecret', grant, shown)).toEqual({
      previewSecret: { key: 'API_KEY', grantedTo: ['acme/shop'] },
    });
  await set('API_KEY', canary);
  expect(await mine('API_KEY', 'OTHER')).toEqual({ values: { API_KEY: canary }, missing: ['OTHER'] });
  expect(await account.run('revokePreviewSecret', grant, `revoked ${shown}`)).toEqual({
    revoked: true,
    previewSecret: { key: 'API_KEY', grantedTo: [] },
  });
  expect(await account.run('revokePreviewSecret', grant, 'revoked')).toEqual({ revoked: false });
  expect(await mine('API_KEY')).toEqual({ values: {}, missing: ['API_KEY'] });
});

it('a secret is in no row, event or answer, and cannot be decrypted in the place of another', async () => {
  const admin = await account.add('admin', { role: 'admin', scopes: ['admin', 'audit:read'] });
  for (const [key, value] of [
    ['CANARY', canary],
    ['DECOY', 'decoy'],
  ]) {
    await account.run('setPreviewSecret', { key, value }, shown, admin.token);
    await account.run('grantPreviewSecret', { key, repository }, shown, admin.token);
  }
  expect(await rowsContaining(s, canary)).toEqual([]);
  const { text } = await s.graphql('{ previewSecrets { nodes { id key grantedTo createdBy createdAt updatedAt } } }');
  expect(text).not.toContain(canary);
  const audit = await s.graphql<{ auditLog: { nodes: unknown[] } }>(
    '{ auditLog(entity: PREVIEW) { nodes { action target } } }',
  );
  expect(audit.data.auditLog.nodes).toContainEqual({ action: 'preview_secret_set', target: 'CANARY' });
  expect(audit.data.auditLog.nodes).toContainEqual({ action: 'preview_secret_granted', target: 'acme/shop: CANARY' });
  expect(audit.text).not.toContain(canary);
  await s.rows(
    "update preview_secret set sealed = (select sealed from preview_secret where key = 'CANARY') where key = 'DECOY'",
  );
  await expect(mine('DECOY')).rejects.toThrow(
    'The secret `DECOY` was encrypted with another key. Set the secret again.',
  );
});

it('a secret of one account does not exist for another account, even under the same name', async () => {
  const other = await s.otherAccount('neighbours');
  const theirs = await seed(s, { token: other.token, accountId: other.accountId });
  await set('SHARED', canary);
  await account.run('grantPreviewSecret', { key: 'SHARED', repository }, shown);
  const granting = 'mutation ($input: PreviewSecretGrantInput!) { grantPreviewSecret(input: $input) { __typename } }';
  const refused = await s.graphql(granting, { input: { key: 'SHARED', repository } }, other.token);
  expect(refused.errors).toMatchObject([{ message: 'Preview secret not found', extensions: { code: 'NOT_FOUND' } }]);
  expect(await open(other.accountId, theirs.repositoryId, 'SHARED')).toEqual({ values: {}, missing: ['SHARED'] });
  expect(await open(other.accountId, seeded.repositoryId, 'SHARED')).toEqual({ values: {}, missing: ['SHARED'] });
});

it('a secret is removed with its grants', async () => {
  await set('GONE', 'x');
  await account.run('grantPreviewSecret', { key: 'GONE', repository }, shown);
  await account.run('removePreviewSecret', { key: 'GONE' }, 'deletedId');
  await set('GONE', 'y');
  expect(await mine('GONE')).toEqual({ values: {}, missing: ['GONE'] });
});

it.each([
  [{ key: 'PORT', value: 'x' }, 'key must not be PORT, which the service itself sets'],
  [{ key: 'HEAD_BRANCH', value: 'x' }, 'key must not be HEAD_BRANCH, which the service itself sets'],
  [{ key: 'a-b', value: 'x' }, 'key must be called as environment variables are'],
  [{ key: 'A', value: '' }, 'value must not be empty: remove the secret instead'],
  [{ key: 'A', value: 'x'.repeat(8193) }, 'value must have at most 8192 characters'],
])('a secret that could not be used is refused: case %#', async (input, message) => {
  await expect(account.run('setPreviewSecret', input, shown)).rejects.toThrow(message);
});
