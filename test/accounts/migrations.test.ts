// A start migrates a database to the newest schema, or says why it cannot.
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { prepareSchema } from '../../src/launcher/parts.ts';
import { StartError } from '../../src/launcher/start-error.ts';
import { knownMigrations, migrate } from '../../src/platform/migrate.ts';
import { createTestDatabase } from '../support/postgres.ts';

test('a start refuses a database with unknown migrations, says what to do, and does not change the database', async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await database.drop();
  });
  const applied = async () => (await client.query('select name from mikro_orm_migrations order by id')).rows;
  await prepareSchema(database.url, () => {});

  await client.query("delete from mikro_orm_migrations where name = '0012_analytics'");
  await client.query("insert into mikro_orm_migrations (name) values ('0001_init'), ('0002_guarded_tables')");
  const before = await applied();
  const refusal = prepareSchema(database.url, () => {});
  await expect(refusal).rejects.toThrow(StartError);
  await expect(refusal).rejects.toThrow(
    /^The database was made by another version of Interlock: this version does not know its migration 0001_init and 1 more\. Run that version or a newer one\. If you do not need the data, delete all data by `npm start -- --reset`, or name another database by --database-url \(DATABASE_URL\)\.$/,
  );
  expect(await applied()).toEqual(before);
});

test('a migration is complete before the next one begins, and so is the note of its phase', async () => {
  const { url, read, hold } = await migratedTo('0046_host_rules');
  const backup = await hold('lock table proof in access share mode');
  // Two processes that start together migrate one after the other.
  const migrations = Promise.all([migrate(url), migrate(url)]);
  await expect
    .poll(async () => await read('select name from mikro_orm_migrations order by id desc limit 1'))
    .toEqual([{ name: '0050_proofs_verified' }]);
  expect(await read("select name from migration_phase where name >= '0050'")).toEqual([
    { name: '0050_proofs_verified' },
  ]);
  await backup.end();
  await migrations;
  expect(await read('select name from mikro_orm_migrations order by id')).toEqual(
    knownMigrations().map((name) => ({ name })),
  );
});

test('a migration that waits for a backup blocks nobody else, and says what it waits for', async () => {
  const { url, read, hold } = await migratedTo('0050_proofs_verified');
  const backup = await hold('lock table proof in access share mode');
  const lines: string[] = [];
  const migration = prepareSchema(url, (line) => lines.push(line));
  await expect
    .poll(() => lines[0])
    .toBe(
      'The migration 0062_proof_signatures waits for sessions that use the same tables, such as a backup. It is tried again until they end.',
    );
  await read('select from proof');
  await backup.end();
  await migration;
  expect(await read('select name from mikro_orm_migrations order by id desc limit 1')).toEqual([
    { name: knownMigrations().at(-1) },
  ]);
});

/** A database with this and all earlier migrations. `hold` keeps a transaction with its locks until its end. */
async function migratedTo(to: string): Promise<{
  readonly url: string;
  readonly read: (text: string) => Promise<object[]>;
  readonly hold: (text: string) => Promise<pg.Client>;
}> {
  const database = await createTestDatabase('template0');
  onTestFinished(async () => await database.drop());
  const { url } = database;
  await migrate(url, { to });
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    onTestFinished(async () => await client.end());
    return client;
  };
  const reader = await connect();
  return {
    url,
    read: async (text) => (await reader.query<object>(text)).rows,
    async hold(text) {
      const holder = await connect();
      await holder.query(`begin; ${text}`);
      return holder;
    },
  };
}
