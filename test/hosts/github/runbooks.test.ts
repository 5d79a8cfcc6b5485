// Runbooks whose pull requests are at GitHub: branches are pushed, each pull request is opened once even if the process
// dies, follow-ups are pushed on top, changes of people are noticed, and refusals are shown with the message of GitHub.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { continueRunbook, retryRunbook } from '../../../src/modules/runbooks/index.ts';
import { updateRunbookDefaults } from '../../../src/modules/runbooks/defaults.service.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { runbookDrivingOf } from '../../support/runbook-agent.ts';
import { queueWorld, type QueueWorld } from './queue-world.ts';
import { runbooksAtGitHub, type PullRequestAtGitHub } from './runbooks-at-github.ts';

let w: QueueWorld;

beforeAll(async () => {
  // Each machine has its own mirrors, as in a cluster.
  w = await queueWorld({ mirrors: { keepsAtGitHub: true, maxBytes: null } });
  w.loop.runbooks.driving = runbookDrivingOf(null);
});
afterAll(async () => {
  await w.loop.runbooks.ended();
  await w[Symbol.asyncDispose]();
});

const repository = { owner: 'acme', name: 'shop' };
const begin = async (prompt: string): Promise<number> => await runbooksAtGitHub(w).begin(prompt);
const leaves = async (number: number): Promise<string[]> => await runbooksAtGitHub(w).leaves(number);
const rest = async (number: number): Promise<void> => await runbooksAtGitHub(w).rest(number);
const atGitHub = async (branch: string): Promise<PullRequestAtGitHub[]> => await runbooksAtGitHub(w).atGitHub(branch);

/** A text such as `1 open` for each pull request of the runbook. */
async function states(number: number): Promise<string[]> {
  const rows = await w.rows<{ state: string }>(
    `select o.ordinal || ' ' || o.state as state from runbook_pull_request o join runbook r on r.id = o.runbook_id
     where r.number = $1 order by o.ordinal`,
    [number],
  );
  return rows.map(({ state }) => state);
}

test('a pull request is opened once even if the process dies, and a follow-up pushes to it', async () => {
  const places = ['github:after_push', 'github:after_open', 'runbook:opened'];
  const releases = places.map((place) => {
    const release = onFailpoint(place, async () => {
      release();
      await Promise.reject(new Error('the process died'));
    });
    return release;
  });
  const number = await begin('write a.txt one');
  await rest(number);
  for (const release of releases) release();
  expect(await leaves(number)).toEqual(['1.1 completed']);
  await continueRunbook(w.ctx, { number, prompt: 'write b.txt two' });
  await w.until(async () => (await leaves(number)).join() === '1.1 completed,2.1 completed');
  await rest(number);
  const [opened, ...others] = await atGitHub(`interlock/runbook-${number}`);
  expect(others).toEqual([]);
  expect(opened?.commits).toEqual(['write a.txt one', 'write b.txt two']);
  expect(await states(number)).toEqual(['1 open']);
});

test('a pull request that a person closes or merges at GitHub becomes closed or merged in the runbook', async () => {
  const [closed, merged] = [await begin('write c.txt one'), await begin('write d.txt one')];
  for (const number of [closed, merged]) await rest(number);
  const numberOf = async (runbook: number): Promise<number> =>
    (await atGitHub(`interlock/runbook-${runbook}`))[0]?.number ?? 0;
  await w.person.pulls.update({ ...w.place, pull_number: await numberOf(closed), state: 'closed' });
  await w.person.pulls.merge({ ...w.place, pull_number: await numberOf(merged) });
  await w.emulator.core.settled();
  await w.until(
    async () => (await states(closed)).join() === '1 closed' && (await states(merged)).join() === '1 merged',
  );
  expect([await states(closed), await states(merged)]).toEqual([['1 closed'], ['1 merged']]);
});

test("if a rule of GitHub refuses a branch, the step fails with GitHub's message, and a retry pushes after the rule is gone", async () => {
  const { data: rule } = await w.person.repos.createRepoRuleset({
    ...w.place,
    name: 'no robots',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['refs/heads/interlock/**'], exclude: [] } },
    rules: [{ type: 'creation' }],
  });
  const number = await begin('write e.txt one');
  await w.until(async () => (await leaves(number)).join().startsWith('1.1 failed'));
  expect((await leaves(number)).join()).toMatch(/^1\.1 failed: .*GH013: Repository rule violations found/s);
  await w.person.repos.deleteRepoRuleset({ ...w.place, ruleset_id: rule.id });
  await retryRunbook(w.ctx, { number });
  await w.until(async () => (await leaves(number)).join() === '1.1 completed');
  await rest(number);
  expect(await states(number)).toEqual(['1 open']);
});

test('if the App may not change a workflow, the step fails with the missing permission', async () => {
  const id = Number(w.emulator.installationId);
  const { permissions } = w.emulator.core.state.installations.must(id);
  const { workflows: _without, ...others } = permissions;
  w.emulator.controls.permit(id, others);
  await updateRunbookDefaults(w.ctx, { repository, workflowFiles: true });
  const number = await begin('write .github/workflows/new.yml on: push');
  await w.until(async () => (await leaves(number)).join().startsWith('1.1 failed'));
  expect((await leaves(number)).join()).toContain(
    'refusing to allow a GitHub App to create or update workflow `.github/workflows/new.yml` without `workflows` permission',
  );
  expect((await leaves(number)).join()).toContain('An owner must grant the App the permission "Workflows"');
  w.emulator.controls.permit(id, permissions);
});

test("every answer of the emulator agrees with GitHub's description of its API", () => {
  expect(w.emulator.core.mistakes).toEqual([]);
});
