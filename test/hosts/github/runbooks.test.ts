// Runbooks whose pull requests are at GitHub: branches are pushed, each pull request is opened once even if the process
// dies, follow-ups are pushed on top, changes of people are noticed, refusals are shown with the message of GitHub, and
// the commit of a worker whose disk is lost before the push is pushed by another worker or made again.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { continueRunbook, createRunbook, retryRunbook } from '../../../src/modules/runbooks/index.ts';
import { updateRunbookDefaults } from '../../../src/modules/runbooks/defaults.service.ts';
import { mirrorDirectory, removeMirror } from '../../../src/hosts/github/mirror-clone.ts';
import { HostUnavailable } from '../../../src/hosts/port.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { runbookDrivingOf } from '../../support/runbook-agent.ts';
import { queueWorld, type QueueWorld } from './queue-world.ts';

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

async function begin(prompt: string): Promise<number> {
  return await createRunbook(w.ctx, { repository, prompt });
}

/** A text such as `1.1 completed` for each leaf. A failed leaf also has its error message. */
async function leaves(number: number): Promise<string[]> {
  const rows = await w.rows<{ leaf: string; message: string | null }>(
    `select s.number || ' ' || s.status as leaf, s.error_message as message
     from runbook_step s join runbook r on r.id = s.runbook_id where r.number = $1 and s.status is not null order by s.position`,
    [number],
  );
  return rows.map(({ leaf, message }) => (message === null ? leaf : `${leaf}: ${message}`));
}

/** Waits until the runbook has no work left. */
async function rest(number: number): Promise<void> {
  await w.until(async () => {
    const [row] = await w.rows<{ next_look_at: Date | null }>('select next_look_at from runbook where number = $1', [
      number,
    ]);
    return row?.next_look_at === null;
  });
}

/** A text such as `1 open` for each pull request of the runbook. */
async function states(number: number): Promise<string[]> {
  const rows = await w.rows<{ state: string }>(
    `select o.ordinal || ' ' || o.state as state from runbook_pull_request o join runbook r on r.id = o.runbook_id
     where r.number = $1 order by o.ordinal`,
    [number],
  );
  return rows.map(({ state }) => state);
}

async function atGitHub(branch: string): Promise<{ number: number; title: string; commits: string[] }[]> {
  const { data } = await w.person.pulls.list({ ...w.place, state: 'all', head: `${w.place.owner}:${branch}` });
  return await Promise.all(
    data.map(async ({ number, title }) => {
      const { data: commits } = await w.person.pulls.listCommits({ ...w.place, pull_number: number });
      return { number, title, commits: commits.map(({ commit }) => commit.message.split('\n')[0] ?? '') };
    }),
  );
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

/** The refs at GitHub that keep commits of leaves until the commits are on their branches. */
async function keptRefs(): Promise<string[]> {
  const refs = await w.service.ports.hosts('github').listRefs(w.repository, 'refs/interlock/runbooks/');
  return refs.map(({ ref }) => ref);
}

/** How often the agent has begun to work on leaves of the runbook. */
async function begins(number: number): Promise<number> {
  const rows = await w.rows<{ text: string }>(
    'select l.text from runbook_log l join runbook r on r.id = l.runbook_id where r.number = $1 order by l.id',
    [number],
  );
  return (
    rows
      .map(({ text }) => text)
      .join('')
      .split('I am to ').length - 1
  );
}

/**
 * The disk of the worker is lost after the agent's work has been recorded, `times` times. `isKept`: whether GitHub could
 * be reached before, so that it keeps the commit.
 */
function loseDisk(times: number, { isKept }: { readonly isKept: boolean }): () => void {
  let left = times;
  let isAway = false;
  const releases = [
    onFailpoint('runbook:worked', async () => {
      isAway = left > 0 && !isKept;
      await Promise.resolve();
    }),
    onFailpoint('github:before_push', async () => {
      if (isAway) throw new HostUnavailable('GitHub does not answer.');
      await Promise.resolve();
    }),
    onFailpoint('runbook:after_leaf_written', async () => {
      isAway = false;
      if (left === 0) return;
      left -= 1;
      expect(await keptRefs()).toHaveLength(isKept ? 1 : 0);
      await removeMirror(mirrorDirectory(w.engine.dataDir, w.repository));
    }),
  ];
  return () => {
    for (const release of releases) release();
  };
}

test('a commit whose worker is lost with its disk before the push is pushed by another worker', async () => {
  const release = loseDisk(1, { isKept: true });
  const number = await begin('write f.txt one');
  await w.until(async () => (await leaves(number)).join() === '1.1 completed');
  release();
  expect(await begins(number)).toBe(1);
  const [opened] = await atGitHub(`interlock/runbook-${number}`);
  expect(opened?.commits).toEqual(['write f.txt one']);
  expect(await keptRefs()).toEqual([]);
});

/** Lets ten minutes pass for a commit that no worker and no host had so far. Returns whether such a commit exists. */
async function passMissing(): Promise<boolean> {
  const rows = await w.rows(
    `update runbook set failing_since = failing_since - interval '10 minutes'
     where problem like 'Neither this worker nor the code host has the commit %' returning 1`,
  );
  return rows.length > 0;
}

test('a step whose commit is lost everywhere is worked on again', async () => {
  const release = loseDisk(1, { isKept: false });
  const number = await begin('write g.txt one');
  await w.until(passMissing);
  await w.until(async () => (await leaves(number)).join() === '1.1 completed');
  release();
  expect(await begins(number)).toBe(2);
  const [opened] = await atGitHub(`interlock/runbook-${number}`);
  expect(opened?.commits).toEqual(['write g.txt one']);
});

test('a step whose commit is lost twice fails with the reason, and a retry works on it again', async () => {
  const release = loseDisk(2, { isKept: false });
  const number = await begin('write h.txt one');
  await w.until(async () => {
    await passMissing();
    return (await leaves(number)).join().startsWith('1.1 failed');
  });
  release();
  expect(await leaves(number)).toEqual([
    '1.1 failed: The commit of this step was lost with the worker that had made it, before it was pushed. Retry the step. The agent then does the step again.',
  ]);
  await retryRunbook(w.ctx, { number });
  await w.until(async () => (await leaves(number)).join() === '1.1 completed');
  expect(await begins(number)).toBe(3);
});

test("every answer of the emulator agrees with GitHub's description of its API", () => {
  expect(w.emulator.core.mistakes).toEqual([]);
});
