// Subscriptions to the deployments and environments of a project.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { started, follow, type Followed } from '../support/follow.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { seed, sha } from '../graphql/seed.ts';

let s: TestServer;
beforeAll(async () => {
  s = await startServer();
  const seeded = await seed(s);
  for (const project of ['shop', 'site'])
    await s.graphql(
      `mutation ($project: String!, $repository: RepositoryInput!) {
         createReleaseProject(input: {name: $project, repository: $repository}) { releaseProject { id } }
         staging: createEnvironment(input: {project: $project, name: "staging", provider: {kind: NONE}}) { environment { id } }
         production: createEnvironment(input: {project: $project, name: "production", provider: {kind: NONE}}) { environment { id } } }`,
      { project, repository: { owner: seeded.owner, name: seeded.name } },
    );
  await s.rows(
    `with made as (insert into release (account_id, project_id, version, created_at)
       select account_id, id, '1.0', now() from release_project where account_id = $1 returning *)
     insert into release_candidate (account_id, project_id, release_id, version, number, commit, repository_id, status, actor, created_at)
     select $1, project_id, id, '1.0-rc1', 1, $2, $3, 'ready', 'ada@example.test', now() from made`,
    [s.accountId, sha('c'), seeded.repositoryId],
  );
});
afterAll(async () => await s.close());

async function report(project: string, environment: string, status: string): Promise<void> {
  const { errors } = await s.graphql(
    `mutation ($project: String!, $environment: String!, $status: DeploymentStatus!) {
       reportDeployment(input: {project: $project, environment: $environment, version: "1.0-rc1", status: $status}) { deployment { id } } }`,
    { project, environment, status },
  );
  expect(errors).toEqual([]);
}

interface Change {
  readonly cursor: string;
  readonly action: string;
  readonly deployment: { readonly status: string; readonly environment: { readonly name: string } };
}
const deployments =
  'subscription ($project: String!, $environment: String, $after: String) { deploymentChanged(project: $project, environment: $environment, after: $after) { cursor action deployment { status environment { name } } } }';
const linesOf = (followed: Followed<Change>): string[] =>
  followed.payloads.map(({ action, deployment }) => `${deployment.environment.name} ${action}`);

describe('subscriptions', () => {
  it('send deployments of a project or of one environment, and a resumed subscription misses none', async () => {
    await using all = follow<Change>(s, deployments, { project: 'shop' });
    await using production = follow<Change>(s, deployments, { project: 'shop', environment: 'production' });
    await started(all, production);
    await report('site', 'production', 'SUCCESS');
    await report('shop', 'staging', 'IN_PROGRESS');
    await report('shop', 'production', 'IN_PROGRESS');
    await report('shop', 'staging', 'SUCCESS');
    await report('shop', 'production', 'FAILURE');
    await Promise.all([all.until(4), production.until(2)]);
    expect(linesOf(all)).toEqual([
      'staging deployment_in_progress',
      'production deployment_in_progress',
      'staging deployment_success',
      'production deployment_failure',
    ]);
    expect(linesOf(production)).toEqual(['production deployment_in_progress', 'production deployment_failure']);
    await using resumed = follow<Change>(s, deployments, { project: 'shop', after: all.payloads[1]?.cursor });
    await resumed.until(2);
    expect(linesOf(resumed)).toEqual(['staging deployment_success', 'production deployment_failure']);
  });

  it('send an environment each time something in it has changed', async () => {
    await using followed = follow<{ action: string; environment: { name: string; deployments: unknown } }>(
      s,
      'subscription { environmentChanged(project: "shop", environment: "staging") { action environment { name deployments(first: 1) { nodes { status } } } } }',
    );
    await started(followed);
    await report('shop', 'production', 'SUCCESS');
    await report('shop', 'staging', 'ERROR');
    expect(await followed.until(1)).toEqual([
      {
        action: 'deployment_error',
        environment: { name: 'staging', deployments: { nodes: [{ status: 'ERROR' }] } },
      },
    ]);
  });

  it('of all events have the subject of each event', async () => {
    const { data } = await s.graphql<{ repository: { events: { nodes: unknown[] } } }>(
      '{ repository(owner: "acme", name: "shop") { events(first: 1) { nodes { action deployment { status } environment { name } releaseCandidate { version } } } } }',
    );
    expect(data.repository.events.nodes).toEqual([
      {
        action: 'deployment_error',
        deployment: { status: 'ERROR' },
        environment: { name: 'staging' },
        releaseCandidate: { version: '1.0-rc1' },
      },
    ]);
  });

  it('send a project each time one of its candidates or environments has changed, and no other project', async () => {
    await using followed = follow<{ action: string; releaseProject: { name: string } }>(
      s,
      'subscription { releaseProjectChanged(project: "shop") { action releaseProject { name } } }',
    );
    await started(followed);
    await s.rows(
      `insert into event (account_id, repository_id, candidate_id, action, at)
       select c.account_id, c.repository_id, c.id, 'release_ready', now() from release_candidate c
       join release_project p on p.account_id = c.account_id and p.id = c.project_id order by p.name desc`,
    );
    await report('site', 'staging', 'SUCCESS');
    await report('shop', 'staging', 'SUCCESS');
    await followed.until(2);
    expect(followed.payloads.map(({ action, releaseProject: { name } }) => `${name} ${action}`)).toEqual([
      'shop release_ready',
      'shop deployment_success',
    ]);
  });

  it.each([
    ['none', null],
    ['shop', 'nowhere'],
  ])('of %s, %s are refused as not found', async (project, environment) => {
    await using followed = follow(s, deployments, { project, environment });
    await followed.until(1);
    expect(followed.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  });
});
