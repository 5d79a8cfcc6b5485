// One account on a database of the bench, as the services see it, and the database's owner beside it.
import pg from 'pg';
import { pino } from 'pino';
import { systemContext, type Context, type Ports } from '../src/context.ts';
import { entities } from '../src/modules/entities.ts';
import { connectDatabase } from '../src/platform/database.ts';
import { openBenchDatabase } from './database.ts';

export interface BenchInstallation {
  readonly ctx: Context;
  /** Outside of every guard and time limit. */
  readonly owner: pg.Client;
  /** Id of a new repository acme/`name` of the account. */
  repository(name: string): Promise<string>;
}

export async function withInstallation(work: (installation: BenchInstallation) => Promise<void>): Promise<void> {
  const database = await openBenchDatabase();
  const owner = new pg.Client({ connectionString: database.url });
  const db = await connectDatabase({ url: database.url, entities });
  await owner.connect();
  const idOf = async (text: string, values: readonly unknown[]): Promise<string> =>
    (await owner.query<{ id: string }>(text, [...values])).rows[0]?.id ?? '';
  try {
    const accountId = await idOf('insert into account (name) values ($1) returning id', ['bench']);
    const ports = { db, clock: () => new Date(), log: pino({ level: 'warn' }) } as Partial<Ports> as Ports;
    await work({
      ctx: systemContext(ports, accountId),
      owner,
      repository: async (name) =>
        await idOf(
          `insert into repository (account_id, owner, name, host, configuration_yaml, configuration_hash)
           values ($1, 'acme', $2, 'local', E'merge_rules:\\n  labels:\\n    trigger: mergequeue\\n', '') returning id`,
          [accountId, name],
        ),
    });
  } finally {
    await db.close();
    await owner.end();
    await database.drop();
  }
}
