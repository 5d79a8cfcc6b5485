// The owner of the tables refreshes the statistics of PostgreSQL. Row-level security applies to the owner too.
import pg from 'pg';
import { expect, it } from 'vitest';
import { refreshStatistics } from '../../src/platform/statistics.ts';
import { asAdmin, createTestDatabase } from '../support/postgres.ts';

it('a guarded table is analyzed once, even by an owner that may not bypass its policy', async () => {
  const database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  await asAdmin(`create role owner_${name} login password 'x'`);
  const url = Object.assign(new URL(database.url), { username: `owner_${name}`, password: 'x' });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query(`create schema own authorization owner_${name}`);
    await client.query(`alter role owner_${name} set search_path = own`);
    await client.query(`set role owner_${name}`);
    await client.query('create table own.guarded as select n as account_id from generate_series(1, 5000) n');
    await client.query('alter table own.guarded enable row level security');
    await client.query('alter table own.guarded force row level security');
    expect(await refreshStatistics(url.href)).toEqual(['guarded']);
    expect(await refreshStatistics(url.href)).toEqual([]);
  } finally {
    await client.query('reset role');
    await client.query(`drop owned by owner_${name} cascade`);
    await client.end();
    await asAdmin(`drop role owner_${name}`);
    await database.drop();
  }
});
