// Questions about GitHub that its documentation does not answer. Interlock works with several answers. Each test
// records the answer of GitHub, and fails only if Interlock does not work with it. The answers are printed at the end.
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { commit, git } from '../hosts/commits.ts';
import { ciFiles, type EmptyRepository, type LiveWorld, openLiveWorld } from './live-world.ts';
import { readSettings } from './settings.ts';

interface Answer {
  readonly question: string;
  readonly answer: string;
  readonly details: string;
}

const answers: Answer[] = [];
let w: LiveWorld;
let given: EmptyRepository;
/** The first commit of `main`, and a later commit on `topic`. */
let base = '';
let head = '';

beforeAll(async () => {
  w = await openLiveWorld(readSettings(process.env));
});
beforeEach(async () => {
  given = await w.empty();
  base = await given.push({ branch: 'main', files: { 'a.txt': 'a\n' } });
  head = await given.push({ branch: 'topic', from: base, files: { 'b.txt': 'b\n' } });
});
afterAll(async () => {
  await w.close();
  console.log(answers.map(({ question, answer, details }) => `${question}\n  ${answer}  ${details}`).join('\n'));
  const file = process.env['GITHUB_TEST_ANSWERS'];
  if (file) writeFileSync(file, `${JSON.stringify(answers, null, 2)}\n`);
});

/** Records the answer of GitHub. `survived` lists every answer with which Interlock works. */
function expectAnswer(question: string, answer: string, survived: readonly string[], details = ''): void {
  answers.push({ question, answer, details });
  expect(survived, `${question} ${answer} ${details}`).toContain(answer);
}

async function openPull(headBranch: string, baseBranch: string): Promise<number> {
  const { data } = await w.person.pulls.create({ ...w.place, title: headBranch, head: headBranch, base: baseBranch });
  return data.number;
}

async function stateOf(number: number): Promise<'open' | 'closed' | 'merged'> {
  const { data } = await w.person.pulls.get({ ...w.place, pull_number: number });
  return data.merged ? 'merged' : data.state;
}

/** The state of a pull request after it has changed, or `open` after two minutes. */
async function becomes(number: number): Promise<'open' | 'closed' | 'merged'> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const state = await stateOf(number);
    if (state !== 'open') return state;
    await pause();
  }
  return 'open';
}

const maxAttempts = 24;
const pauseMs = Number(process.env['GITHUB_TEST_PAUSE_MS'] ?? 5_000);
const pause = async (): Promise<void> => await new Promise((resolve) => setTimeout(resolve, pauseMs));

async function protect(rules: readonly object[], bypasses: boolean, include = 'refs/heads/main'): Promise<number> {
  const { data: app } = await w.app.request('GET /app');
  const { data } = await w.person.repos.createRepoRuleset({
    ...w.place,
    name: `live-${Date.now()}`,
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: [include], exclude: [] } },
    rules: rules as { type: 'update' }[],
    bypass_actors: bypasses ? [{ actor_id: app?.id ?? 0, actor_type: 'Integration', bypass_mode: 'always' }] : [],
  });
  return data.id;
}

/** Moves a ref as the App does for a landing. */
async function land(to: string, ref = 'refs/heads/main', from: string | null = base): Promise<string> {
  return await w.host.updateRefs(given.repository, [{ ref, from, to }]).then(
    () => 'moved',
    (error: unknown) => (error instanceof Error ? error.message.slice(0, 300) : String(error)),
  );
}

test.each([true, false])('whether a ruleset says that the App bypasses it (it does: %s)', async (bypasses) => {
  const ruleset_id = await protect([{ type: 'update' }], bypasses);
  const { data } = await w.app.repos.getRepoRuleset({ ...w.place, ruleset_id });
  const said = data.current_user_can_bypass ?? 'nothing';
  // Interlock relies on this value. A wrong value would halt queues or block pull requests.
  expectAnswer(
    `What does a ruleset that the App ${bypasses ? 'bypasses' : 'does not bypass'} say of it?`,
    said,
    bypasses ? ['always', 'exempt', 'nothing'] : ['never', 'pull_requests_only', 'nothing'],
    `bypass_actors: ${data.bypass_actors === undefined ? 'hidden' : 'shown'}`,
  );
});

test('whether a bypass list lets the App land by a push', async () => {
  await protect([{ type: 'update' }, { type: 'required_linear_history' }], true);
  const done = await land(head);
  expectAnswer('Does an App on the bypass list push to the base?', done === 'moved' ? 'yes' : 'no', ['yes'], done);
});

test('whether required checks are judged on the pushed commit', async () => {
  const checks = { strict_required_status_checks_policy: false, required_status_checks: [{ context: 'live' }] };
  await protect([{ type: 'required_status_checks', parameters: checks }], false);
  const without = await land(head);
  await w.app.checks.create({ ...w.place, name: 'live', head_sha: head, status: 'completed', conclusion: 'success' });
  const withCheck = await land(head);
  const both = `${without === 'moved' ? 'moved' : 'refused'} without, ${withCheck === 'moved' ? 'moved' : 'refused'} with`;
  expectAnswer(
    'A push of a commit without and with its required check:',
    both,
    ['refused without, moved with'],
    without,
  );
});

test('whether refs of our own namespace are accepted, and a commit without a branch can be fetched by its id', async () => {
  const done = await land(head, 'refs/interlock/live/own', null);
  expectAnswer('Are refs below refs/interlock taken?', done === 'moved' ? 'yes' : 'no', ['yes'], done);
  const own = git(given.directory, 'rev-parse', 'refs/heads/topic');
  await w.host.updateRefs(given.repository, [{ ref: 'refs/heads/topic', from: own, to: null }]);
  await w.host.updateRefs(given.repository, [{ ref: 'refs/interlock/live/own', from: own, to: null }]);
  // A repository with another row has another mirror, which has never had the commit.
  const { repository } = await w.empty();
  const found = await w.host.readCommit(repository, own);
  expectAnswer('Is a commit without a ref fetched by its id?', found === null ? 'no' : 'yes', ['yes', 'no']);
});

test('what happens to a pull request whose base branch is deleted by a push', async () => {
  await given.push({ branch: 'stack', from: base, files: { 's.txt': 's\n' } });
  await given.push({ branch: 'upper', from: git(given.directory, 'rev-parse', 'stack'), files: { 'u.txt': 'u\n' } });
  const number = await openPull('upper', 'stack');
  await w.pushTo(given.directory, `${w.place.owner}/${w.place.repo}`, ':refs/heads/stack');
  const state = await becomes(number);
  const { data } = await w.person.pulls.get({ ...w.place, pull_number: number });
  // Interlock works with both answers, because it changes the base branch before it deletes a branch.
  expectAnswer('A pull request whose base is deleted by a push is', state, ['open', 'closed'], `base ${data.base.ref}`);
});

test('whether a pull request is shown as merged if its base contains its head', async () => {
  const number = await openPull('topic', 'main');
  const startedAt = Date.now();
  await w.host.updateRefs(given.repository, [{ ref: 'refs/heads/main', from: base, to: head }]);
  const state = await becomes(number);
  expectAnswer('A pull request whose head is pushed to its base is', state, ['merged'], `${Date.now() - startedAt} ms`);
});

test.each(['before', 'with'] as const)(
  'what a squashed pull request shows if its head is moved %s its base',
  async (when) => {
    const number = await openPull('topic', 'main');
    const squash = commit(given.directory, {
      branch: 'squash',
      from: base,
      files: { 'b.txt': 'b\n' },
      message: 'Squash',
    });
    await w.pushTo(given.directory, `${w.place.owner}/${w.place.repo}`, `${squash}:refs/heads/squash`);
    const moveHead = { ref: 'refs/heads/topic', from: head, to: squash };
    const moveBase = { ref: 'refs/heads/main', from: base, to: squash };
    if (when === 'with') await w.host.updateRefs(given.repository, [moveHead, moveBase]);
    else {
      await w.host.updateRefs(given.repository, [moveHead]);
      await pause();
      await w.host.updateRefs(given.repository, [moveBase]);
    }
    const state = await becomes(number);
    expectAnswer(`A squash whose head is moved ${when} its base is`, state, ['merged', 'closed', 'open']);
  },
);

test('whether a rerun of a check has a higher id', async () => {
  const bot = await given.push({ branch: 'mq-bot-live', from: base, files: ciFiles });
  const newest = async () => {
    const { data } = await w.person.checks.listForRef({ ...w.place, ref: bot, check_name: 'test', filter: 'all' });
    return data.check_runs.toSorted((one, other) => other.id - one.id)[0];
  };
  await expect.poll(async () => (await newest())?.status).toBeDefined();
  const first = await newest();
  await w.conclude({ commit: bot, conclusion: 'failure' });
  await expect.poll(async () => (await newest())?.conclusion).toBe('failure');
  expect(await w.host.rerunChecks(given.repository, bot, ['test'])).toEqual(['test']);
  await expect.poll(async () => (await newest())?.status).not.toBe('completed');
  const second = await newest();
  await w.conclude({ commit: bot, conclusion: 'success' });
  const order = (second?.id ?? 0) > (first?.id ?? 0) ? 'higher' : 'not higher';
  // Interlock takes the run with the highest id as the newest run of a suite.
  expectAnswer('The id of a rerun is', order, ['higher'], `${first?.id ?? 0}, ${second?.id ?? 0}`);
});

test('whether a commit with [skip ci] starts a workflow', async () => {
  const bot = await given.push({ branch: 'mq-bot-skip', from: base, files: ciFiles, message: 'Try [skip ci]' });
  for (let attempt = 0; attempt < 6; attempt += 1) await pause();
  const { data } = await w.person.actions.listWorkflowRunsForRepo({ ...w.place, head_sha: bot });
  const answer = data.total_count === 0 ? 'none' : 'some';
  expectAnswer('Runs of a commit that says [skip ci]:', answer, ['none', 'some']);
});

test('whether a dispatch returns its run', async () => {
  const answer = await w.app.request('POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches', {
    ...w.place,
    workflow_id: 'deploy.yml',
    ref: 'main',
    data: { ref: 'main', return_run_details: true },
  });
  const { status } = answer as { status: number };
  expectAnswer('A dispatch answers', String(status), ['200', '204']);
});

test('what GraphQL returns for rules and reviews', async () => {
  await protect([{ type: 'required_linear_history' }], false);
  const number = await openPull('topic', 'main');
  const asked = `query ($owner: String!, $repo: String!, $number: Int!) { repository(owner: $owner, name: $repo) {
    ref(qualifiedName: "refs/heads/main") { refUpdateRule { requiresLinearHistory viewerCanPush } }
    pullRequest(number: $number) { reviewDecision isDraft } } }`;
  const { repository } = await w.app.graphql<{
    repository: {
      ref: { refUpdateRule: { requiresLinearHistory: boolean } | null };
      pullRequest: { reviewDecision: string | null };
    };
  }>(asked, { ...w.place, number });
  const rule = repository.ref.refUpdateRule;
  const counts = rule === null ? 'null' : rule.requiresLinearHistory ? 'counts rulesets' : 'leaves rulesets out';
  expectAnswer('refUpdateRule of a branch with a ruleset', counts, ['null', 'counts rulesets', 'leaves rulesets out']);
  const decision = repository.pullRequest.reviewDecision ?? 'null';
  // Interlock needs one of these answers. Otherwise a pull request would never enter the line if the configuration
  // names no number of approvals.
  expectAnswer('reviewDecision where no rule demands a review', decision, ['null', 'APPROVED']);
  const required = {
    required_approving_review_count: 1,
    dismiss_stale_reviews_on_push: false,
    require_code_owner_review: false,
    require_last_push_approval: false,
    required_review_thread_resolution: false,
  };
  await protect([{ type: 'pull_request', parameters: required }], true);
  const seen = await w.host.getPullRequest(given.repository, number);
  expectAnswer(
    'Does the App see that a review is missing which a ruleset demands that the App bypasses?',
    seen?.requiredReviewMissing ? 'yes' : 'no',
    ['yes'],
  );
});

test('whether the repository supports drafts', async () => {
  const opened = await w.host.openPullRequest(given.repository, {
    title: 'Draft',
    body: '',
    author: 'ada',
    headBranch: 'topic',
    baseBranch: 'main',
    draft: true,
  });
  expectAnswer('A pull request that is asked for as a draft is', opened.draft ? 'a draft' : 'none', [
    'a draft',
    'none',
  ]);
});
