// The logs and tool calls of agents are deleted after a time. The results of the runbook are kept.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runbookLogForgetting } from '../../src/modules/runbooks/index.ts';
import { seed } from '../graphql/seed.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seedRunbook, type SeededRunbook } from './runbook-rows.ts';
import { forget } from '../support/forget.ts';

let s: TestServer;
let runbook: SeededRunbook;
beforeAll(async () => {
  s = await startServer();
  const { repositoryId } = await seed(s);
  runbook = await seedRunbook(s, { repositoryId, leaves: [['1.1', 'completed', 1]] });
});
afterAll(async () => await s.close());

async function add(daysAgo: number, count: number): Promise<void> {
  const values = [s.accountId, runbook.id, daysAgo, count];
  await s.rows(
    `insert into runbook_log (account_id, runbook_id, text, at)
     select $1, $2, $3::text, now() - make_interval(days => $3::integer) from generate_series(1, $4)`,
    values,
  );
  await s.rows(
    `insert into runbook_tool_call (account_id, runbook_id, tool, arguments, outcome, answer, started_at, ended_at)
     select $1, $2, 'read_file', '{}', 'done', $3::text, at, at
     from (select now() - make_interval(days => $3::integer) as at) as past, generate_series(1, $4)`,
    values,
  );
}

it('logs and tool calls are deleted after 90 days, however many there are, and nothing else is deleted', async () => {
  await add(200, 5_001);
  await add(91, 2);
  await add(89, 2);
  expect(await forget(s.ports.db, runbookLogForgetting)).toBe(10_006);
  expect(await forget(s.ports.db, runbookLogForgetting)).toBe(0);
  expect(await s.rows('select distinct text from runbook_log')).toEqual([{ text: '89' }]);
  expect(await s.rows('select count(*)::integer as count from runbook_tool_call')).toEqual([{ count: 2 }]);
  expect(await s.rows('select status from runbook')).toEqual([{ status: 'completed' }]);
  expect(await s.rows('select state from runbook_commit')).toEqual([{ state: 'pushed' }]);
});
