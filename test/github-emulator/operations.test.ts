// Calls each REST operation of accounts, Apps, repositories and pull requests once with success, and compares its
// answer with GitHub's description. The last test fails if an operation was never called.
import { readFileSync } from 'node:fs';
import { createAppAuth } from '@octokit/auth-app';
import { Octokit } from '@octokit/rest';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { makeUserToken } from '../../github-emulator/pages/oauth.ts';
import { restPart } from '../../github-emulator/rest/index.ts';
import { emulatorWorld, type EmulatorWorld } from './emulator-world.ts';

let w: EmulatorWorld;
let person: Octokit;
let app: Octokit;
let bot: Octokit;
let user: Octokit;
const succeeded = new Set<string>();

function watched(options: ConstructorParameters<typeof Octokit>[0]): Octokit {
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const octokit = new Octokit({ baseUrl: w.emulator.apiUrl, log: silent, ...options });
  octokit.hook.after('request', (_response, { method, url }) => void succeeded.add(`${method} ${url}`));
  return octokit;
}

beforeAll(async () => {
  w = await emulatorWorld();
  const { emulator } = w;
  person = watched({ auth: emulator.token });
  const keys = { appId: emulator.appId, privateKey: readFileSync(emulator.keyFile, 'utf8') };
  app = watched({ authStrategy: createAppAuth, auth: keys });
  bot = watched({ authStrategy: createAppAuth, auth: { ...keys, installationId: emulator.installationId } });
  const { state } = emulator.core;
  const owner = state.accounts.find(({ login }) => login === emulator.login)!;
  user = watched({ auth: makeUserToken(emulator.core, state.apps.all()[0]!, owner.id).token });
});
afterEach(() => w.expectNoMistakes());
afterAll(async () => await w[Symbol.asyncDispose]());

it('the operations of accounts, organisations and teams succeed', async () => {
  const { owner: org } = w;
  const ann = w.emulator.addPerson('ann').login;
  expect((await person.meta.root()).status).toBe(200);
  await person.meta.get();
  expect((await person.rateLimit.get()).data.rate.limit).toBe(5000);
  expect((await person.users.getByUsername({ username: 'interlock[bot]' })).data.type).toBe('Bot');
  await person.users.getAuthenticated();
  expect((await person.orgs.listForAuthenticatedUser()).data.map(({ login }) => login)).toEqual([org]);
  expect((await person.orgs.getMembershipForAuthenticatedUser({ org })).data.role).toBe('admin');
  await person.orgs.get({ org });
  await person.orgs.setMembershipForUser({ org, username: ann, role: 'member' });
  expect((await person.orgs.listMembers({ org, role: 'member' })).data.map(({ login }) => login)).toEqual([ann]);
  await person.orgs.checkMembershipForUser({ org, username: ann });
  expect((await person.orgs.getMembershipForUser({ org, username: ann })).data.state).toBe('active');
  const { data: team } = await person.teams.create({ org, name: 'Core Team' });
  const named = { org, team_slug: team.slug };
  await person.teams.addOrUpdateMembershipForUserInOrg({ ...named, username: ann });
  await person.teams.addOrUpdateRepoPermissionsInOrg({ ...named, ...w.place, permission: 'push' });
  expect((await person.teams.list({ org })).data.map(({ slug }) => slug)).toEqual(['core-team']);
  expect((await person.teams.getByName(named)).data.members_count).toBe(2);
  expect((await bot.teams.listMembersInOrg(named)).data.map(({ login }) => login)).toContain(ann);
  expect((await person.repos.listTeams(w.place)).data.map(({ slug }) => slug)).toEqual(['core-team']);
  const permission = await bot.repos.getCollaboratorPermissionLevel({ ...w.place, username: ann });
  expect(permission.data).toMatchObject({ permission: 'write', role_name: 'write' });
});

it('the operations of Apps and installations succeed', async () => {
  const installation_id = Number(w.emulator.installationId);
  expect((await app.apps.getAuthenticated()).data?.slug).toBe('interlock');
  await person.apps.getBySlug({ app_slug: 'interlock' });
  // For Octokit, a parameter `url` is the address of the request.
  const data = { url: 'http://127.0.0.1:9/hooks', secret: 'changed' };
  await app.request('PATCH /app/hook/config', { data });
  expect((await app.apps.getWebhookConfigForApp()).data.url).toBe('http://127.0.0.1:9/hooks');
  expect((await app.apps.listInstallations()).data.map(({ id }) => id)).toEqual([installation_id]);
  await app.apps.getInstallation({ installation_id });
  await app.apps.getRepoInstallation(w.place);
  await app.apps.getOrgInstallation({ org: w.owner });
  await app.apps.getUserInstallation({ username: w.owner });
  await app.apps.suspendInstallation({ installation_id });
  await app.apps.unsuspendInstallation({ installation_id });
  const { data: made } = await app.apps.createInstallationAccessToken({ installation_id });
  expect((await bot.apps.listReposAccessibleToInstallation()).data.total_count).toBe(1);
  await watched({ auth: made.token }).apps.revokeInstallationAccessToken();
  expect((await user.apps.listInstallationsForAuthenticatedUser()).data.total_count).toBe(1);
  expect((await user.apps.listInstallationReposForAuthenticatedUser({ installation_id })).data.total_count).toBe(1);
  await w.emulator.core.settled();
  const [delivery] = (await app.apps.listWebhookDeliveries()).data;
  const delivery_id = delivery?.id ?? 0;
  expect((await app.apps.getWebhookDelivery({ delivery_id })).data).toMatchObject({ event: 'installation' });
  await app.apps.redeliverWebhookDelivery({ delivery_id });
});

it('the operations of repositories and their commits succeed', async () => {
  const other = { owner: w.owner, repo: 'other' };
  await person.repos.createInOrg({ org: w.owner, name: 'other', auto_init: true });
  await person.repos.createForAuthenticatedUser({ name: 'mine' });
  expect((await person.repos.listForOrg({ org: w.owner })).data.map(({ name }) => name)).toEqual([w.repo, 'other']);
  expect((await person.repos.listForAuthenticatedUser()).data.map(({ name }) => name)).toContain('mine');
  await person.repos.addCollaborator({ ...other, username: 'ann', permission: 'maintain' });
  await person.repos.checkCollaborator({ ...other, username: 'ann' });
  const { data: people } = await person.repos.listCollaborators(other);
  expect(people.find(({ login }) => login === 'ann')).toMatchObject({ role_name: 'maintain' });
  const { data: main } = await person.git.getRef({ ...other, ref: 'heads/main' });
  const { sha } = main.object;
  await person.git.createRef({ ...other, ref: 'refs/heads/topic', sha });
  await person.repos.createOrUpdateFileContents({
    ...other,
    path: 'docs/a.txt',
    branch: 'topic',
    message: 'a',
    content: Buffer.from('a\n').toString('base64'),
  });
  const refs = await person.git.listMatchingRefs({ ...other, ref: 'heads/' });
  expect(refs.data.map(({ ref }) => ref)).toEqual(['refs/heads/main', 'refs/heads/topic']);
  expect((await person.repos.listBranches(other)).data.map(({ name }) => name)).toEqual(['main', 'topic']);
  await person.repos.getBranch({ ...other, branch: 'topic' });
  await person.git.getCommit({ ...other, commit_sha: sha });
  expect((await person.repos.listCommits({ ...other, sha: 'topic' })).data).toHaveLength(2);
  await person.repos.getCommit({ ...other, ref: 'topic' });
  await person.repos.compareCommitsWithBasehead({ ...other, basehead: 'main...topic' });
  await person.repos.getContent({ ...other, path: 'docs/a.txt', ref: 'topic' });
  const merged = await person.repos.merge({ ...other, base: 'main', head: 'topic' });
  expect(merged.data.parents).toHaveLength(2);
  await person.git.updateRef({ ...other, ref: 'heads/topic', sha: merged.data.sha });
  await person.git.deleteRef({ ...other, ref: 'heads/topic' });
  const ann = w.emulator.core.state.tokens.find(({ userId }) => userId !== null && userId !== 1001)!;
  await watched({ auth: ann.token }).repos.createFork(other);
  await person.repos.update({ ...other, description: 'changed' });
  await person.repos.get(other);
  await person.repos.delete(other);
});

it('the operations of pull requests, labels, comments and reviews succeed', async () => {
  const { number, sha } = await w.open('served');
  const pull = { ...w.place, pull_number: number };
  const issue = { ...w.place, issue_number: number };
  await person.issues.createLabel({ ...w.place, name: 'mine', color: 'ff0000' });
  await person.issues.getLabel({ ...w.place, name: 'mine' });
  await person.issues.listLabelsForRepo(w.place);
  await person.issues.addLabels({ ...issue, labels: ['mine', 'bug'] });
  await person.issues.setLabels({ ...issue, labels: ['bug'] });
  expect((await person.issues.listLabelsOnIssue(issue)).data.map(({ name }) => name)).toEqual(['bug']);
  await person.issues.removeLabel({ ...issue, name: 'bug' });
  await person.issues.update({ ...issue, title: 'as issue', labels: ['mine'] });
  expect((await person.issues.get(issue)).data).toMatchObject({ title: 'as issue', labels: [{ name: 'mine' }] });
  expect((await person.issues.listEvents(issue)).data.length).toBeGreaterThan(3);
  await person.issues.listEventsForTimeline(issue);
  const { data: comment } = await person.issues.createComment({ ...issue, body: 'hello' });
  const comment_id = comment.id;
  await person.issues.getComment({ ...w.place, comment_id });
  await person.issues.updateComment({ ...w.place, comment_id, body: 'hello!' });
  expect((await person.issues.listComments(issue)).data).toMatchObject([{ body: 'hello!' }]);
  await person.issues.listCommentsForRepo({ ...w.place, sort: 'updated', direction: 'desc' });
  await person.issues.deleteComment({ ...w.place, comment_id });
  await person.pulls.requestReviewers({ ...pull, reviewers: ['ann'] });
  await person.pulls.removeRequestedReviewers({ ...pull, reviewers: ['ann'] });
  const inline = { path: 'served.txt', line: 1, body: 'why?' };
  const { data: review } = await bot.pulls.createReview({
    ...pull,
    event: 'REQUEST_CHANGES',
    body: 'no',
    comments: [inline],
  });
  await person.pulls.createReviewComment({ ...pull, ...inline, commit_id: sha });
  expect((await person.pulls.listReviewComments(pull)).data).toHaveLength(2);
  expect((await person.pulls.listReviews(pull)).data.length).toBeGreaterThan(0);
  await person.pulls.getReview({ ...pull, review_id: review.id });
  const dismissed = await person.pulls.dismissReview({ ...pull, review_id: review.id, message: 'yes' });
  expect(dismissed.data.state).toBe('DISMISSED');
  expect((await person.pulls.listFiles(pull)).data).toMatchObject([{ filename: 'served.txt', status: 'added' }]);
  expect((await person.pulls.listCommits(pull)).data.map((each) => each.sha)).toEqual([sha]);
  const byCommit = await person.repos.listPullRequestsAssociatedWithCommit({ ...w.place, commit_sha: sha });
  expect(byCommit.data.map((each) => each.number)).toEqual([number]);
  expect((await person.pulls.list({ ...w.place, sort: 'updated' })).data).toHaveLength(1);
  await w.clone.push('ahead', { 'ahead.txt': 'x\n' });
  await w.clone.git('push', '--quiet', 'origin', 'HEAD:main');
  expect((await person.pulls.updateBranch(pull)).status).toBe(202);
  await w.emulator.core.settled();
  await w.clone.push('second', { 'second.txt': 'x\n' });
  await person.pulls.create({ ...w.place, title: 'second', head: 'second', base: 'main' });
  await person.pulls.update({ ...pull, title: 'changed' });
  const { data: now } = await person.pulls.get(pull);
  expect(now.commits).toBe(2);
  await person.pulls.merge({ ...pull, sha: now.head.sha });
  await person.pulls.checkIfMerged(pull);
});

it('an installation answers until it is deleted', async () => {
  const installation = w.emulator.core.state.installations.all()[0]!;
  Object.assign(installation, { repositorySelection: 'selected', repositoryIds: [] });
  const repository_id = w.emulator.core.state.repositories.all()[0]!.id;
  const chosen = { installation_id: installation.id, repository_id };
  await user.apps.addRepoToInstallationForAuthenticatedUser(chosen);
  await user.apps.removeRepoFromInstallationForAuthenticatedUser(chosen);
  await app.apps.deleteInstallation({ installation_id: installation.id });
  expect((await app.apps.listInstallations()).data).toEqual([]);
});

it('every operation was called', () => {
  const served = (restPart(w.emulator.core).routes ?? []).map(({ method, path }) => `${method} ${path}`);
  expect(served.filter((operation) => !succeeded.has(operation))).toEqual([]);
});
