// The database fails for one call, at each call in turn. Every verification still ends once with its verdict.
import pg from 'pg';
import { expect, it } from 'vitest';
import { expectAtEachOutage, outagesOf } from '../support/outages.ts';
import { isFullRun } from '../support/tier.ts';
import { endpoint, verificationWorld } from './verification-world.ts';

it('a verification ends with its verdict although the database fails at any call', { timeout: 600_000 }, async () => {
  await using v = await verificationWorld({ runsCi: false });
  const client = new pg.Client({ connectionString: v.databaseUrl });
  await client.connect();
  try {
    await v.verify(endpoint);
    let asked = 0;
    const url = await v.app((_, response) => {
      asked += 1;
      response.end();
    });
    await using outages = outagesOf(v.service.ports.db);
    let number = 0;
    let driven = 0;
    await expectAtEachOutage(
      {
        outages,
        async begin() {
          number = await v.open(`feature-${number}`, { [`${number}.txt`]: 'new\n' });
          await v.register(number, url);
          driven = asked;
        },
        async turn() {
          try {
            await v.loop.verifications.wakeOpen(v.ctx);
            await v.loop.verifications.run(v.ctx, async () => {});
          } finally {
            await v.loop.verifications.ended();
            v.pass(11_000);
          }
        },
        isOver: async () =>
          (await client.query('select 1 from verification where next_look_at is not null')).rowCount === 0,
        async check(when, how) {
          const { rows } = await client.query<{ action: string }>(
            'select action from event where verification_id = (select max(id) from verification) order by id',
          );
          expect(rows.map(({ action }) => action.replace('verification_', '')).join(), when).toBe(
            'pending,waiting,driving,passed',
          );
          expect(
            (await v.runs(number)).map(({ status }) => status),
            when,
          ).toEqual(['passed']);
          // If an answer was lost, the lost call may have stored a step. Then the preview is driven again.
          if (how === 'refused') expect(asked - driven, when).toBe(1);
        },
      },
      isFullRun ? undefined : { from: 6, step: 12 },
    );
  } finally {
    await client.end();
  }
});
