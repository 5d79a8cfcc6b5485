// The rows that the rules read are those of the database, although a statement is executed again only after a write.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/platform/database.ts';
import { takeSimulatedDatabase, type SimulatedDatabase } from './kept-database.ts';
import { keepRows, type KeptRows } from './kept-rows.ts';

let simulated: SimulatedDatabase;
let db: Database;
let kept: KeptRows;

beforeAll(async () => {
  simulated = await takeSimulatedDatabase();
  db = await simulated.open();
  kept = await keepRows(simulated.reader);
});

afterAll(async () => {
  await db.close();
  await simulated.drop();
});

const accounts = 'select name from account order by name';
const readAccounts = async (): Promise<string[]> =>
  (await kept.query<{ name: string }>(accounts)).map(({ name }) => name);

it('has the rows of the last refresh, after each kind of write', async () => {
  const states: string[] = [await kept.refresh('rules')];
  expect(await readAccounts()).toEqual([]);
  const writes: readonly [string, readonly string[]][] = [
    ["insert into account (name) values ('a'), ('b')", ['a', 'b']],
    ["update account set name = 'c' where name = 'a'", ['b', 'c']],
    ["delete from account where name = 'b'", ['c']],
  ];
  for (const [text, names] of writes) {
    const before = await readAccounts();
    await db.system.query(text);
    expect(await readAccounts()).toEqual(before);
    states.push(await kept.refresh('rules'));
    expect(await readAccounts()).toEqual(names);
  }
  expect(new Set(states).size).toBe(states.length);
  expect(await kept.refresh('rules')).toBe(states.at(-1));
});

it('sees that a foreign key has deleted rows', async () => {
  await db.system.query(
    `with of as (insert into account (name) values ('d') returning id),
          person as (insert into account_user (account_id, email, role, is_service) select id, 'd@example.test', 'admin', true from of returning account_id, id),
          team as (insert into account_team (account_id, org, slug, name, created_at) select id, 'o', 's', 'n', now() from of returning account_id, id)
     insert into account_team_member (account_id, team_id, user_id, created_at)
       select team.account_id, team.id, person.id, now() from team, person`,
  );
  const members = 'select team_id from account_team_member';
  await kept.refresh('recent');
  expect(await kept.query(members)).toHaveLength(1);
  await db.system.query('delete from account_team');
  await kept.refresh('recent');
  expect(await kept.query(members)).toEqual([]);
});

it('reads the time again', async () => {
  const read = async (): Promise<unknown> => await kept.query('select now() as at');
  await simulated.owner.query("select setval('virtual.ms', 1000)");
  const before = await read();
  await simulated.owner.query("select setval('virtual.ms', 2000)");
  expect(await read()).not.toEqual(before);
});
