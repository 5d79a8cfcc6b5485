// Runs the SQL that the documentation gives to the administrator of a database.
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { migrate } from '../../src/platform/migrate.ts';
import { readPage } from './pages.ts';

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
    for (const { text } of readPage('docs/operations.md').blocks.filter((block) => block.language === 'sql'))
      await admin.query(text);
    await migrate(url.href);
  } finally {
    await admin.query(`drop database if exists ${user} with (force)`);
    await admin.query(`drop role if exists ${user}`);
    await admin.end();
  }
});
