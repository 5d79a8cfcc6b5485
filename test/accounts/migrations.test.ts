// A start migrates a database to the newest schema, or says why it cannot.
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { prepareSchema } from '../../src/launcher/parts.ts';
import { StartError } from '../../src/launcher/start-error.ts';
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
  await prepareSchema(database.url);

  await client.query("delete from mikro_orm_migrations where name = '0012_analytics'");
  await client.query("insert into mikro_orm_migrations (name) values ('0001_init'), ('0002_guarded_tables')");
  const before = await applied();
  const refusal = prepareSchema(database.url);
  await expect(refusal).rejects.toThrow(StartError);
  await expect(refusal).rejects.toThrow(
    /^The database was made by another version of Interlock: this version does not know its migration 0001_init and 1 more\. Run that version or a newer one\. If you do not need the data, delete all data by `npm start -- --reset`, or name another database by --database-url \(DATABASE_URL\)\.$/,
  );
  expect(await applied()).toEqual(before);
});
