// Sends random requests, reports and answers in any order. The log follows the rules, and the line drains.
import { fc, seed } from '../support/properties.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';
import { command, Story, versions } from './deployments.story.ts';
import { environmentOf } from './environment.ts';
import { examples } from '../support/tier.ts';

const numRuns = examples({ standard: 2, full: 8 });
const project = 'Histories';

let s: TestServer;
const clock = { now: new Date('2026-03-01T00:00:00Z').getTime() };
beforeAll(async () => {
  s = await startServer({ clock: () => new Date(clock.now) });
  const first = await environmentOf(s, project);
  for (const version of versions) await first.candidate(version);
});
afterAll(async () => await s.close());

let made = 0;
async function begin(): Promise<Story> {
  made += 1;
  const name = `environment-${made}`;
  const [row] = await s.rows<{ id: string }>(
    `insert into environment (account_id, project_id, name, position, tier, provider, created_at)
     select account_id, id, $2, 1, 'other', $3, now() from release_project where account_id = $1 and name = $4 returning id`,
    [
      s.accountId,
      name,
      JSON.stringify({
        kind: 'http',
        url: 'http://deployer.example.test/',
        statusUrl: 'http://deployer.example.test/',
      }),
      project,
    ],
  );
  return new Story({ s, clock, project, name, id: row?.id ?? '' });
}

test(`deployments follow the rules, rollbacks restore the right version, and every line drains (FC_SEED=${seed})`, {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 15, maxLength: 30, size: 'max' }), async (commands) => {
      const story = await begin();
      for (const each of versions.slice(0, 3))
        await story.run({ do: 'deploy', version: each, supersede: false, force: false, ends: 'success' });
      for (const each of commands) await story.run(each);
      await story.drain();
      const rows = await s.rows<{ status: string }>(
        `select status from deployment where environment_id = $1 and not reported
           and status in ('pending', 'in_progress', 'canceling')`,
        [story.environmentId],
      );
      expect(rows).toEqual([]);
    }),
    { numRuns, endOnFailure: true },
  );
});
