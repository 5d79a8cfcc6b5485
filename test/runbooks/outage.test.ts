// The database fails for one call, at each call in turn. Every leaf completes, with one commit and one pull request.
import pg from 'pg';
import { expect, it } from 'vitest';
import { expectAtEachOutage, outagesOf, type Story } from '../support/outages.ts';
import { runbookWorld } from '../support/runbook-world.ts';
import { isFullRun } from '../support/tier.ts';

it('a leaf becomes one commit in one pull request, whichever database call fails', { timeout: 600_000 }, async () => {
  let aheadMs = 0;
  await using r = await runbookWorld({ clock: () => new Date(Date.now() + aheadMs) });
  const { ctx, loop, databaseUrl } = r.w;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await using outages = outagesOf(r.w.service.ports.db);
    let runbook = 0;
    const story: Story = {
      outages,
      begin: async () => {
        runbook = await r.begin(`write ${runbook}.txt x`);
      },
      async turn() {
        try {
          await loop.runbooks.wakeOpen(ctx);
          await loop.runbooks.run(ctx, async () => {});
        } finally {
          await loop.runbooks.ended();
          aheadMs += 11_000;
        }
      },
      isOver: async () => (await client.query('select 1 from runbook where next_look_at is not null')).rowCount === 0,
      async check(when, how) {
        expect(await r.leaves(runbook), when).toEqual(['1.1 completed']);
        const [pullRequest] = await r.pullRequests(runbook);
        const branch = `interlock/runbook-${runbook}`;
        expect(pullRequest, when).toBe(`1 open ${branch} into main`);
        expect(await r.commits(branch), when).toHaveLength(1);
        // If an answer is lost, it may be the answer to the call that stored the tool call. Then the agent is called
        // again.
        const asked = await r.w.rows(
          'select 1 from runbook_tool_call t join runbook r on r.id = t.runbook_id where r.number = $1',
          [runbook],
        );
        if (how === 'refused') expect(asked, when).toHaveLength(1);
      },
    };
    await expectAtEachOutage(story, isFullRun ? undefined : { from: 5, step: 12 });
  } finally {
    await client.end();
  }
});
