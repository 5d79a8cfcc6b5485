// The emulator compares every webhook that it sends with GitHub's description, and records a difference as a mistake.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dismissReview, setThreadResolved, threadsOf } from '../../github-emulator/pulls/conversations.ts';
import { emulatorWorld, type EmulatorWorld } from './emulator-world.ts';

let w: EmulatorWorld;
beforeAll(async () => void (w = await emulatorWorld({ webhookUrl: 'http://127.0.0.1:9/unreachable' })));
afterAll(async () => await w[Symbol.asyncDispose]());

it('webhooks about a repository and its pull requests are as GitHub describes them', async () => {
  const { person, place, emulator } = w;
  const { core } = emulator;
  const { number } = await w.open('told', { 'told.txt': 'told\n' });
  const pull_number = number;
  const ann = w.octokitOf(emulator.addPerson('ann', 'member').token);
  await person.repos.addCollaborator({ ...place, username: 'ann', permission: 'push' });
  await person.pulls.requestReviewers({ ...place, pull_number, reviewers: ['ann'] });
  await ann.pulls.createReviewComment({
    ...place,
    pull_number,
    body: 'why?',
    path: 'told.txt',
    line: 1,
    commit_id: 'x',
  });
  const { data: review } = await ann.pulls.createReview({ ...place, pull_number, event: 'APPROVE' });
  await person.pulls.dismissReview({ ...place, pull_number, review_id: review.id, message: 'no' });
  const pull = core.state.pullRequests.find((each) => each.number === number)!;
  const repository = core.state.repositories.must(pull.repositoryId);
  const sender = core.state.accounts.must(pull.authorId);
  for (const isResolved of [true, false])
    setThreadResolved(core, { repository, pull, sender }, { thread: threadsOf(core, pull)[0]!, isResolved });
  const dismiss = (): void => dismissReview(core, { repository, pull, sender }, core.state.reviews.must(review.id));
  expect(dismiss).toThrow('Validation Failed');
  const { data: comment } = await ann.issues.createComment({ ...place, issue_number: number, body: 'hello' });
  await ann.issues.updateComment({ ...place, comment_id: comment.id, body: 'hello!' });
  await ann.issues.deleteComment({ ...place, comment_id: comment.id });
  await person.pulls.update({ ...place, pull_number, title: 'renamed', body: 'text' });
  await person.pulls.update({ ...place, pull_number, state: 'closed' });
  await person.pulls.update({ ...place, pull_number, state: 'open' });
  await person.issues.addLabels({ ...place, issue_number: number, labels: ['bug'] });
  await person.issues.removeLabel({ ...place, issue_number: number, name: 'bug' });
  await w.clone.push('told', { 'told.txt': 'again\n' });
  await w.clone.git('push', '--quiet', 'origin', ':told');
  await w.clone.git('push', '--quiet', 'origin', 'origin/main:refs/tags/v1');
  await person.repos.createInOrg({ org: w.owner, name: 'short-lived' });
  await person.repos.update({ owner: w.owner, repo: 'short-lived', archived: true });
  await person.repos.update({ owner: w.owner, repo: 'short-lived', archived: false });
  await person.repos.update({ owner: w.owner, repo: 'short-lived', name: 'renamed' });
  await person.repos.delete({ owner: w.owner, repo: 'renamed' });
  await core.settled();
  const told = core.state.deliveries.all().map(({ event, action }) => (action === null ? event : `${event} ${action}`));
  expect([...new Set(told)].toSorted()).toEqual([
    'check_suite requested',
    'issue_comment created',
    'issue_comment deleted',
    'issue_comment edited',
    'pull_request closed',
    'pull_request edited',
    'pull_request labeled',
    'pull_request opened',
    'pull_request reopened',
    'pull_request review_requested',
    'pull_request synchronize',
    'pull_request unlabeled',
    'pull_request_review dismissed',
    'pull_request_review submitted',
    'pull_request_review_thread resolved',
    'pull_request_review_thread unresolved',
    'push',
    'repository archived',
    'repository created',
    'repository deleted',
    'repository renamed',
    'repository unarchived',
  ]);
  expect(core.state.deliveries.all().every(({ statusCode }) => statusCode === 502)).toBe(true);
  w.expectNoMistakes();
});

it('webhooks about checks, statuses, workflow runs and rules are as GitHub describes them', async () => {
  const { core } = w.emulator;
  const { state } = core;
  const repository = state.repositories.find(({ name }) => name === w.repo)!;
  const sender = state.accounts.find(({ login }) => login === w.emulator.login)!;
  const { sha } = await w.open('checked');
  const at = { createdAt: core.now(), updatedAt: core.now() };
  const here = { repositoryId: repository.id, headSha: sha, appId: Number(w.emulator.appId) };
  const ended = { status: 'completed', conclusion: 'success' } as const;
  const checkSuite = state.checkSuites.insert({
    ...here,
    ...at,
    ...ended,
    headBranch: 'checked',
    before: null,
    after: sha,
  });
  const checkRun = state.checkRuns.insert({
    ...here,
    ...ended,
    checkSuiteId: checkSuite.id,
    name: 'unit',
    externalId: '',
    detailsUrl: null,
    startedAt: core.now(),
    completedAt: core.now(),
    output: { title: null, summary: null, text: null },
  });
  const fields = { context: 'lint', state: 'success', description: null, targetUrl: null } as const;
  const status = state.statuses.insert({ ...at, ...fields, sha, repositoryId: repository.id, creatorId: sender.id });
  const path = '.github/workflows/ci.yml';
  const workflow = state.workflows.insert({ ...at, repositoryId: repository.id, path, name: 'CI', state: 'active' });
  const run = state.workflowRuns.insert({
    ...at,
    ...ended,
    repositoryId: repository.id,
    workflowId: workflow.id,
    checkSuiteId: checkSuite.id,
    runNumber: 1,
    event: 'push',
    headBranch: 'checked',
    testedSha: sha,
    headSha: sha,
    actorId: sender.id,
    inputs: {},
    pullNumber: null,
    runAttempt: 1,
    runStartedAt: core.now(),
    displayTitle: 'checked',
  });
  const settings = { enforce_admins: true, required_status_checks: { strict: true, contexts: ['unit'] } };
  const protection = state.protections.insert({ ...at, repositoryId: repository.id, pattern: 'main', settings });
  const ruleset = state.rulesets.insert({
    ...at,
    repositoryId: repository.id,
    name: 'rules',
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'], exclude: [] } },
    rules: [{ type: 'deletion' }],
    bypassActors: [],
  });
  await core.settled();
  const before = state.deliveries.all().length;
  const place = { repository, sender };
  core.emit({ name: 'check_suite', action: 'completed', checkSuite, ...place });
  for (const action of ['created', 'completed', 'rerequested'] as const)
    core.emit({ name: 'check_run', action, checkRun, ...place });
  core.emit({ name: 'status', status, ...place });
  for (const action of ['requested', 'in_progress', 'completed'] as const)
    core.emit({ name: 'workflow_run', action, run, ...place });
  for (const action of ['created', 'edited', 'deleted'] as const) {
    core.emit({ name: 'branch_protection_rule', action, protection, ...place });
    core.emit({ name: 'repository_ruleset', action, ruleset, ...place });
  }
  await core.settled();
  expect(state.deliveries.all().length - before).toBe(14);
  w.expectNoMistakes();
});

it('webhooks about accepted permissions and a transferred repository are as GitHub describes them', async () => {
  const { controls, core, addPerson } = w.emulator;
  const { id, permissions } = core.state.installations.all()[0]!;
  controls.permit(id, { ...permissions, statuses: 'write' });
  await w.person.repos.createInOrg({ org: w.owner, name: 'given-away' });
  controls.transfer(`${w.owner}/given-away`, addPerson('heir').login);
  const { data } = await w.person.repos.get({ owner: w.owner, repo: 'given-away' });
  expect(data.full_name).toBe('heir/given-away');
  await core.settled();
  const told = core.state.deliveries.all().map(({ event, action }) => `${event} ${action}`);
  expect(told.slice(-3)).toEqual([
    'installation new_permissions_accepted',
    'repository created',
    'installation_repositories removed',
  ]);
  w.expectNoMistakes();
});

it('an installation with selected repositories gets a webhook if a repository is added or removed', async () => {
  const post = async (path: string, fields: Record<string, string>) =>
    await fetch(`${w.emulator.webUrl}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
  const manifest = { name: 'Chosen', url: 'https://a.example', redirect_url: 'https://a.example', public: true };
  const hook_attributes = { url: 'http://127.0.0.1:9/unreachable' };
  const made = { manifest: JSON.stringify({ ...manifest, hook_attributes }), as: w.emulator.login };
  await post('/_emulator/apps', made);
  const account = { as: w.emulator.login, account: w.owner };
  await post('/apps/chosen/installations/new', { ...account, repositories: w.repo });
  const { state } = w.emulator.core;
  const installation = state.installations.find(({ repositorySelection }) => repositorySelection === 'selected')!;
  const other = (await w.person.repos.createInOrg({ org: w.owner, name: 'other' })).data.id;
  const chosen = { installation_id: installation.id, repository_id: other };
  await w.person.apps.addRepoToInstallationForAuthenticatedUser(chosen);
  await w.person.apps.removeRepoFromInstallationForAuthenticatedUser(chosen);
  await w.emulator.core.settled();
  const told = state.deliveries.filter((each) => each.installationId === installation.id);
  expect(told.map(({ event, action }) => `${event} ${action}`)).toEqual([
    'installation created',
    'installation_repositories added',
    'installation_repositories removed',
  ]);
  w.expectNoMistakes();
});
