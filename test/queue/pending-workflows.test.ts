import { expect, it } from 'vitest';
import { gate } from '../support/gate.ts';
import { parallel, world } from '../support/world.ts';
import { expectLandedOnce } from './stories.ts';

const required = 'preconditions:\n  use_github_mergeability: false\n  required_checks: [test]\n';

it('a green build waits for a check that nobody requires and that still runs on its commit, even if the check fails', async () => {
  const more = 'wait_for_pending_github_workflows: true\n';
  await using held = await gate();
  const ci = `checks:\n  test: {run: 'true'}\n  docs: {run: '${held.waits}; exit 1'}\n`;
  await using w = await world({ configuration: `${parallel({ more })}${required}`, ci });
  const number = await w.open('topic', { topic: '1\n' });
  await w.queue(number);
  await w.until(
    async () => (await w.rows("select 1 from check_result where name = 'test' and conclusion = 'success'")).length > 0,
  );
  await w.until(
    async () => (await w.rows("select 1 from local_check_run where name = 'docs' and state = 'running'")).length > 0,
  );
  expect((await w.status(number)).status).not.toBe('merged');
  await held.open();
  await w.settled(number);
  await expectLandedOnce(w, number);
  const late = await w.rows(
    `select 1 from landing l join proof p on p.landing_id = l.id
     join local_check_run c on c.commit = p.body #>> '{evidence,0,commit}' and c.name = 'docs'
     where c.conclusion = 'failure' and c.completed_at <= l.landed_at`,
  );
  expect(late).toHaveLength(1);
});
