// Inserts a project with one environment and a deployment as rows, for tests that do not drive deployments.
import type { SeededRepository } from '../graphql/seed.ts';
import type { TestServer } from '../support/server.ts';

export interface ReleaseRows {
  readonly projectId: string;
  readonly environmentId: string;
  readonly candidateId: string;
  readonly deploymentId: string;
}

export async function seedRelease(
  s: Pick<TestServer, 'rows' | 'accountId'>,
  { repositoryId, name = 'shop' }: Pick<SeededRepository, 'repositoryId'> & { readonly name?: string },
): Promise<ReleaseRows> {
  const one = async (text: string, values: readonly unknown[]): Promise<string> =>
    (await s.rows<{ id: string }>(`${text} returning id::text as id`, [s.accountId, ...values]))[0]?.id ?? '';
  const projectId = await one(
    'insert into release_project (account_id, name, repository_id, created_at) values ($1, $2, $3, now())',
    [name, repositoryId],
  );
  const environmentId = await one(
    `insert into environment (account_id, project_id, name, position, tier, provider, created_at)
     values ($1, $2, 'production', 1, 'production', '{"kind": "none"}', now())`,
    [projectId],
  );
  const releaseId = await one(
    "insert into release (account_id, project_id, version, created_at) values ($1, $2, 'shop-1.1', now())",
    [projectId],
  );
  const candidateId = await one(
    `insert into release_candidate (account_id, project_id, release_id, version, number, commit, repository_id, status, actor, created_at)
     values ($1, $2, $3, 'shop-1.1-rc2', 2, $4, $5, 'building', 'ada@example.test', now())`,
    [projectId, releaseId, 'a'.repeat(40), repositoryId],
  );
  const deploymentId = await one(
    `insert into deployment (account_id, environment_id, candidate_id, kind, status, actor, created_at, status_at)
     values ($1, $2, $3, 'forward', 'in_progress', 'ada@example.test', now(), now())`,
    [environmentId, candidateId],
  );
  return { projectId, environmentId, candidateId, deploymentId };
}
