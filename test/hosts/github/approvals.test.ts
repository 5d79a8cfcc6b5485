// Workflows that wait at GitHub until a maintainer approves them, such as those of pull requests of new contributors.
import { expect, test } from 'vitest';
import { serial } from '../../support/world.ts';
import { queueWorld, requiresTest } from './queue-world.ts';

const files = {
  '.github/workflows/ci.yml': `name: ci
on: pull_request
jobs:
  test: { runs-on: ubuntu-latest, steps: [{ run: 'true' }] }
`,
};

test('a pull request whose workflow is approved at GitHub can be queued and lands', async () => {
  await using w = await queueWorld({
    configuration: `${serial()}require_all_checks_pass: true\n${requiresTest}`,
    files,
  });
  let end: 'pending' | 'success' = 'pending';
  w.emulator.controls.checks(() => end);
  const number = await w.open('topic', { topic: '1\n' });
  const { checkRuns, checkSuites } = w.emulator.core.state;
  await expect.poll(() => checkRuns.filter(({ name }) => name === 'test')).toHaveLength(1);
  // The emulator approves nothing. A suite that waits for an approval has ended, and its runs are made afterwards.
  const [run] = checkRuns.filter(({ name }) => name === 'test');
  if (run === undefined) throw new Error('The workflow has no run.');
  const suite = checkSuites.must(run.checkSuiteId);
  const begun = { status: suite.status, conclusion: suite.conclusion };
  Object.assign(run, { checkSuiteId: 0 });
  Object.assign(suite, { status: 'completed', conclusion: 'action_required' });
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'blocked' });
  expect(await w.rows('select name, conclusion from check_result')).toEqual([
    { name: 'ci', conclusion: 'action_required' },
  ]);

  Object.assign(run, { checkSuiteId: suite.id });
  Object.assign(suite, begun);
  end = 'success';
  await w.until(async () => (await w.rows("select from check_result where name = 'test'")).length > 0);
  await w.person.issues.removeLabel({ ...w.place, issue_number: number, name: 'mergequeue' }).catch(() => {});
  await w.label(number);
  await w.until(async () => (await w.rows("select from pull_request where status <> 'blocked'")).length > 0);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
});
