// Interlock asks GitHub to redeliver webhooks that were not delivered. One process asks, and each webhook has one
// effect.
import { Octokit } from '@octokit/rest';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { redeliverMissing } from '../../../src/modules/github/index.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { appWorld, type AppWorld } from './app-world.ts';

let w: AppWorld;
let person: Octokit;
/** Commits without any status yet. */
const commits: string[] = [];

beforeAll(async () => {
  w = await appWorld();
  await w.emulator.addRepository('shop');
  person = new Octokit({ baseUrl: w.emulator.apiUrl, auth: w.emulator.token });
  for (let made = 0; made < 8; made += 1) {
    const file = { path: `file-${made}`, message: 'Add a file', content: '' };
    const { data } = await person.repos.createOrUpdateFileContents({ ...place(), ...file });
    commits.push(data.commit.sha ?? '');
  }
  await w.addFirstApp();
  await w.activate('shop');
});
afterAll(async () => await w.close());
beforeEach(async () => {
  await w.emulator.core.settled();
  await w.rows('delete from host_hint');
  await w.rows('update github_app set redelivery_due_at = null, deliveries_checked_until = now()');
});
afterEach(async () => await w.emulator.controls.clear());

/** Removes and returns the hints so far. Hints about checks wait a second before they are handled. */
async function takeHints(): Promise<string[]> {
  await w.emulator.core.settled();
  const taken = await w.rows<{ subject: string }>("delete from host_hint where kind = 'checks' returning subject");
  return taken.map(({ subject }) => nameOf.get(subject) ?? subject).toSorted();
}

function place(): { readonly owner: string; readonly repo: string } {
  return { owner: w.emulator.owner, repo: 'shop' };
}

const nameOf = new Map<string, string>();

/** CI reports a status for each name, each on a commit of its own. GitHub sends a webhook about each. */
async function report(...names: string[]): Promise<void> {
  for (const name of names) {
    const sha = commits.pop() ?? '';
    nameOf.set(sha, name);
    await person.repos.createCommitStatus({ ...place(), sha, context: 'ci', state: 'success' });
  }
  await w.emulator.core.settled();
}

async function redeliver(): Promise<void> {
  await redeliverMissing(w.ctx, w.secrets);
}

/** How many redeliveries GitHub was asked for. */
function countRedeliveries(): number {
  return w.emulator.core.state.deliveries.filter(({ isRedelivery }) => isRedelivery).length;
}

test('one comparison recovers every lost webhook, and each has one effect', async () => {
  await report('arrives');
  w.emulator.controls.webhooks({ drop: 1 });
  await report('lost-1', 'lost-2', 'lost-3');
  expect(await takeHints()).toEqual(['arrives']);
  await w.emulator.controls.clear();
  w.later(2);
  await redeliver();
  expect(await takeHints()).toEqual(['lost-1', 'lost-2', 'lost-3']);
  const asked = countRedeliveries();
  w.later(6);
  await redeliver();
  expect([await takeHints(), countRedeliveries()]).toEqual([[], asked]);
});

test('processes that compare at once ask for one redelivery', async () => {
  w.emulator.controls.webhooks({ drop: 1 });
  await report('shared');
  await w.emulator.controls.clear();
  w.later(2);
  const before = countRedeliveries();
  await Promise.all([redeliver(), redeliver(), redeliver()]);
  expect([await takeHints(), countRedeliveries() - before]).toEqual([['shared'], 1]);
});

test('a stored delivery whose answer was lost is not asked for again', async () => {
  const release = onFailpoint('delivery:after_store', async () => await Promise.reject(new Error('the process died')));
  await report('known');
  release();
  expect(await takeHints()).toEqual(['known']);
  w.later(2);
  const before = countRedeliveries();
  await redeliver();
  expect(countRedeliveries() - before).toBe(0);
});

test('if GitHub refuses a comparison, the next one recovers its webhooks', async () => {
  w.emulator.controls.webhooks({ drop: 1 });
  await report('later');
  await w.emulator.controls.clear();
  w.later(2);
  // One comparison tries a page three times.
  w.emulator.controls.fail({ operation: 'GET /app/hook/deliveries', times: 3 });
  await redeliver();
  expect(await takeHints()).toEqual([]);
  await redeliver();
  expect(await takeHints()).toEqual([]);
  w.later(5);
  await redeliver();
  expect(await takeHints()).toEqual(['later']);
});

test('redeliveries leave the last third of the points of an hour to more important calls', async () => {
  w.emulator.controls.webhooks({ drop: 1 });
  await report('saved');
  await w.emulator.controls.clear();
  w.later(2);
  const hour = new Date(w.ctx.clock().getTime() + 3_600_000).toISOString();
  await w.rows(
    `update host_budget set rest_limit = 5000, rest_left = 1000, rest_resets_at = $1 where installation_id like 'app %'`,
    [hour],
  );
  const before = countRedeliveries();
  await redeliver();
  expect(countRedeliveries() - before).toBe(0);
  await w.rows("delete from host_budget where installation_id like 'app %'");
});

test.each([
  { name: 'an outage of more than an hour', noted: "deliveries_checked_until = now() - interval '61 minutes'" },
  {
    name: 'a clock that was a day ahead',
    noted: "deliveries_checked_until = now() + interval '1 day', redelivery_due_at = now() + interval '1 day'",
  },
])('after $name the repositories are compared with GitHub instead', async ({ noted }) => {
  await w.rows('delete from host_comparison');
  await w.rows('update github_installation set sync_at = null');
  await w.rows(
    'insert into host_comparison (account_id, repository_id, due_at) select account_id, id, $1 from repository',
    [new Date(Date.now() + 86_400_000)],
  );
  await w.rows(`update github_app set ${noted}`);
  const before = countRedeliveries();
  await redeliver();
  const due = await w.rows('select 1 from host_comparison where due_at <= $1', [w.ctx.clock()]);
  const listed = await w.rows('select 1 from github_installation where sync_at <= $1', [w.ctx.clock()]);
  expect([due.length, listed.length, countRedeliveries() - before]).toEqual([1, 1, 0]);
  // The comparison of repositories costs more, so the next comparison of deliveries comes later.
  const soon = await w.rows('select 1 from github_app where redelivery_due_at < $1', [
    new Date(w.ctx.clock().getTime() + 4 * 60_000),
  ]);
  expect(soon).toEqual([]);
});
