import { expect, it } from 'vitest';
import { parallel, world } from '../support/world.ts';
import { expectLandedOnce } from './stories.ts';

const ci = "checks:\n  test: {run: 'true'}\n  docs: {run: 'sleep 3; exit 1'}\n";
const required = 'preconditions:\n  use_github_mergeability: false\n  required_checks: [test]\n';

it('a green build waits for what nobody requires and still runs on its commit, whatever it says', async () => {
  const more = 'wait_for_pending_github_workflows: true\n';
  await using w = await world({ configuration: `${parallel({ more })}${required}`, ci });
  const number = await w.open('topic', { topic: '1\n' });
  await w.queue(number);
  await w.settled(number);
  await expectLandedOnce(w, number);
  const late = await w.rows(
    `select 1 from landing l join proof p on p.landing_id = l.id
     join local_check_run c on c.commit = p.body #>> '{evidence,0,commit}' and c.name = 'docs'
     where c.conclusion = 'failure' and c.completed_at <= l.landed_at`,
  );
  expect(late).toHaveLength(1);
});
