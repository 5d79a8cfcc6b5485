// Tools about releases: they list what runs in which environment, deploy release candidates and roll back.
import { z } from 'zod';
import {
  McpDeployDocument,
  McpReleaseProjectsDocument,
  McpReleasesDocument,
  McpRollBackDocument,
  McpRunningDocument,
  type McpDeploymentFragment,
} from '../generated/operations.ts';
import { confirmed, defineTool, lower, notDone, ToolRefusal, untrusted, type Api, type Confirmation } from '../tool.ts';

const project = z.string().min(1).describe('The name of the release project, as list_releases has it.');
const environment = z.string().min(1).describe('The name of the environment, such as production.');
const force = z
  .boolean()
  .default(false)
  .describe('true: also while the environment is frozen. Pass it only if the user asks for exactly that.');
const if_running = z
  .string()
  .optional()
  .describe(
    'The version that must run there now, else the call is refused. The answer with confirm: false has it in to_confirm, so that nothing is done twice.',
  );

const listReleases = defineTool({
  name: 'list_releases',
  title: 'List releases',
  description:
    'Without a project: the release projects with their environments. With a project: what runs in each environment since when, its newest deployments, what a rollback would restore, and the newest release candidates.',
  effect: 'reads',
  scopes: ['release:read'],
  input: z.strictObject({
    project: z.string().min(1).optional().describe('The name of a release project. Left out: all projects.'),
    after: z.string().optional().describe('next_page of the answer before, for a list of projects.'),
  }),
  run: async ({ project: wanted, after }, { api }) =>
    wanted === undefined ? await listProjects(api, after) : await showProject(api, wanted),
});

async function listProjects(api: Api, after: string | undefined): Promise<object> {
  const { releaseProjects } = await api.ask(McpReleaseProjectsDocument, { after });
  return {
    projects: releaseProjects.nodes.map(({ name, repository, environments }) => ({
      project: name,
      repository: `${repository.owner}/${repository.name}`,
      environments: environments.map((each) => each.name),
    })),
    next_page: releaseProjects.pageInfo.hasNextPage ? releaseProjects.pageInfo.endCursor : null,
  };
}

async function showProject(api: Api, wanted: string): Promise<object> {
  const { releaseProject } = await api.ask(McpReleasesDocument, { project: wanted });
  if (!releaseProject) throw unknownProject(wanted);
  const { repository, environments, releaseCandidates } = releaseProject;
  return {
    project: wanted,
    repository: `${repository.owner}/${repository.name}`,
    environments: environments.map(({ name, tier, frozen, running, rollback, deployments }) => ({
      environment: name,
      tier: lower(tier),
      frozen: untrusted(frozen?.sentence ?? null),
      running: running?.releaseCandidate.version ?? null,
      running_since: running?.since ?? null,
      rollback_would_deploy: rollback?.releaseCandidate.version ?? null,
      newest_deployments: deployments.nodes.map(deploymentOf),
    })),
    newest_candidates: releaseCandidates.nodes.map(({ version, commit, status, createdAt, errorMessage }) => ({
      version,
      commit,
      status: lower(status),
      created_at: createdAt,
      error: untrusted(errorMessage),
    })),
  };
}

function unknownProject(wanted: string): ToolRefusal {
  return new ToolRefusal('NOT_FOUND', `There is no release project ${wanted} for this token.`, 'project');
}

function deploymentOf(deployment: McpDeploymentFragment): object {
  const { releaseCandidateVersion, fromReleaseCandidateVersion, kind, status, actor, createdAt, errorMessage } =
    deployment;
  return {
    version: releaseCandidateVersion,
    from_version: fromReleaseCandidateVersion,
    kind: lower(kind),
    status: lower(status),
    actor,
    created_at: createdAt,
    error: untrusted(errorMessage),
  };
}

interface Place extends Confirmation {
  readonly project: string;
  readonly environment: string;
  readonly if_running?: string | undefined;
}

/**
 * Runs `deploy` and `roll_back`. The answer without a confirmation contains the version that runs in the environment,
 * so that the confirmed call is refused if this version has changed.
 */
async function change(
  api: Api,
  args: Place,
  send: (
    more: { readonly preview: boolean; readonly ifRunning?: string },
    key?: string,
  ) => Promise<{
    readonly deployment: McpDeploymentFragment;
    readonly impact: { readonly sentence: string } | null;
  }>,
): Promise<object> {
  const ifRunning = args.if_running === undefined ? {} : { ifRunning: args.if_running };
  if (args.confirm) {
    const { deployment } = await send({ preview: false, ...ifRunning }, args.idempotency_key);
    return { done: true, project: args.project, environment: args.environment, ...deploymentOf(deployment) };
  }
  const { impact } = await send({ preview: true, ...ifRunning });
  const { releaseProject } = await api.ask(McpRunningDocument, args);
  const running = releaseProject?.environment?.running?.releaseCandidate.version;
  return notDone(impact?.sentence, running === undefined ? {} : { if_running: running });
}

const deploy = defineTool({
  name: 'deploy',
  title: 'Deploy a release candidate',
  description:
    'Deploys a release candidate to an environment: at once, or after what is being deployed there now. Without confirm: true the answer only says what would happen. list_releases then shows how the deployment goes.',
  effect: 'acts',
  scopes: ['deploy:write'],
  input: z.strictObject({
    project,
    environment,
    version: z.string().min(1).describe('The version of the release candidate, such as 1.4.0-rc1.'),
    supersede: z
      .boolean()
      .default(false)
      .describe('true: cancels what is being deployed there now, instead of waiting for it.'),
    force,
    if_running,
    ...confirmed,
  }),
  run: async (args, { api }) =>
    await change(api, args, async (more, key) => {
      const { project, environment, version, supersede, force } = args;
      const input = { project, environment, version, supersede, force, ...more };
      return (await api.ask(McpDeployDocument, { input }, key)).createDeployment;
    }),
});

const rollBack = defineTool({
  name: 'roll_back',
  title: 'Roll an environment back',
  description:
    'Cancels what is being deployed to an environment, and deploys what ran there before. A second rollback goes further back. Without confirm: true the answer only says what would happen.',
  effect: 'acts',
  scopes: ['deploy:write'],
  input: z.strictObject({ project, environment, force, if_running, ...confirmed }),
  run: async (args, { api }) =>
    await change(api, args, async (more, key) => {
      const { project, environment, force } = args;
      const input = { project, environment, force, ...more };
      return (await api.ask(McpRollBackDocument, { input }, key)).rollBackEnvironment;
    }),
});

export const releaseTools = [listReleases, deploy, rollBack];
