// Runs the SQL that the documentation gives to the administrator of a database.
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { areSecretsOfInstallation, generateSecrets } from '../../src/modules/accounts/index.ts';
import { migrate } from '../../src/platform/migrate.ts';
import { openBrowser } from '../accounts/browser.ts';
import { startServer } from '../support/server.ts';
import { readPage } from './pages.ts';

/** Runs the block of SQL that begins with these words. */
async function runBlock(words: string, client: pg.Client): Promise<void> {
  const blocks = readPage('docs/operations.md').blocks.filter(
    ({ language, text }) => language === 'sql' && text.startsWith(words),
  );
  expect(blocks).toHaveLength(1);
  for (const { text } of blocks) await client.query(text);
}

const user = 'second_interlock';

it('a second installation on the same server can migrate only after the grant that docs/operations.md gives', async () => {
  const { adminUrl } = inject('postgres');
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const url = new URL(adminUrl);
  Object.assign(url, { username: user, password: 'secret', pathname: `/${user}` });
  try {
    await admin.query(`create role ${user} login createrole password 'secret'`);
    await admin.query(`create database ${user} owner ${user}`);
    await expect(migrate(url.href)).rejects.toThrow('permission denied to grant role');
    await runBlock('grant', admin);
    await migrate(url.href);
  } finally {
    await admin.query(`drop database if exists ${user} with (force)`);
    await admin.query(`drop role if exists ${user}`);
    await admin.end();
  }
});

it('after a lost secret, processes start with another one only after the update that docs/operations.md gives', async () => {
  const s = await startServer();
  const owner = new pg.Client({ connectionString: s.databaseUrl });
  try {
    const others = generateSecrets();
    expect(await areSecretsOfInstallation(s.ports, others)).toBe(false);
    await owner.connect();
    await runBlock('update api_token set signing_key', owner);
    expect(await areSecretsOfInstallation(s.ports, others)).toBe(true);
  } finally {
    await owner.end();
    await s.close();
  }
});

it('after a restore, the updates that docs/operations.md gives end all sessions, and then all tokens of users', async () => {
  const s = await startServer();
  const owner = new pg.Client({ connectionString: s.databaseUrl });
  try {
    const query = '{ viewer { email } }';
    const browser = openBrowser(s);
    await browser.submit('/session', { token: s.token });
    const email = { data: { viewer: { email: expect.any(String) } } };
    const { cookie } = browser;
    const asked = async (): Promise<object> => (await openBrowser(await s.another()).graphql(query, { cookie })).answer;
    expect(await asked()).toMatchObject(email);
    await owner.connect();
    await runBlock('update user_session', owner);
    // The statement runs before servers start, so a server that has just started is asked.
    expect(await asked()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    expect((await s.graphql(query)).errors).toEqual([]);
    const inForce = async (): Promise<unknown> =>
      await s.rows('select distinct kind from api_token where revoked_at is null order by kind');
    const made = await s.graphql(
      'mutation { createApiToken(input: {name: "T", kind: USER, scopes: [QUEUE_READ]}) { token } }',
    );
    expect(made.errors).toEqual([]);
    expect(await inForce()).toEqual([{ kind: 'account' }, { kind: 'user' }]);
    await runBlock('update api_token set revoked_at', owner);
    expect(await inForce()).toEqual([{ kind: 'account' }]);
  } finally {
    await owner.end();
    await s.close();
  }
});
