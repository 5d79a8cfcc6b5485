import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemContext, type Context } from '../../src/context.ts';
import { deploymentStatuses } from '../../src/domain/releases/release.ts';
import { cancelActiveDeployments } from '../../src/modules/releases/deployments.cancel.ts';
import { advanceDeployment, cancelDeployment, createDeployment } from '../../src/modules/releases/index.ts';
import { lockEnvironment } from '../../src/modules/releases/releases.locks.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { environmentOf, type TestEnvironment } from './environment.ts';

let s: TestServer;
/** How far the clock of the server is ahead. */
let aheadMs = 0;
beforeAll(async () => {
  s = await startServer({ clock: () => new Date(Date.now() + aheadMs) });
});
afterAll(async () => await s.close());

async function environment(project: string, ...versions: string[]): Promise<TestEnvironment> {
  const made = await environmentOf(s, project);
  for (const version of versions) await made.candidate(version);
  return made;
}

/** Reports the deployment of each version as begun and as successful, as an external pipeline does. */
async function succeed(at: TestEnvironment, ...versions: string[]): Promise<void> {
  for (const version of versions) {
    await at.report(version, 'in_progress');
    await at.report(version, 'success');
  }
}

describe('a deployment', () => {
  it('starts in line, is announced, and shows which version runs in the environment', async () => {
    const at = await environment('Deploying', 'v1-rc1', 'v2-rc1');
    await succeed(at, 'v1-rc1');
    expect(await at.deploy('v2-rc1')).toMatchObject({
      release_candidate_version: 'v2-rc1',
      from_release_candidate_version: 'v1-rc1',
      status: 'pending',
      deploy_start_at: null,
      deploy_end_at: null,
    });
    expect((await at.events()).at(-1)).toMatchObject({
      action: 'deployment_pending',
      payload: { project: 'Deploying', environment: 'production', version: 'v2-rc1', fromVersion: 'v1-rc1' },
    });
  });

  it('is refused for a version that is not ready, unknown or malformed, and while the environment is frozen', async () => {
    const at = await environment('Refusing', 'v1-rc1');
    await at.candidate('v2-rc1', 'building');
    await at.candidate('v3-rc1', 'failed');
    await at.freeze();
    const errors = [];
    for (const version of ['v2-rc1', 'v3-rc1', 'v9-rc1', 'v1', 'v1-rc1']) errors.push((await at.deploy(version)).error);
    expect(errors).toEqual([
      'Release candidate v2-rc1 is still being built: deploy it when it is ready',
      'Release candidate v3-rc1 failed to build: make another candidate',
      'Release not found',
      'Invalid release candidate version',
      'Environment is frozen',
    ]);
    expect([await at.line(), await at.events()]).toEqual([[], []]);
  });

  it('starts in a frozen environment if it is forced, and is marked as forced', async () => {
    const at = await environment('Forcing', 'v1-rc1');
    await at.freeze();
    const answer = await s.graphql<{ createDeployment: { deployment: object } }>(
      `mutation { createDeployment(input: {project: "Forcing", environment: "production", version: "v1-rc1", force: true}) {
         deployment { status forced reported kind actor environment { name } project { name } releaseCandidate { version } fromReleaseCandidate { id } rollbackOf { id } } impact { sentence } } }`,
    );
    expect(answer.data.createDeployment).toMatchObject({
      deployment: {
        status: 'PENDING',
        forced: true,
        reported: false,
        kind: 'FORWARD',
        environment: { name: 'production' },
        project: { name: 'Forcing' },
        releaseCandidate: { version: 'v1-rc1' },
        fromReleaseCandidate: null,
        rollbackOf: null,
      },
      impact: null,
    });
  });

  it('supersedes the active deployments of the environment', async () => {
    const at = await environment('Superseding', 'v1-rc1', 'v2-rc1', 'v3-rc1');
    await at.deploy('v1-rc1');
    await at.report('v2-rc1', 'in_progress');
    const mutation = (preview: boolean) =>
      `mutation { createDeployment(input: {project: "Superseding", environment: "production", version: "v3-rc1", supersede: true, preview: ${preview}}) {
         deployment { status } impact { sentence cancels { releaseCandidateVersion status } waitsFor { id } } } }`;
    const preview = await s.graphql<{ createDeployment: object }>(mutation(true));
    expect(preview.data.createDeployment).toEqual({
      deployment: { status: 'PENDING' },
      impact: {
        sentence: 'Cancels the deployment of v1-rc1. Cancels the deployment of v2-rc1. Deploys v3-rc1.',
        cancels: [
          { releaseCandidateVersion: 'v1-rc1', status: 'CANCELED' },
          { releaseCandidateVersion: 'v2-rc1', status: 'CANCELED' },
        ],
        waitsFor: [],
      },
    });
    expect(await at.line()).toEqual(['v2-rc1 in_progress', 'v1-rc1 pending']);
    await s.graphql(mutation(false));
    expect(await at.line()).toEqual(['v3-rc1 pending', 'v2-rc1 canceled', 'v1-rc1 canceled']);
    const actions = (await at.events()).map(({ action }) => action);
    expect(actions.slice(2)).toEqual([
      'deployment_canceled',
      'deployment_canceling',
      'deployment_canceled',
      'deployment_pending',
    ]);
  });

  it('shows in a preview what it would wait for', async () => {
    const at = await environment('Waiting', 'v1-rc1', 'v2-rc1');
    await at.deploy('v1-rc1');
    const answer = await s.graphql<{ createDeployment: { impact: object } }>(
      `mutation { createDeployment(input: {project: "Waiting", environment: "production", version: "v2-rc1", preview: true}) {
         impact { sentence waitsFor { releaseCandidateVersion } } } }`,
    );
    expect(answer.data.createDeployment.impact).toEqual({
      sentence: 'Deploys v2-rc1, after v1-rc1.',
      waitsFor: [{ releaseCandidateVersion: 'v1-rc1' }],
    });
  });
});

describe('a report from an external pipeline', () => {
  it('creates a deployment if there is none, and sets its status without a check of the order', async () => {
    const at = await environment('Reporting', 'v1-rc1');
    const first = await at.report('v1-rc1', 'success');
    expect(first).toMatchObject({ status: 'success', from_release_candidate_version: null });
    expect([first.deploy_start_at, first.deploy_end_at]).toEqual([expect.any(String), expect.any(String)]);
    const reopened = await at.report('v1-rc1', 'in_progress');
    expect(reopened).toMatchObject({ id: first.id, deploy_start_at: first.deploy_start_at, deploy_end_at: null });
    await at.report('v1-rc1', 'unknown');
    await at.report('v1-rc1', 'unknown');
    expect(await at.line()).toEqual(['v1-rc1 unknown']);
    expect((await at.events()).map(({ action, payload }) => [action, payload['lateUpdate'] ?? false])).toEqual([
      ['deployment_success', false],
      ['deployment_in_progress', true],
      ['deployment_unknown', false],
    ]);
  });

  it('may change every status to every other, on the same deployment', async () => {
    const at = await environment('Repeating', 'v1-rc1');
    const { id } = await at.report('v1-rc1', 'pending');
    // This walk changes each status once to each other.
    const walk = deploymentStatuses.flatMap((from, index) => [
      from,
      ...deploymentStatuses.slice(index + 1).flatMap((to) => [from, to]),
    ]);
    for (const [index, status] of [...walk, 'pending'].entries())
      expect(await at.report('v1-rc1', status), `${walk[index - 1]} to ${status}`).toMatchObject({ id, status });
    expect(await at.line()).toEqual(['v1-rc1 pending']);
  });

  it('with an unknown status or version is refused', async () => {
    const at = await environment('Misreporting', 'v1-rc1');
    const errors = [
      (await at.report('v1-rc1', 'done')).error,
      (await at.report('v1', 'success')).error,
      (await at.report('v2-rc1', 'success')).error,
    ];
    expect(errors).toEqual([
      'status must be one of pending, in_progress, success, failure, canceling, canceled, error or unknown',
      'Invalid release candidate version',
      'Release not found',
    ]);
    expect(await at.line()).toEqual([]);
  });

  it('may have a message, up to its maximum length', async () => {
    const at = await environment('Explaining', 'v1-rc1');
    const report = async (errorMessage: string) =>
      await s.graphql<{ reportDeployment: { deployment: object } }>(
        `mutation ($errorMessage: String!) { reportDeployment(input: {project: "Explaining", environment: "production", version: "v1-rc1", status: FAILURE, errorMessage: $errorMessage}) {
           deployment { status errorMessage } } }`,
        { errorMessage },
      );
    expect((await report('x'.repeat(10_001))).errors[0]?.message).toBe('errorMessage must be at most 10000 characters');
    expect(await at.line()).toEqual([]);
    expect((await report('no room')).data.reportDeployment.deployment).toEqual({
      status: 'FAILURE',
      errorMessage: 'no room',
    });
  });

  it('ignores freezes and the state of the candidate, and from then on Interlock no longer drives the deployment', async () => {
    const at = await environment('Outside');
    await at.candidate('v1-rc1', 'failed');
    await at.candidate('v2-rc1');
    await at.deploy('v2-rc1');
    await at.freeze();
    await at.report('v1-rc1', 'pending');
    await at.report('v2-rc1', 'in_progress');
    const rows = await s.rows(`select status, reported from deployment where environment_id = $1 order by id`, [at.id]);
    expect(rows).toEqual([
      { status: 'in_progress', reported: true },
      { status: 'pending', reported: true },
    ]);
  });
});

describe('a rollback', () => {
  it('restores the version before, and each further rollback an older one', async () => {
    const at = await environment('Rolling', 'v1-rc1', 'v2-rc1', 'v3-rc1');
    await succeed(at, 'v1-rc1', 'v2-rc1', 'v3-rc1');
    const first = await at.rollBack();
    expect(first).toMatchObject({
      release_candidate_version: 'v2-rc1',
      from_release_candidate_version: 'v3-rc1',
      status: 'pending',
      rollback_of: expect.any(String),
    });
    await at.report('v2-rc1', 'success');
    const second = await at.rollBack();
    expect(second).toMatchObject({
      release_candidate_version: 'v1-rc1',
      from_release_candidate_version: 'v2-rc1',
      rollback_of: first.id,
    });
    await at.report('v1-rc1', 'success');
    expect((await at.rollBack()).error).toBe('No previous deployment to roll back from');
  });

  it('restores the version before, also if a server whose clock is ahead got the report of that version', async () => {
    const at = await environment('Skewed', 'v1-rc1', 'v2-rc1', 'v3-rc1');
    await succeed(at, 'v1-rc1');
    aheadMs = 60_000;
    await succeed(at, 'v2-rc1');
    aheadMs = 0;
    await succeed(at, 'v3-rc1');
    const times = await s.rows<{ version: string; lasted: boolean }>(
      `select c.version, d.deploy_end_at >= d.deploy_start_at as lasted from deployment d
       join release_candidate c on c.id = d.candidate_id where d.environment_id = $1 order by d.deploy_end_at`,
      [at.id],
    );
    expect(times).toEqual(['v1-rc1', 'v2-rc1', 'v3-rc1'].map((version) => ({ version, lasted: true })));
    expect(await at.rollBack()).toMatchObject({
      release_candidate_version: 'v2-rc1',
      from_release_candidate_version: 'v3-rc1',
    });
  });

  it('cancels the active deployments, and restores the last version that succeeded', async () => {
    const at = await environment('Restoring', 'v1-rc1', 'v2-rc1', 'v3-rc1', 'v4-rc1');
    await succeed(at, 'v1-rc1', 'v2-rc1');
    await at.report('v3-rc1', 'in_progress');
    await at.deploy('v4-rc1');
    expect(await at.rollBack()).toMatchObject({ release_candidate_version: 'v2-rc1' });
    expect(await at.line()).toEqual([
      'v2-rc1 pending',
      'v4-rc1 canceled',
      'v3-rc1 canceled',
      'v2-rc1 success',
      'v1-rc1 success',
    ]);
  });

  it('ignores a deployment that was canceled in line, although a report repeats that it was canceled', async () => {
    const at = await environment('Echoing', 'v1-rc1', 'v2-rc1', 'v3-rc1');
    await succeed(at, 'v1-rc1', 'v2-rc1');
    await at.deploy('v3-rc1');
    await at.report('v3-rc1', 'canceled');
    await at.report('v3-rc1', 'canceled');
    expect(await at.rollBack()).toMatchObject({ release_candidate_version: 'v1-rc1' });
  });

  it('restores the running version if an external pipeline failed to deploy an older version again', async () => {
    const at = await environment('Again', 'v1-rc1', 'v2-rc1', 'v3-rc1');
    await succeed(at, 'v1-rc1', 'v2-rc1', 'v3-rc1');
    expect(await at.report('v2-rc1', 'in_progress')).toMatchObject({ from_release_candidate_version: 'v3-rc1' });
    await at.report('v2-rc1', 'failure');
    expect(await at.rollBack()).toMatchObject({ release_candidate_version: 'v3-rc1' });
  });

  it('cancels a line of any length in as many statements as one deployment', async () => {
    const ctx = systemContext(s.ports, s.accountId);
    const count = async (project: string, length: number): Promise<number> => {
      const at = await environment(project, 'v1-rc1');
      for (let n = 0; n < length; n += 1) await at.deploy('v1-rc1');
      return await s.ports.db.transaction(s.accountId, async (tx) => {
        let statements = 0;
        const counting: typeof tx = {
          ...tx,
          query: async (text, values) => {
            statements += 1;
            return await tx.query(text, values);
          },
        };
        const environment = await lockEnvironment(ctx, tx, at.id);
        expect(await cancelActiveDeployments(ctx, counting, { environment, because: 'For a test.' })).toHaveLength(
          length,
        );
        return statements;
      });
    };
    expect(await count('Twelve', 12)).toBe(await count('One', 1));
    const actions = await s.rows<{ action: string }>(
      `select action from event e join environment n on n.id = e.environment_id join release_project p on p.id = n.project_id
       where p.name = 'Twelve' and e.deployment_id is not null order by e.id`,
    );
    expect(actions.map(({ action }) => action)).toEqual([
      ...Array(12).fill('deployment_pending'),
      ...Array(12).fill('deployment_canceled'),
    ]);
  });

  it('keeps no canceled deployment in memory, so that a long line costs no more for each', async () => {
    const at = await environment('Long', 'v1-rc1', 'v2-rc1');
    await succeed(at, 'v1-rc1');
    await at.report('v2-rc1', 'in_progress');
    for (let n = 0; n < 3; n += 1) await at.deploy('v1-rc1');
    const ctx = systemContext(s.ports, s.accountId);
    const left = await s.ports.db.transaction(s.accountId, async (tx) => {
      const locked = await lockEnvironment(ctx, tx, at.id);
      expect(await cancelActiveDeployments(ctx, tx, { environment: locked, because: 'For a test.' })).toHaveLength(4);
      return [...tx.em.getUnitOfWork().getIdentityMap().values()].length;
    });
    // Only the environment is in memory.
    expect(left).toBe(1);
    expect(await at.line()).toEqual([...Array(3).fill('v1-rc1 canceled'), 'v2-rc1 canceled', 'v1-rc1 success']);
  });

  it('has the same target again after it failed', async () => {
    const at = await environment('Relapsing', 'v1-rc1', 'v2-rc1');
    await succeed(at, 'v1-rc1', 'v2-rc1');
    const first = await at.rollBack();
    await at.report('v1-rc1', 'failure');
    const again = await at.rollBack();
    expect(again).toMatchObject({ release_candidate_version: 'v1-rc1', rollback_of: first.rollback_of });
  });

  it('is refused in a frozen environment before all other reasons, unless it is forced', async () => {
    const at = await environment('Frozen', 'v1-rc1', 'v2-rc1');
    await at.freeze();
    expect((await at.rollBack()).error).toBe('Environment is frozen');
    expect((await at.rollBack(true)).error).toBe('No previous deployment to roll back from');
    await succeed(at, 'v1-rc1', 'v2-rc1');
    await at.deploy('v2-rc1');
    expect((await at.rollBack()).error).toBe('Environment is frozen');
    expect(await at.rollBack(true)).toMatchObject({ release_candidate_version: 'v1-rc1', status: 'pending' });
  });

  it('cancels nothing if there is no version to restore', async () => {
    const at = await environment('Nowhere', 'v1-rc1');
    await at.report('v1-rc1', 'in_progress');
    expect((await at.rollBack()).error).toBe('No previous deployment to roll back from');
    expect(await at.line()).toEqual(['v1-rc1 in_progress']);
  });

  it('is refused, as is a deployment, if another candidate runs than the user has seen', async () => {
    const at = await environment('Moved', 'v1-rc1', 'v2-rc1');
    await succeed(at, 'v1-rc1', 'v2-rc1');
    const send = async (ifRunning: string, preview: boolean) =>
      await s.graphql<object>(
        `mutation { rollBackEnvironment(input: {project: "Moved", environment: "production", ifRunning: "${ifRunning}", preview: ${preview}}) {
           deployment { releaseCandidateVersion } } }`,
      );
    expect((await send('v2-rc1', true)).errors).toEqual([]);
    const deployed = await s.graphql<object>(
      `mutation { createDeployment(input: {project: "Moved", environment: "production", version: "v1-rc1", ifRunning: "v1-rc1"}) { deployment { id } } }`,
    );
    for (const { errors } of [deployed, await send('v1-rc1', true), await send('v1-rc1', false)])
      expect(errors).toMatchObject([
        {
          message: 'v2-rc1 runs in production, and not v1-rc1. Read the environment again.',
          extensions: { code: 'CONFLICT', field: 'input.ifRunning' },
        },
      ]);
    expect(await at.line()).toEqual(['v2-rc1 success', 'v1-rc1 success']);
    expect((await send('v2-rc1', false)).data).toMatchObject({
      rollBackEnvironment: { deployment: { releaseCandidateVersion: 'v1-rc1' } },
    });
  });

  it('shows in a preview what it would do', async () => {
    const at = await environment('Previewing', 'v1-rc1', 'v2-rc1');
    await succeed(at, 'v1-rc1', 'v2-rc1');
    const answer = await s.graphql<{ rollBackEnvironment: object }>(
      `mutation { rollBackEnvironment(input: {project: "Previewing", environment: "production", preview: true}) {
         deployment { kind releaseCandidate { version } rollbackOf { releaseCandidateVersion } } impact { sentence } } }`,
    );
    expect(answer.data.rollBackEnvironment).toEqual({
      deployment: {
        kind: 'ROLLBACK',
        releaseCandidate: { version: 'v1-rc1' },
        rollbackOf: { releaseCandidateVersion: 'v2-rc1' },
      },
      impact: { sentence: 'Rolls back to v1-rc1 in the place of v2-rc1.' },
    });
    expect(await at.line()).toEqual(['v2-rc1 success', 'v1-rc1 success']);
  });
});

describe('a cancellation', () => {
  const cancel = async (id: string, preview = false) =>
    await s.graphql<{ cancelDeployment: { deployment: { status: string }; impact: object | null } }>(
      `mutation ($id: ID!, $preview: Boolean!) { cancelDeployment(input: {id: $id, preview: $preview}) {
         deployment { status errorMessage deployStartAt } impact { sentence } } }`,
      { id, preview },
    );

  it('takes a deployment in line out at once, and may be repeated', async () => {
    const at = await environment('Canceling', 'v1-rc1');
    const { id } = await at.deploy('v1-rc1');
    expect((await cancel(id, true)).data.cancelDeployment.impact).toEqual({
      sentence: 'Cancels the deployment of v1-rc1.',
    });
    const canceled = { status: 'CANCELED', errorMessage: 'Canceled by service@acme.test.', deployStartAt: null };
    expect((await cancel(id)).data.cancelDeployment.deployment).toEqual(canceled);
    expect((await cancel(id)).data.cancelDeployment.deployment).toEqual(canceled);
  });

  it('wakes the next deployment in line, although no deployment had the slot', async () => {
    const at = await environment('Leaving', 'v1-rc1', 'v2-rc1');
    const woken = new Set<string>();
    const ctx: Context = {
      ...systemContext(s.ports, s.accountId),
      wake: async (whose) => void ('deploymentId' in whose && woken.add(whose.deploymentId)),
    };
    const of = { project: at.project, environment: at.name };
    const first = await createDeployment(ctx, { ...of, version: 'v1-rc1' });
    const second = await createDeployment(ctx, { ...of, version: 'v2-rc1' });
    await advanceDeployment(ctx, second.deployment.id);
    woken.clear();
    await cancelDeployment(ctx, { id: first.deployment.id });
    for (const id of woken) await advanceDeployment(ctx, id);
    expect(await at.line()).toEqual(['v2-rc1 in_progress', 'v1-rc1 canceled']);
  });

  it('is refused if the deployment has ended, or belongs to another account', async () => {
    const at = await environment('Ended', 'v1-rc1');
    const { id } = await at.report('v1-rc1', 'success');
    const ended = await cancel(id);
    expect([ended.errors[0]?.message, ended.errors[0]?.extensions.code]).toEqual([
      'The deployment has ended: success.',
      'CONFLICT',
    ]);
    const { token } = await s.otherAccount('other');
    const foreign = await s.graphql(
      'mutation ($id: ID!) { cancelDeployment(input: {id: $id}) { deployment { id } } }',
      { id },
      token,
    );
    expect(foreign.errors[0]?.message).toBe('Deployment not found');
  });
});

describe('a deployment whose provider could not be called', () => {
  it('shows the failure, the time of the next call, and whether the cancellation was sent', async () => {
    const at = await environment('Failing', 'v1-rc1');
    const { id } = await at.report('v1-rc1', 'in_progress');
    const fields = 'lastFailure nextTryAt cancelSentAt';
    const shown = async (): Promise<unknown> => {
      const answer = await s.graphql<{ node: unknown }>(
        `{ node(id: "${id}") { ... on Deployment { ${fields} releaseCandidate { lastFailure nextTryAt } } } }`,
      );
      return answer.data.node;
    };
    const nothing = { lastFailure: null, nextTryAt: null, cancelSentAt: null };
    const build = { lastFailure: null, nextTryAt: null };
    expect(await shown()).toEqual({ ...nothing, releaseCandidate: build });
    await s.rows(
      `update deployment set call_at = '2026-03-01T00:00:04Z', problem = 'cd.example.test answered 503' where environment_id = $1`,
      [at.id],
    );
    expect(await shown()).toMatchObject({
      lastFailure: 'cd.example.test answered 503',
      nextTryAt: '2026-03-01T00:00:04.000Z',
      cancelSentAt: null,
    });
    // The next call is a usual status request, because nothing failed.
    await s.rows(`update deployment set problem = null where environment_id = $1`, [at.id]);
    expect(await shown()).toEqual({ ...nothing, releaseCandidate: build });
  });
});

describe('the list of deployments', () => {
  it('is paged by number, with its total and its links, the newest first', async () => {
    const at = await environment('Listing', 'v1-rc1', 'v2-rc1', 'v3-rc1');
    await succeed(at, 'v1-rc1', 'v2-rc1', 'v3-rc1');
    const path = '/api/releases/Listing/environments/production/deployments';
    const page = await s.rest('GET', `${path}?page=2&per_page=1`);
    expect(await page.json()).toMatchObject([{ release_candidate_version: 'v2-rc1' }]);
    expect(page.headers.get('x-total-count')).toBe('3');
    expect(page.headers.get('link')).toBe(
      [
        `<${path}?page=1&per_page=1>; rel="first"`,
        `<${path}?page=1&per_page=1>; rel="prev"`,
        `<${path}?page=3&per_page=1>; rel="next"`,
        `<${path}?page=3&per_page=1>; rel="last"`,
      ].join(', '),
    );
    const refused = await Promise.all(
      ['per_page=0', 'per_page=101', 'per_page=x', 'page=0'].map(async (query) => {
        const response = await s.rest('GET', `${path}?${query}`);
        return [response.status, ((await response.json()) as { error: string }).error];
      }),
    );
    expect(refused).toEqual([
      [400, 'per_page must be an integer between 1 and 100'],
      [400, 'per_page must be an integer between 1 and 100'],
      [400, 'per_page must be an integer between 1 and 100'],
      [400, 'page must be an integer of at least 1'],
    ]);
  });

  it('is paged by cursor', async () => {
    const at = await environment('Cursors', 'v1-rc1', 'v2-rc1');
    await succeed(at, 'v1-rc1', 'v2-rc1');
    const read = async (after: string | null) =>
      (
        await s.graphql<{
          releaseProject: {
            environment: {
              deployments: {
                nodes: { releaseCandidateVersion: string }[];
                pageInfo: { endCursor: string; hasNextPage: boolean };
                totalCount: number;
              };
            };
          };
        }>(
          `query ($after: String) { releaseProject(name: "Cursors") { environment(name: "production") {
             deployments(first: 1, after: $after) { nodes { releaseCandidateVersion } pageInfo { endCursor hasNextPage } totalCount } } } }`,
          { after },
        )
      ).data.releaseProject.environment.deployments;
    const first = await read(null);
    const second = await read(first.pageInfo.endCursor);
    expect([first, second]).toMatchObject([
      { nodes: [{ releaseCandidateVersion: 'v2-rc1' }], pageInfo: { hasNextPage: true }, totalCount: 2 },
      { nodes: [{ releaseCandidateVersion: 'v1-rc1' }], pageInfo: { hasNextPage: false }, totalCount: 2 },
    ]);
  });
});
