// Sets up release projects, environments and release candidates.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSecret } from '../../src/modules/releases/provider.settings.ts';
import { accountOf, type AccountVerbs } from '../accounts/account.ts';
import { prepareRepository } from '../rest/contract/repository.ts';
import { startServer, type GraphQLAnswer, type TestServer } from '../support/server.ts';

let s: TestServer;
let account: AccountVerbs;
let commit: string;
const repository = { owner: 'acme', name: 'web' };

beforeAll(async () => {
  s = await startServer();
  account = accountOf(s);
  const { number } = await prepareRepository(s);
  const found = await s.graphql<{ repository: { pullRequest: { headCommitSha: string } } }>(
    'query ($number: Int!) { repository(owner: "acme", name: "web") { pullRequest(number: $number) { headCommitSha } } }',
    { number },
  );
  commit = found.data.repository.pullRequest.headCommitSha;
});
afterAll(async () => await s.close());

const types: Readonly<Record<string, string>> = {
  createReleaseProject: 'CreateReleaseProjectInput',
  updateReleaseProject: 'UpdateReleaseProjectInput',
  createEnvironment: 'CreateEnvironmentInput',
  updateEnvironment: 'UpdateEnvironmentInput',
  createRelease: 'CreateReleaseInput',
};

/** The code, the field and the message with which a mutation refuses an input. */
async function refusal(mutation: string, input: object): Promise<unknown> {
  const { errors }: GraphQLAnswer<object> = await s.graphql(
    `mutation ($input: ${types[mutation]}!) { ${mutation}(input: $input) { __typename } }`,
    { input },
  );
  return errors.map(({ message, extensions: { code, field } }) => [code, field, message])[0];
}

const environment =
  'environment { name position tier provider { kind command timeoutSec url statusUrl workflow hasSecret } reportTimeoutSec freezeAfterRollback freezeAfterRollbackSec }';
const run = async <Payload>(mutation: string, input: object, selection: string): Promise<Payload> =>
  await account.run<Payload>(mutation, input, selection);

async function order(project: string): Promise<string[]> {
  const { data } = await s.graphql<{ releaseProject: { environments: { name: string; position: number }[] } }>(
    'query ($project: String!) { releaseProject(name: $project) { environments { name position } } }',
    { project },
  );
  return data.releaseProject.environments.map(({ name, position }) => `${position} ${name}`);
}

describe('a release project', () => {
  it('belongs to a repository, is found by its exact name, and is listed by name', async () => {
    for (const name of ['Web', 'Api'])
      await run('createReleaseProject', { name, repository }, 'releaseProject { name }');
    const { data } = await s.graphql(
      `{ releaseProject(name: "Web") { name repository { owner name } build { kind } buildTimeoutSec environments { name } }
         other: releaseProject(name: "web") { name }
         releaseProjects(first: 1) { nodes { name } pageInfo { hasNextPage endCursor } } }`,
    );
    expect(data).toMatchObject({
      releaseProject: { name: 'Web', repository, build: null, buildTimeoutSec: 3600, environments: [] },
      other: null,
      releaseProjects: { nodes: [{ name: 'Api' }], pageInfo: { hasNextPage: true } },
    });
    const { endCursor: after } = (data as never as { releaseProjects: { pageInfo: { endCursor: string } } })
      .releaseProjects.pageInfo;
    const next = await s.graphql('query ($after: String) { releaseProjects(after: $after) { nodes { name } } }', {
      after,
    });
    expect(next.data).toEqual({ releaseProjects: { nodes: [{ name: 'Web' }] } });
  });

  it.each<[object, unknown]>([
    [{ name: 'Web', repository }, ['CONFLICT', 'input.name', 'A release project Web already exists.']],
    [{ name: 'New', repository: { owner: 'acme', name: 'none' } }, ['NOT_FOUND', undefined, 'Repository not found']],
    [
      { name: 'New', repository, buildTimeoutSec: 0 },
      ['BAD_INPUT', 'input.buildTimeoutSec', 'input.buildTimeoutSec must be between 1 and 86400'],
    ],
    [
      { name: 'New', repository, build: { kind: 'COMMAND' } },
      ['BAD_INPUT', 'input.build.command', 'input.build.command is required'],
    ],
  ])('is refused as %j', async (input, refused) => {
    expect(await refusal('createReleaseProject', input)).toEqual(refused);
  });

  it.each(['', ' a', 'a/b', '..', 'a\n', 'x'.repeat(101)])('cannot have the name %j', async (name) => {
    expect(await refusal('createReleaseProject', { name, repository })).toEqual([
      'BAD_INPUT',
      'input.name',
      'input.name must have 1 to 100 characters, no slash among them and no white space at either end',
    ]);
  });

  it('changes its build, and keeps the settings that are not given', async () => {
    const change = async (input: object): Promise<unknown> =>
      (
        await run<{ releaseProject: unknown }>(
          'updateReleaseProject',
          { project: 'Web', ...input },
          'releaseProject { build { kind command timeoutSec workflow hasSecret } buildTimeoutSec }',
        )
      ).releaseProject;
    const built = { kind: 'COMMAND', command: 'make', timeoutSec: 1800, workflow: null, hasSecret: true };
    expect(await change({ build: { kind: 'COMMAND', command: 'make', secret: 'x' } })).toEqual({
      build: built,
      buildTimeoutSec: 3600,
    });
    expect(await change({ buildTimeoutSec: 60 })).toEqual({ build: built, buildTimeoutSec: 60 });
    expect(await change({ build: { kind: 'GITHUB_ACTIONS', workflow: 'build' } })).toMatchObject({
      build: { kind: 'GITHUB_ACTIONS', workflow: 'build', hasSecret: false },
    });
    expect(await change({ build: { kind: 'NONE' } })).toEqual({ build: null, buildTimeoutSec: 60 });
    expect(await refusal('updateReleaseProject', { project: 'None' })).toEqual([
      'NOT_FOUND',
      undefined,
      'Release project not found',
    ]);
  });
});

describe('an environment', () => {
  it('is added at the end, or at a given position, and the others move', async () => {
    const add = async (name: string, position?: number): Promise<unknown> =>
      await run('createEnvironment', { project: 'Api', name, position, provider: { kind: 'NONE' } }, environment);
    await add('production');
    await add('testing', 1);
    expect(await add('staging', 2)).toMatchObject({
      environment: { position: 2, tier: 'OTHER', reportTimeoutSec: 3600 },
    });
    expect(await order('Api')).toEqual(['1 testing', '2 staging', '3 production']);
    await run('updateEnvironment', { project: 'Api', environment: 'testing', position: 3 }, environment);
    expect(await order('Api')).toEqual(['1 staging', '2 production', '3 testing']);
    expect(
      await refusal('createEnvironment', { project: 'Api', name: 'new', position: 5, provider: { kind: 'NONE' } }),
    ).toEqual(['BAD_INPUT', 'input.position', 'input.position must be between 1 and 4']);
    expect(await order('Api')).toHaveLength(3);
  });

  it('hides the secret of its provider, and never gives it to a provider of another kind', async () => {
    const provider = { kind: 'HTTP', url: 'https://cd.example.test/deploy', secret: 'hush-hush' };
    const made = await run<object>(
      'createEnvironment',
      { project: 'Web', name: 'production', tier: 'PRODUCTION', provider },
      environment,
    );
    expect(made).toEqual({
      environment: {
        name: 'production',
        position: 1,
        tier: 'PRODUCTION',
        provider: {
          kind: 'HTTP',
          command: null,
          timeoutSec: null,
          url: provider.url,
          statusUrl: null,
          workflow: null,
          hasSecret: true,
        },
        reportTimeoutSec: 3600,
        freezeAfterRollback: false,
        freezeAfterRollbackSec: null,
      },
    });
    const [row] = await s.rows<{ id: string; sealed: Buffer; all: string }>(
      "select id, provider_secret as sealed, to_jsonb(e)::text as all from environment e where name = 'production' and provider ->> 'kind' = 'http'",
    );
    expect(row?.all).not.toContain('hush');
    const owner = { accountId: s.accountId, kind: 'environment', id: row?.id ?? '' } as const;
    expect(openSecret(s.secrets, owner, row?.sealed as Buffer)).toBe('hush-hush');
    expect(() => openSecret(s.secrets, { ...owner, kind: 'project' }, row?.sealed as Buffer)).toThrow(
      'unable to authenticate data',
    );

    const change = async (next: object): Promise<unknown> =>
      (
        await run<{ environment: { provider: { hasSecret: boolean } } }>(
          'updateEnvironment',
          { project: 'Web', environment: 'production', provider: next },
          environment,
        )
      ).environment.provider.hasSecret;
    expect(await change({ kind: 'HTTP', url: 'https://cd.example.test/other' })).toBe(true);
    expect(await change({ kind: 'HTTP', url: 'https://cd.example.test/other', secret: null })).toBe(false);
    expect(await change({ ...provider })).toBe(true);
    expect(await change({ kind: 'COMMAND', command: 'deploy' })).toBe(false);
  });

  it('changes only the given settings', async () => {
    const change = async (input: object): Promise<unknown> =>
      await run('updateEnvironment', { project: 'Web', environment: 'production', ...input }, environment);
    expect(
      await change({ reportTimeoutSec: 60, freezeAfterRollback: true, freezeAfterRollbackSec: 3600 }),
    ).toMatchObject({
      environment: {
        tier: 'PRODUCTION',
        reportTimeoutSec: 60,
        freezeAfterRollback: true,
        freezeAfterRollbackSec: 3600,
      },
    });
    expect(await change({ tier: 'STAGING', freezeAfterRollbackSec: null })).toMatchObject({
      environment: { tier: 'STAGING', reportTimeoutSec: 60, freezeAfterRollback: true, freezeAfterRollbackSec: null },
    });
  });

  it('shows in a preview what would change, and stays as it is', async () => {
    const asked = async (input: object) =>
      await run<{ impact: { changedFields: string[] } | null }>(
        'updateEnvironment',
        { project: 'Web', environment: 'production', ...input },
        `${environment} impact { sentence changedFields affects { id } }`,
      );
    const before = await asked({ reportTimeoutSec: 60 });
    expect(before.impact).toBeNull();
    expect(await asked({ reportTimeoutSec: 600, tier: 'STAGING', position: 1, preview: true })).toEqual({
      ...before,
      impact: {
        sentence: 'A deployment without a report is unknown after 600 s instead of 60 s.',
        changedFields: ['reportTimeoutSec'],
        affects: [],
      },
    });
    expect((await asked({ provider: { kind: 'NONE' }, preview: true })).impact?.changedFields).toEqual(['provider']);
    expect(await asked({ preview: true })).toMatchObject({
      impact: { sentence: 'Nothing changes.', changedFields: [] },
    });
    expect(
      await refusal('updateEnvironment', { project: 'Web', environment: 'production', position: 9, preview: true }),
    ).toMatchObject(['BAD_INPUT', 'input.position', expect.stringMatching(/^input.position must be between 1 and /)]);
  });

  it('keeps its provider while a deployment runs', async () => {
    await run('createEnvironment', { project: 'Web', name: 'busy', provider: { kind: 'NONE' } }, environment);
    await s.rows(
      `with c as (insert into release (account_id, project_id, version, created_at) select account_id, id, 'busy', now() from release_project where name = 'Web' returning *),
        k as (insert into release_candidate (account_id, project_id, release_id, version, number, commit, repository_id, status, actor, created_at)
              select c.account_id, c.project_id, c.id, 'busy-rc1', 1, $1, p.repository_id, 'ready', 'ada', now() from c join release_project p on p.id = c.project_id returning *)
       insert into deployment (account_id, environment_id, candidate_id, kind, status, actor, created_at, status_at)
       select k.account_id, e.id, k.id, 'forward', 'in_progress', 'ada', now(), now() from k join environment e on e.name = 'busy'`,
      [commit],
    );
    await s.rows(
      "update environment e set current_deployment_id = d.id from deployment d where d.environment_id = e.id and e.name = 'busy'",
    );
    expect(
      await refusal('updateEnvironment', {
        project: 'Web',
        environment: 'busy',
        provider: { kind: 'COMMAND', command: 'x' },
      }),
    ).toEqual([
      'CONFLICT',
      'input.provider',
      'busy has a running deployment. Cancel the deployment, or change the provider after the deployment has ended.',
    ]);
  });

  it.each([
    [{ kind: 'COMMAND', command: ' ' }, 'input.provider.command is required'],
    [{ kind: 'COMMAND', command: 'x', timeoutSec: 86_401 }, 'input.provider.timeoutSec must be between 1 and 86400'],
    [{ kind: 'HTTP' }, 'input.provider.url is required'],
    [{ kind: 'HTTP', url: 'file:///etc' }, 'input.provider.url must be an absolute http or https URL'],
    [
      { kind: 'HTTP', url: 'https://a:b@c.test' },
      'input.provider.url must not contain a user name or a password, because calls are signed',
    ],
    [
      { kind: 'HTTP', url: 'https://c.test', secret: '' },
      'input.provider.secret must not be empty. Give null to remove the secret',
    ],
    [{ kind: 'GITHUB_ACTIONS' }, 'input.provider.workflow is required'],
    [{ kind: 'NONE', command: 'x' }, 'input.provider.command is not for a provider of the kind NONE'],
    [
      { kind: 'GITHUB_ACTIONS', workflow: 'x', secret: 'y' },
      'input.provider.secret is not for a provider of the kind GITHUB_ACTIONS',
    ],
  ])('is refused with the provider %j', async (provider, message) => {
    expect(await refusal('createEnvironment', { project: 'Web', name: 'new', provider })).toMatchObject({
      0: 'BAD_INPUT',
      2: message,
    });
  });

  it('has a name that is unique in its project', async () => {
    const provider = { kind: 'NONE' };
    expect(await refusal('createEnvironment', { project: 'Web', name: 'production', provider })).toEqual([
      'CONFLICT',
      'input.name',
      'Web already has an environment production.',
    ]);
    expect(await refusal('updateEnvironment', { project: 'Web', environment: 'Production' })).toEqual([
      'NOT_FOUND',
      undefined,
      'Release environment not found',
    ]);
  });
});

describe('a release candidate', () => {
  const make = async (version: string, more: object = {}): Promise<Record<string, unknown>> =>
    (
      await run<{ releaseCandidate: Record<string, unknown> }>(
        'createRelease',
        { project: 'Web', version, repository: 'acme/web', commit, ...more },
        'releaseCandidate { id version number releaseVersion commit status endedAt release { version } project { name } }',
      )
    ).releaseCandidate;

  it('belongs to its release, is ready at once, and can be read by its id', async () => {
    const made = await make('3.0-rc2', { commit: commit.toUpperCase() });
    expect(made).toMatchObject({
      number: 2,
      releaseVersion: '3.0',
      commit,
      status: 'READY',
      release: { version: '3.0' },
      project: { name: 'Web' },
    });
    await make('3.0-rc3');
    const { data } = await s.graphql(
      `query ($id: ID!) { node(id: $id) { ... on ReleaseCandidate { version } }
         releaseProject(name: "Web") { release(version: "3.0") { candidates { nodes { version } } } releaseCandidate(version: "3.0-rc9") { id } } }`,
      { id: made['id'] },
    );
    expect(data).toEqual({
      node: { version: '3.0-rc2' },
      releaseProject: {
        release: { candidates: { nodes: [{ version: '3.0-rc3' }, { version: '3.0-rc2' }] } },
        releaseCandidate: null,
      },
    });
  });

  it('is made once, although several requests come at once', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, async () => (await make('4.0-rc1'))['id']));
    expect(new Set(ids).size).toBe(1);
    expect(
      await s.rows(
        "select action from event e join release_candidate c on c.id = e.candidate_id where c.version = '4.0-rc1' order by e.id",
      ),
    ).toEqual([{ action: 'candidate_created' }, { action: 'candidate_ready' }]);
  });

  it('is built if a build is configured and requested', async () => {
    await run(
      'updateReleaseProject',
      { project: 'Web', build: { kind: 'HTTP', url: 'https://ci.example.test/' } },
      'releaseProject { name }',
    );
    expect(await make('5.0-rc1', { triggerBuildWorkflow: true })).toMatchObject({ status: 'BUILDING', endedAt: null });
    expect(await make('5.0-rc2')).toMatchObject({ status: 'READY' });
  });

  it('leaves one entry in the audit log for each change, and none for a repetition', async () => {
    const { token } = await account.add('rita', { role: 'maintainer', scopes: ['release:write', 'deploy:write'] });
    const twice = async <Payload>(mutation: string, input: unknown, selection: string): Promise<Payload> => {
      await account.run<Payload>(mutation, input, selection, token);
      return await account.run<Payload>(mutation, input, selection, token);
    };
    const release = { project: 'Web', version: '6.0-rc1', repository: 'acme/web', commit };
    await twice('createRelease', release, 'releaseCandidate { id }');
    await twice('updateReleaseProject', { project: 'Web', buildTimeoutSec: 61 }, 'releaseProject { name }');
    const build = { kind: 'COMMAND', command: 'make audited', timeoutSec: 9 };
    await twice('updateReleaseProject', { project: 'Web', build }, 'releaseProject { name }');
    const made = { project: 'Web', name: 'audited', provider: { kind: 'NONE' }, tier: 'STAGING' };
    await account.run('createEnvironment', made, 'environment { name }', token);
    const environment = { project: 'Web', environment: 'audited' };
    await twice('updateEnvironment', { ...environment, tier: 'PRODUCTION' }, 'environment { name }');
    const { deployment } = await account.run<{ deployment: { id: string } }>(
      'createDeployment',
      { ...environment, version: '6.0-rc1' },
      'deployment { id }',
      token,
    );
    await twice('cancelDeployment', { id: deployment.id }, 'deployment { id }');
    expect(
      await s.rows("select action, entity, target from user_action where actor = 'rita@acme.test' order by id"),
    ).toEqual(
      [
        ['release_candidate_created', 'Web/6.0-rc1'],
        ['release_project_updated', 'Web'],
        ['release_project_updated', 'Web'],
        ['environment_created', 'Web/audited'],
        ['environment_updated', 'Web/audited'],
        ['deployment_created', 'Web/audited: 6.0-rc1'],
        ['deployment_canceled', 'Web/audited: 6.0-rc1'],
      ].map(([action, target]) => ({ action, entity: 'release', target })),
    );
  });
});
