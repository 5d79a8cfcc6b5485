// If a base branch refuses pushes, the queue says so before it tries to land: which rule refuses, and where to change
// it.
import { Octokit } from '@octokit/rest';
import { expect, test } from 'vitest';
import { explainAll } from '../../../src/modules/queue/api/explain.reads.ts';
import { onFailpoint } from '../../../src/platform/failpoints.ts';
import { parallel } from '../../support/world.ts';
import { type QueueWorld, queueWorld, requiresTest } from './queue-world.ts';

test('the explanation and the comment name the rule with a link, and no landing is tried', async () => {
  await using w = await queueWorld();
  const { data } = await w.person.repos.createRepoRuleset({
    ...w.place,
    name: 'strict',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [{ type: 'update' }, { type: 'required_signatures' }],
  });
  const number = await w.open('one', { one: '1\n' });
  await w.label(number);
  const comments = async (): Promise<string> => {
    const { data: all } = await w.person.issues.listComments({ ...w.place, issue_number: number });
    return all.map(({ body }) => body).join('\n');
  };
  const message = `The code host takes no landing on main. The rules "Require signed commits" and "Restrict updates" of the ruleset strict refuse landings on main. Commits of Interlock are not signed, because COMMIT_SIGNING_KEY is not set. Add interlock to the bypass list of the ruleset strict, mode always. ${w.emulator.webUrl}/${w.place.owner}/${w.place.repo}/rules/${data.id}`;
  await w.until(async () => (await comments()).includes(message));
  const [row] = await w.rows<{ id: string; createdAt: Date }>(
    'select id, created_at as "createdAt" from pull_request where number = $1',
    [number],
  );
  const explained = await w.ctx.db.transaction(
    w.ctx.accountId,
    async (tx) => await explainAll(w.ctx, tx, { pullRequests: [row!], asOf: null, isBrief: true }),
  );
  expect(explained.get(row!.id)).toMatchObject({ kind: 'halted', sentence: `The queue is halted: ${message}` });
  expect(await w.rows("select 1 from intent where kind = 'land'")).toEqual([]);
  expect(w.emulator.core.mistakes).toEqual([]);
});

test('changed rules at GitHub apply at once, on each base branch', async () => {
  await using w = await queueWorld({ configuration: `base_branches: [main, release]\n${parallel()}${requiresTest}` });
  await w.push('release', { release: '1\n' });
  await w.emulator.core.settled();
  const { data: ruleset } = await w.person.repos.createRepoRuleset({
    ...w.place,
    name: 'strict',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['refs/heads/main', 'refs/heads/release'], exclude: [] } },
    rules: [{ type: 'update' }],
  });
  await w.push('two', { two: '2\n' });
  const one = await w.open('one', { one: '1\n' });
  const { data: two } = await w.person.pulls.create({ ...w.place, title: 'Add two', head: 'two', base: 'release' });
  await w.label(one, two.number);
  const refused = async (): Promise<string[]> => {
    const rows = await w.rows<{ branch: string }>(
      "select base_branch as branch from queue where host_rules ->> 'push' = 'refused' order by base_branch",
    );
    return rows.map(({ branch }) => branch);
  };
  await w.until(async () => (await refused()).length === 2);
  await w.person.repos.deleteRepoRuleset({ ...w.place, ruleset_id: ruleset.id });
  expect(await w.settled(one, two.number)).toEqual({ [one]: 'merged', [two.number]: 'merged' });
  expect(await refused()).toEqual([]);
  expect(w.emulator.core.mistakes).toEqual([]);
});

test('a check that a ruleset requires is awaited, although the configuration does not name it', async () => {
  await using w = await queueWorld();
  await w.person.repos.createRepoRuleset({
    ...w.place,
    name: 'built',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [
      {
        type: 'required_status_checks',
        parameters: { strict_required_status_checks_policy: false, required_status_checks: [{ context: 'build' }] },
      },
    ],
  });
  const number = await w.open('one', { one: '1\n' });
  await w.label(number);
  const branch = async (): Promise<string | undefined> => {
    const { data } = await w.person.git.listMatchingRefs({ ...w.place, ref: 'heads/mq-bot-' });
    return data[0]?.object.sha;
  };
  await w.until(async () => (await branch()) !== undefined);
  // An external CI would report this status.
  await w.person.repos.createCommitStatus({
    ...w.place,
    sha: (await branch()) ?? '',
    context: 'build',
    state: 'success',
  });
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  expect(w.emulator.core.mistakes).toEqual([]);
});

test('a review that a ruleset requires is awaited, although the App may bypass the ruleset', async () => {
  await using w = await queueWorld();
  const required = {
    required_approving_review_count: 1,
    dismiss_stale_reviews_on_push: false,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_review_thread_resolution: false,
  };
  await w.person.repos.createRepoRuleset({
    ...w.place,
    name: 'reviewed',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [{ type: 'pull_request', parameters: required }],
    bypass_actors: [{ actor_id: Number(w.emulator.appId), actor_type: 'Integration', bypass_mode: 'always' }],
  });
  const number = await w.open('one', { one: '1\n' });
  await w.label(number);
  const status = async () =>
    await w.rows('select status, status_code, status_text from pull_request where number = $1', [number]);
  await w.until(async () => JSON.stringify(await status()).includes('pending'));
  expect(await status()).toEqual([
    {
      status: 'pending',
      status_code: 101,
      status_text: 'The rules of the code host demand a review that is missing.',
    },
  ]);
  const { token } = w.emulator.addPerson('mona', 'admin');
  const reviewer = new Octokit({ baseUrl: w.emulator.apiUrl, auth: token });
  await reviewer.pulls.createReview({ ...w.place, pull_number: number, event: 'APPROVE' });
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  expect(w.emulator.core.mistakes).toEqual([]);
});

/** Makes a ruleset of which no webhook tells, after Interlock has read the rules of main. */
async function makeQuietRuleset(w: QueueWorld, rules: readonly object[]): Promise<number> {
  await w.until(async () => (await w.rows('select 1 from queue where host_rules_until is not null')).length > 0);
  return await makeUnreportedRuleset(w, rules);
}

async function makeUnreportedRuleset(w: QueueWorld, rules: readonly object[]): Promise<number> {
  w.emulator.controls.webhooks({ drop: 1 });
  const { data } = await w.person.request('POST /repos/{owner}/{repo}/rulesets', {
    ...w.place,
    name: 'sudden',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: rules as [],
  });
  await w.emulator.core.settled();
  w.emulator.controls.webhooks({ drop: 0 });
  return data.id;
}

async function statusOf(w: QueueWorld, number: number): Promise<string | undefined> {
  const [row] = await w.rows<{ status: string }>('select status from pull_request where number = $1', [number]);
  return row?.status;
}

test('a rule that appears while a landing is under way holds the queue, and pull requests land after its end', async () => {
  await using w = await queueWorld();
  const [one, two] = [await w.open('one', { one: '1\n' }), await w.open('two', { two: '2\n' })];
  const id = await makeQuietRuleset(w, [{ type: 'update' }]);
  await w.label(one, two);
  await w.until(async () => (await w.rows("select 1 from intent where kind = 'land' and state = 'failed'")).length > 0);
  const held = "select host_rules ->> 'why' as why from queue where host_rules ->> 'push' = 'refused'";
  await w.until(async () => (await w.rows(held)).length > 0);
  expect([await statusOf(w, one), await statusOf(w, two)]).not.toContain('blocked');
  await w.person.repos.deleteRepoRuleset({ ...w.place, ruleset_id: id });
  expect(await w.settled(one, two)).toEqual({ [one]: 'merged', [two]: 'merged' });
  expect(w.emulator.core.mistakes).toEqual([]);
});

test('a check that is required while a landing is under way is awaited', async () => {
  await using w = await queueWorld();
  const number = await w.open('one', { one: '1\n' });
  const required_status_checks = [{ context: 'build' }];
  await makeQuietRuleset(w, [
    {
      type: 'required_status_checks',
      parameters: { strict_required_status_checks_policy: false, required_status_checks },
    },
  ]);
  await w.label(number);
  await w.until(async () => (await w.rows("select 1 from intent where kind = 'land' and state = 'failed'")).length > 0);
  await w.until(async () => (await w.rows("select 1 from queue where host_rules ->> 'push' = 'checked'")).length > 0);
  await w.until(async () => {
    const { data } = await w.person.git.listMatchingRefs({ ...w.place, ref: 'heads/mq-bot-' });
    const reports = data.map(
      async ({ object }) =>
        await w.person.repos.createCommitStatus({ ...w.place, sha: object.sha, context: 'build', state: 'success' }),
    );
    await Promise.all(reports);
    return ['merged', 'blocked'].includes((await statusOf(w, number)) ?? '');
  });
  expect(await statusOf(w, number)).toBe('merged');
  expect(w.emulator.core.mistakes).toEqual([]);
});

test('a refusal of every landing by a rule that GitHub does not show halts the queue until the rules change', async () => {
  await using w = await queueWorld();
  // GitHub does not say whether the App may bypass the ruleset.
  w.emulator.controls.fail({ operation: 'GET /repos/{owner}/{repo}/rulesets/{ruleset_id}', status: 404 });
  const { data } = await w.person.repos.createRepoRuleset({
    ...w.place,
    name: 'hidden',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [{ type: 'update' }],
  });
  const [one, two] = [await w.open('one', { one: '1\n' }), await w.open('two', { two: '2\n' })];
  await w.label(one, two);
  const reason = async (): Promise<string> => {
    const [queue] = await w.rows<{ reason: string | null }>('select halted_reason as reason from queue');
    return queue?.reason ?? '';
  };
  const isOver = async (): Promise<boolean> => (await statusOf(w, one)) === 'blocked' || (await reason()) !== '';
  await w.until(isOver);
  expect(await reason()).toMatch(
    /^The code host refuses every landing on main: .*Cannot update this protected ref.*Add interlock to the bypass list of the ruleset \d+, mode always\. http/,
  );
  expect([await statusOf(w, one), await statusOf(w, two)]).not.toContain('blocked');
  await w.person.repos.deleteRepoRuleset({ ...w.place, ruleset_id: data.id });
  expect(await w.settled(one, two)).toEqual({ [one]: 'merged', [two]: 'merged' });
  expect(await reason()).toBe('');
  expect(w.emulator.core.mistakes).toEqual([]);
});

test('a rule that refuses a landing and is gone before the landing is recorded does not halt the queue', async () => {
  await using w = await queueWorld();
  const number = await w.open('one', { one: '1\n' });
  let id = 0;
  const appear = onFailpoint('landing:before_move', async () => {
    appear();
    id = await makeUnreportedRuleset(w, [{ type: 'update' }]);
  });
  let hints: unknown;
  const go = onFailpoint('landing:after_host', async () => {
    go();
    await w.person.repos.deleteRepoRuleset({ ...w.place, ruleset_id: id });
    await w.emulator.core.settled();
    await w.service.drain();
    hints = await w.rows("select kind from host_hint where kind = 'rules'");
  });
  await w.label(number);
  await w.until(async () => (await statusOf(w, number)) === 'merged' || (await isHalted(w)));
  expect(await w.rows('select halted_reason from queue where halted_reason is not null')).toEqual([]);
  expect(hints).toEqual([]);
  expect(await statusOf(w, number)).toBe('merged');
  const [failed] = await w.rows("select outcome ->> 'reason' as reason from intent where kind = 'land' order by id");
  expect(failed).toEqual({ reason: expect.stringContaining('Cannot update this protected ref') });
  expect(w.emulator.core.mistakes).toEqual([]);
});

async function isHalted(w: QueueWorld): Promise<boolean> {
  return (await w.rows('select 1 from queue where halted_reason is not null')).length > 0;
}

test('a refusal of every landing is recorded although the rules cannot be read after it', async () => {
  await using w = await queueWorld();
  const number = await w.open('one', { one: '1\n' });
  const id = await makeQuietRuleset(w, [{ type: 'update' }]);
  w.emulator.controls.fail({ operation: 'GET /repos/{owner}/{repo}/rules/branches/{branch}', status: 503 });
  await w.label(number);
  const landings = "select outcome ->> 'reason' as reason from intent where kind = 'land' and state = 'failed'";
  await w.until(async () => (await w.rows(landings)).length > 0);
  expect(await w.rows(landings)).toEqual([{ reason: expect.stringContaining('Cannot update this protected ref') }]);
  expect(await w.rows('select halted_reason as reason from queue')).toEqual([
    { reason: expect.stringMatching(/^The code host refuses every landing on main: /) },
  ]);
  expect(await statusOf(w, number)).not.toBe('blocked');
  await w.emulator.controls.clear();
  await w.person.repos.deleteRepoRuleset({ ...w.place, ruleset_id: id });
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  expect(w.emulator.core.mistakes).toEqual([]);
});

test('pull requests land on a base branch that has moved, while the rules of GitHub cannot be read', async () => {
  await using w = await queueWorld();
  const number = await w.open('one', { one: '1\n' });
  await w.until(async () => (await w.rows('select 1 from queue where host_rules_until is not null')).length > 0);
  w.emulator.controls.fail({ operation: 'GET /repos/{owner}/{repo}/rules/branches/{branch}', status: 503 });
  await w.rows('update queue set host_rules_until = null');
  const moved = await w.push('main', { other: '1\n' });
  const hasTip = async (): Promise<boolean> =>
    (await w.rows('select 1 from queue where base_tip = $1', [moved])).length > 0;
  await w.until(hasTip);
  await w.label(number);
  expect(await w.settled(number)).toEqual({ [number]: 'merged' });
  const unread = 'select 1 from queue where host_rules_until is null';
  expect(await w.rows(unread)).toHaveLength(1);
  await w.emulator.controls.clear();
  await w.push('main', { another: '1\n' });
  await w.until(async () => (await w.rows(unread)).length === 0);
  expect(w.emulator.core.mistakes).toEqual([]);
});
