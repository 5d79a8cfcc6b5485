// A commit of a runbook whose worker is lost with its disk before the push. Each worker has its own mirrors. GitHub
// keeps the commit if it can be reached, and another worker pushes it. Otherwise the push waits ten minutes for a worker
// that has the commit, and then the agent works on the step again, once.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { retryRunbook } from '../../../src/modules/runbooks/index.ts';
import { mirrorDirectory, removeMirror } from '../../../src/hosts/github/mirror-clone.ts';
import { HostUnavailable } from '../../../src/hosts/port.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { runbookDrivingOf } from '../../support/runbook-agent.ts';
import { git } from '../commits.ts';
import { queueWorld, type QueueWorld } from './queue-world.ts';
import { runbooksAtGitHub, type RunbooksAtGitHub } from './runbooks-at-github.ts';

let w: QueueWorld;
let r: RunbooksAtGitHub;

beforeAll(async () => {
  w = await queueWorld({ mirrors: { keepsAtGitHub: true, maxBytes: null } });
  w.loop.runbooks.driving = runbookDrivingOf(null);
  r = runbooksAtGitHub(w);
});
afterAll(async () => {
  await w.loop.runbooks.ended();
  await w[Symbol.asyncDispose]();
});

const mirror = (): string => mirrorDirectory(w.engine.dataDir, w.repository);

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
 * be reached before, so that it keeps the commit. `before` runs before the disk is lost.
 */
function loseDisk(
  times: number,
  { isKept, before }: { readonly isKept: boolean; readonly before?: () => Promise<void> },
): () => void {
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
      await before?.();
      await removeMirror(mirror());
    }),
  ];
  return () => {
    for (const release of releases) release();
  };
}

test('a commit whose worker is lost with its disk before the push is pushed by another worker', async () => {
  const release = loseDisk(1, { isKept: true });
  const number = await r.begin('write f.txt one');
  await w.until(async () => (await r.leaves(number)).join() === '1.1 completed');
  release();
  expect(await begins(number)).toBe(1);
  const [opened] = await r.atGitHub(`interlock/runbook-${number}`);
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

test('a commit that neither GitHub nor this worker has is pushed when the worker that has it is back', async () => {
  const other = join(w.engine.dataDir, 'other.git');
  let commit = '';
  const release = loseDisk(1, {
    isKept: false,
    // Another worker has the commit. GitHub failed for hours before, which does not count.
    async before() {
      const [made] = await w.rows<{ commit: string }>("select commit from runbook_commit where state = 'made'");
      commit = made?.commit ?? '';
      git(w.engine.dataDir, 'init', '--quiet', '--bare', other);
      git(other, 'fetch', '--quiet', mirror(), `${commit}:refs/heads/made`);
      await w.rows(
        `update runbook set failing_since = now() - interval '2 hours'
         where id = (select runbook_id from runbook_commit where state = 'made')`,
      );
    },
  });
  const number = await r.begin('write i.txt one');
  await w.until(async () => {
    const [row] = await w.rows<{ problem: string | null }>('select problem from runbook where number = $1', [number]);
    return row?.problem?.startsWith(`Neither this worker nor the code host has the commit ${commit}`) ?? false;
  });
  release();
  expect(await r.leaves(number)).toEqual(['1.1 in_progress']);
  await w.until(async () => await Promise.resolve(existsSync(join(mirror(), 'HEAD'))));
  git(mirror(), 'fetch', '--quiet', other, 'refs/heads/made');
  await w.until(async () => (await r.leaves(number)).join() === '1.1 completed');
  await r.rest(number);
  expect(await begins(number)).toBe(1);
  const [opened] = await r.atGitHub(`interlock/runbook-${number}`);
  expect(opened?.commits).toEqual(['write i.txt one']);
});

test('a step whose commit is lost everywhere is worked on again', async () => {
  const release = loseDisk(1, { isKept: false });
  const number = await r.begin('write g.txt one');
  await w.until(passMissing);
  await w.until(async () => (await r.leaves(number)).join() === '1.1 completed');
  release();
  expect(await begins(number)).toBe(2);
  const [opened] = await r.atGitHub(`interlock/runbook-${number}`);
  expect(opened?.commits).toEqual(['write g.txt one']);
});

test('a step whose commit is lost twice fails with the reason, and a retry works on it again', async () => {
  const release = loseDisk(2, { isKept: false });
  const number = await r.begin('write h.txt one');
  await w.until(async () => {
    await passMissing();
    return (await r.leaves(number)).join().startsWith('1.1 failed');
  });
  release();
  expect(await r.leaves(number)).toEqual([
    '1.1 failed: The commit of this step was lost with the worker that had made it, before it was pushed. Retry the step. The agent then does the step again.',
  ]);
  await retryRunbook(w.ctx, { number });
  await w.until(async () => (await r.leaves(number)).join() === '1.1 completed');
  expect(await begins(number)).toBe(3);
});

test('a step whose earlier commit conflicted is worked on again when its commit is lost for the first time', async () => {
  const main = await w.person.git.getRef({ ...w.place, ref: 'heads/main' });
  // A person pushes to the branch of the runbook before its commit is pushed.
  const pushes = onFailpoint('runbook:after_leaf_written', async () => {
    pushes();
    const [runbook] = await w.rows<{ number: number }>('select max(number) as number from runbook');
    const branch = `interlock/runbook-${runbook?.number}`;
    await w.person.git.createRef({ ...w.place, ref: `refs/heads/${branch}`, sha: main.data.object.sha });
    const content = Buffer.from('two').toString('base64');
    await w.person.repos.createOrUpdateFileContents({ ...w.place, branch, path: 'j.txt', content, message: 'mine' });
  });
  const number = await r.begin('write j.txt one');
  await w.until(async () => (await r.leaves(number)).join().startsWith('1.1 failed'));
  pushes();
  expect((await r.leaves(number)).join()).toContain('conflict with that push in j.txt');
  const release = loseDisk(1, { isKept: false });
  await retryRunbook(w.ctx, { number });
  await w.until(passMissing);
  await w.until(async () => /completed|failed/.test((await r.leaves(number)).join()));
  release();
  expect(await r.leaves(number)).toEqual(['1.1 completed']);
  expect(await begins(number)).toBe(3);
});

test("every answer of the emulator agrees with GitHub's description of its API", () => {
  expect(w.emulator.core.mistakes).toEqual([]);
});
