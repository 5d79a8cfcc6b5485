// The commands release, deploy and rollback.
import type { Api } from '../client/api.ts';
import { commitOfCheckout } from '../client/checkout.ts';
import { follow } from '../client/follow.ts';
import {
  CreateDeploymentDocument,
  CreateReleaseDocument,
  CursorDocument,
  DeploymentChangedDocument,
  DeploymentProgressDocument,
  ReleaseProjectDocument,
  RollBackEnvironmentDocument,
  type DeploymentRowFragment,
} from '../generated/operations.ts';
import { Failure, type Outcome } from '../output/failure.ts';
import {
  connect,
  examples,
  isConfirmed,
  nameOf,
  completeRefusal,
  reportConnection,
  addHarmOptions,
  type HarmOptions,
  type Invocation,
  type Registry,
} from './invocation.ts';

export function addReleaseCommands({ program, action }: Registry): void {
  program
    .command('release')
    .description('Makes a release candidate of a commit. A second call with the same commit changes nothing.')
    .argument('<project>', 'release project')
    .argument('<version>', 'of the candidate, such as 1.4.0-rc1')
    .argument('[commit]', 'any name that git knows; HEAD of the checkout if left out')
    .option('--build', 'run the build of the project first')
    .addHelpText('after', examples('interlock release shop 1.4.0-rc1', 'interlock release shop 1.4.0-rc2 main --build'))
    .action(action(release));
  addHarmOptions(program.command('deploy'))
    .description('Deploys a candidate to an environment, at once or after the deployments that are in line there.')
    .argument('<project>', 'release project')
    .argument('<environment>', 'of the project')
    .argument('<version>', 'of the candidate')
    .option('--wait', 'wait until the deployment has ended')
    .option('--force', 'also while the environment is frozen')
    .option('--supersede', 'cancel the other deployments there, instead of waiting for them')
    .addHelpText('after', examples('interlock deploy shop production 1.4.0-rc1 --yes --wait'))
    .action(action(deploy));
  addHarmOptions(program.command('rollback'))
    .description('Cancels the active deployments of an environment, and deploys the candidate that ran there before.')
    .argument('<project>', 'release project')
    .argument('<environment>', 'of the project')
    .option('--wait', 'wait until the deployment has ended')
    .option('--force', 'also while the environment is frozen')
    .addHelpText(
      'after',
      examples('interlock rollback shop production', 'interlock rollback shop production --dry-run'),
    )
    .action(action(rollBack));
}

async function release(
  invocation: Invocation,
  { build }: { readonly build?: boolean },
  project = '',
  version = '',
  revision = 'HEAD',
): Promise<void> {
  const api = await connect(invocation);
  const { releaseProject } = await api.ask(ReleaseProjectDocument, { name: project });
  if (releaseProject === null)
    throw new Failure('refused', `There is no release project ${project}. The projects are at ${api.url}/releases`, {
      code: 'NOT_FOUND',
      field: 'project',
    });
  const input = {
    project,
    version,
    repository: nameOf(releaseProject.repository),
    commit: (await commitOfCheckout(invocation.io.cwd, revision)) ?? revision,
    triggerBuildWorkflow: build === true,
  };
  const { createRelease } = await api.ask(CreateReleaseDocument, { input });
  const { releaseCandidate } = createRelease;
  const status = releaseCandidate.status.toLowerCase();
  invocation.say(`${project} ${releaseCandidate.version} is ${status}, at ${releaseCandidate.commit}.`);
  invocation.document({ project, version: releaseCandidate.version, commit: releaseCandidate.commit, status });
}

interface DeployOptions extends HarmOptions {
  readonly wait?: boolean;
  readonly force?: boolean;
  readonly supersede?: boolean;
}

interface Change {
  readonly project: string;
  readonly environment: string;
  /** Null: a rollback, which chooses the version itself. */
  readonly version: string | null;
  /** `ifRunning` is the candidate that ran in the environment when the user saw the preview. */
  readonly send: (more: { readonly preview: boolean; readonly ifRunning?: string }) => Promise<{
    readonly deployment: DeploymentRowFragment;
    readonly impact: { readonly sentence: string } | null;
  }>;
}

async function deploy(
  invocation: Invocation,
  options: DeployOptions,
  project = '',
  environment = '',
  version = '',
): Promise<Outcome | void> {
  const api = await connect(invocation);
  const input = { project, environment, version, force: options.force === true, supersede: options.supersede === true };
  const send: Change['send'] = async ({ preview }) =>
    (await api.ask(CreateDeploymentDocument, { input: { ...input, preview } })).createDeployment;
  return await change(invocation, { api, options }, { project, environment, version, send });
}

async function rollBack(
  invocation: Invocation,
  options: DeployOptions,
  project = '',
  environment = '',
): Promise<Outcome | void> {
  const api = await connect(invocation);
  const input = { project, environment, force: options.force === true };
  const send: Change['send'] = async (more) =>
    (await api.ask(RollBackEnvironmentDocument, { input: { ...input, ...more } })).rollBackEnvironment;
  return await change(invocation, { api, options }, { project, environment, version: null, send });
}

/** Returns what `completeRefusal` appends to a refusal that names neither the place nor a cure. */
function cureOf(of: Pick<Change, 'project' | 'environment' | 'version'> & { readonly url: string }) {
  const { project, environment, version, url } = of;
  const place = `${project}/${environment}`;
  return ({ code, message }: Failure): string => {
    if (code === 'ENVIRONMENT_FROZEN')
      return `${place}. Wait for the end of the freeze, end it (interlock unfreeze ${environment} --project ${project}), or give --force.`;
    if (message === 'No previous deployment to roll back from')
      return `nothing else has run in ${place}. Deploy the version that should run: interlock deploy ${project} ${environment} <version>`;
    return version !== null && (code === 'BAD_INPUT' || message === 'Release not found')
      ? `version ${version} for ${place}. \`interlock release\` makes a candidate.`
      : `${place}. The projects and their environments are at ${url}/releases`;
  };
}

const notDeployed = { version: null, from: null, status: null, error: null };

async function change(
  invocation: Invocation,
  { api, options }: { readonly api: Api; readonly options: DeployOptions },
  { project, environment, version: asked, send }: Change,
): Promise<Outcome | void> {
  const cure = cureOf({ project, environment, version: asked, url: api.url });
  const { impact, deployment: previewed } = await completeRefusal(cure, send({ preview: true }));
  const sentence = impact?.sentence ?? '';
  if (!(await isConfirmed(invocation, options, sentence)))
    return invocation.document({ ...notDeployed, project, environment, impact: sentence });
  const { cursor } = await api.ask(CursorDocument, {});
  const running = previewed.fromReleaseCandidateVersion;
  // Meanwhile another rollback may have succeeded. This one would then go back further than its preview said.
  const { deployment } = await send({ preview: false, ...(running !== null && { ifRunning: running }) });
  const ended = options.wait
    ? await waitForEnd(invocation, api, { project, environment, deployment, cursor })
    : deployment;
  if (api.signal.aborted) return 'interrupted';
  const { releaseCandidateVersion: version, fromReleaseCandidateVersion: from, errorMessage: error } = ended;
  const status = ended.status.toLowerCase();
  invocation.say(`${project}/${environment} ${version}: ${status}.${error === null ? '' : ` ${error}`}`);
  invocation.document({ project, environment, version, from, status, error, impact: sentence });
  return options.wait && ended.status !== 'SUCCESS' ? 'refused' : 'done';
}

const underWay: readonly string[] = ['PENDING', 'IN_PROGRESS', 'CANCELING'];

interface Awaited {
  readonly project: string;
  readonly environment: string;
  readonly deployment: DeploymentRowFragment;
  readonly cursor: string;
}

async function waitForEnd(
  invocation: Invocation,
  api: Api,
  { project, environment, deployment, cursor }: Awaited,
): Promise<DeploymentRowFragment> {
  let last = deployment;
  invocation.printProgress(`${deployment.releaseCandidateVersion}: ${deployment.status.toLowerCase()}`);
  const look = async (): Promise<boolean> => {
    const { node } = await api.ask(DeploymentProgressDocument, { id: deployment.id });
    const now = node as DeploymentRowFragment | null;
    if (now === null) return true;
    if (now.status !== last.status)
      invocation.printProgress(`${now.releaseCandidateVersion}: ${now.status.toLowerCase()}`);
    last = now;
    return !underWay.includes(now.status);
  };
  if (!(await look()))
    await follow(api, {
      document: DeploymentChangedDocument,
      variables: { project, environment },
      after: cursor,
      cursorOf: ({ deploymentChanged }) => deploymentChanged.cursor,
      onChange: look,
      startAgain: async () => {
        const { cursor: newest } = await api.ask(CursorDocument, {});
        return (await look()) ? null : newest;
      },
      onConnection: reportConnection(invocation),
    });
  return last;
}
