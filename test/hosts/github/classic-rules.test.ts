// Rules of classic branch protection that only GraphQL shows.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGitHubHost } from '../../../src/hosts/github/index.ts';
import { github, type GitHub } from './github-world.ts';

let g: GitHub;
beforeAll(async () => void (g = await github()));
afterAll(async () => await g.close());

test('deployments that classic protection requires are told before a landing', async () => {
  const { host, repository, place, push } = await g.world();
  await push({ branch: 'main', files: { 'a.txt': 'a\n' } });
  await g.person.repos.updateBranchProtection({
    ...place,
    branch: 'main',
    required_status_checks: null,
    enforce_admins: false,
    required_pull_request_reviews: null,
    restrictions: null,
  });
  expect(await host.readBaseRules(repository, 'main')).toMatchObject({ push: 'free', why: null });
  const { repositories, protections } = g.emulator.core.state;
  const id = repositories.find(({ name }) => name === repository.name)?.id;
  const [protection] = protections.filter(({ repositoryId }) => repositoryId === id);
  if (protection === undefined) throw new Error('The branch has no protection.');
  protection.settings = { ...protection.settings, required_deployments: ['staging'] };
  expect(await host.readBaseRules(repository, 'main')).toMatchObject({
    push: 'free',
    why: expect.stringContaining('The protection of main requires deployments to succeed (staging)') as string,
  });
});

test('the rules are read although the points of GraphQL are kept for landings', async () => {
  const { host, repository, place, push } = await g.world();
  await push({ branch: 'main', files: { 'a.txt': 'a\n' } });
  await g.person.repos.updateBranchProtection({
    ...place,
    branch: 'main',
    required_status_checks: { strict: false, contexts: ['test'] },
    enforce_admins: false,
    required_pull_request_reviews: null,
    restrictions: null,
  });
  expect(await host.readBaseRules(repository, 'main')).toMatchObject({ requiredChecks: ['test'] });
  await g.sql(
    "update host_budget set graphql_limit = 5000, graphql_left = 100, graphql_resets_at = now() + interval '1 hour'",
  );
  // A process reads the points that are left only once a second.
  const fresh = createGitHubHost(g.hostOptions());
  expect(await fresh.readBaseRules(repository, 'main')).toMatchObject({
    requiredChecks: ['test'],
    push: 'checked',
    why: null,
  });
  await fresh.stop();
});
