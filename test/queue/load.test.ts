// Rows are loaded without a unit of work if nothing is written. They equal the rows that a unit of work reads.
import type { EntitySchema } from '@mikro-orm/core';
import { expect, it } from 'vitest';
import { entities } from '../../src/modules/entities.ts';
import { world } from '../support/world.ts';

interface Named {
  readonly id: string;
}

it('a loaded row equals the row that a unit of work reads, for each kind of row', async () => {
  await using w = await world();
  await w.queue(await w.open('feature', { feature: '1' }));
  await w.until(async () => (await w.rows('select 1 from intent')).length > 0);
  const { db } = w.service.ports;
  const { accountId } = w.ctx;
  const compared: string[] = [];
  for (const entity of entities as readonly EntitySchema<Named>[]) {
    const { tableName, properties } = entity.meta;
    const [row] = 'id' in properties ? await w.rows<Named>(`select id::text as id from "${tableName}" limit 1`) : [];
    if (row === undefined) continue;
    const loaded = await db.load(accountId, entity, row.id);
    const read = await db.transaction(accountId, async (tx) => ({ ...(await tx.em.findOne(entity, { id: row.id })) }));
    expect(loaded).toEqual(read);
    compared.push(tableName);
  }
  expect(compared).toEqual(
    expect.arrayContaining(['account_user', 'api_token', 'repository', 'queue', 'pull_request', 'batch', 'intent']),
  );
});
