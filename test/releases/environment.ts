// A release project with one environment and its candidates, used through GraphQL and REST as users do.
import type { TestServer } from '../support/server.ts';

export interface ShownDeployment {
  readonly id: string;
  readonly release_candidate_version: string;
  readonly from_release_candidate_version: string | null;
  readonly status: string;
  readonly error_message: string | null;
  readonly rollback_of: string | null;
  readonly deploy_start_at: string | null;
  readonly deploy_end_at: string | null;
}

export interface Refusal {
  readonly error: string;
}

export interface TestEnvironment {
  readonly project: string;
  readonly name: string;
  readonly id: string;
  /** Makes a candidate with the status that its build would have left. */
  candidate(version: string, status?: 'ready' | 'building' | 'failed'): Promise<void>;
  deploy(version: string): Promise<ShownDeployment & Refusal>;
  report(version: string, status: string): Promise<ShownDeployment & Refusal>;
  rollBack(force?: boolean): Promise<ShownDeployment & Refusal>;
  /** The deployments, the newest first, such as `v2-rc1 success`. */
  line(): Promise<string[]>;
  /** The actions of events about deployments, the oldest first. */
  events(): Promise<readonly { readonly action: string; readonly payload: Record<string, unknown> }[]>;
  freeze(): Promise<void>;
  unfreeze(): Promise<void>;
}

const createAll = `mutation ($project: String!, $name: String!, $repository: RepositoryInput!) {
  createReleaseProject(input: {name: $project, repository: $repository}) { releaseProject { id } }
  createEnvironment(input: {project: $project, name: $name, provider: {kind: NONE}}) { environment { id } }
}`;

export async function environmentOf(s: TestServer, project: string, name = 'production'): Promise<TestEnvironment> {
  const repository = { owner: 'acme', name: project.toLowerCase() };
  await ask(s, 'mutation ($input: CreateRepositoryInput!) { createRepository(input: $input) { __typename } }', {
    input: { ...repository, host: 'LOCAL' },
  });
  await ask(s, createAll, { project, name, repository });
  const [row] = await s.rows<{ id: string; projectId: string; repositoryId: string }>(
    `select e.id, e.project_id as "projectId", p.repository_id as "repositoryId" from environment e
     join release_project p on p.id = e.project_id where p.name = $1 and e.name = $2`,
    [project, name],
  );
  if (!row) throw new Error('There is no environment.');
  const { id, projectId, repositoryId } = row;
  const path = `/api/releases/${project}/environments/${name}`;
  const send = async (method: string, at: string, body?: unknown): Promise<ShownDeployment & Refusal> =>
    (await (await s.rest(method, `${path}/${at}`, { body })).json()) as ShownDeployment & Refusal;
  return {
    project,
    name,
    id,
    async candidate(version, status = 'ready') {
      const release = version.replace(/-rc\d+$/, '');
      await s.rows(
        `insert into release (account_id, project_id, version, created_at) values ($1, $2, $3, now()) on conflict do nothing`,
        [s.accountId, projectId, release],
      );
      await s.rows(
        `insert into release_candidate (account_id, project_id, release_id, version, number, commit, repository_id, status, actor, created_at)
         select $1, $2, r.id, $3, 1, repeat('c', 40), $4, $5, 'ada@example.test', now() from release r
         where r.account_id = $1 and r.project_id = $2 and r.version = $6`,
        [s.accountId, projectId, version, repositoryId, status, release],
      );
    },
    deploy: async (version) => await send('POST', 'deployments', { release_candidate_version: version }),
    report: async (version, status) =>
      await send('PATCH', 'deployments', { release_candidate_version: version, status }),
    rollBack: async (force = false) => await send('POST', 'rollback', { force }),
    async line() {
      const response = await s.rest('GET', `${path}/deployments?per_page=100`);
      const shown = (await response.json()) as ShownDeployment[];
      return shown.map((each) => `${each.release_candidate_version} ${each.status}`);
    },
    events: async () =>
      await s.rows(
        `select action, payload from event where environment_id = $1 and deployment_id is not null order by id`,
        [id],
      ),
    async freeze() {
      await s.rows(
        `insert into freeze_rule (account_id, environment_id, source, starts_at, created_by, created_at)
         values ($1, $2, 'manual', now() - interval '1 minute', 'ada@example.test', now())`,
        [s.accountId, id],
      );
    },
    async unfreeze() {
      await s.rows('update freeze_rule set deleted_at = now() where environment_id = $1', [id]);
    },
  };
}

async function ask(s: TestServer, document: string, variables: Readonly<Record<string, unknown>>): Promise<void> {
  const { errors, text } = await s.graphql(document, variables);
  if (errors.length > 0) throw new Error(text);
}
