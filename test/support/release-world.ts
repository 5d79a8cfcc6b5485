// A world that releases: a project of its repository, environments, candidates of its commits, and verbs for them. The
// provider of an environment is somebody's system (cd-server.ts), a command, or none.
import type { DeploymentStatus } from '../../src/domain/releases/release.ts';
import {
  cancelDeployment,
  createDeployment,
  createEnvironment,
  createRelease,
  createReleaseProject,
  reportDeployment,
  rollBackEnvironment,
} from '../../src/modules/releases/index.ts';
import { createHttpOut } from '../../src/platform/http-out/index.ts';
import { findSandbox } from '../../src/platform/sandbox/index.ts';
import { createReleaseDriving } from '../../src/providers.ts';
import { world, type World, type WorldOptions } from './world.ts';

type ProviderInput = Parameters<typeof createEnvironment>[2]['provider'];

export interface ReleaseOptions {
  /** The provider of `production`. Default: none, so reports set the statuses of deployments. */
  readonly provider?: ProviderInput;
  readonly build?: ProviderInput;
  readonly buildTimeoutSec?: number;
  readonly reportTimeoutSec?: number;
}

export type ReleaseWorldOptions = WorldOptions & ReleaseOptions;

export interface Deployed {
  readonly id: string;
  readonly version: string;
  readonly kind: string;
  readonly status: DeploymentStatus;
  readonly error_message: string | null;
  readonly problem: string | null;
}

/** The parts of a world that releases need. They exist on every host. */
export type ReleasingWorld = Pick<World, 'ctx' | 'secrets' | 'repository' | 'git' | 'rows'>;

export interface Releases<W extends ReleasingWorld = World> {
  readonly w: W;
  /** Makes a candidate of the first tip of the base, or of another commit. `built`: by the build of the project. */
  candidate(version: string, options?: { built?: boolean; commit?: string }): Promise<void>;
  /** Returns the id of the deployment. */
  deploy(version: string, options?: { force?: boolean; supersede?: boolean; to?: string }): Promise<string>;
  report(version: string, status: DeploymentStatus): Promise<void>;
  cancel(id: string): Promise<void>;
  rollBack(options?: { force?: boolean }): Promise<string>;
  /** The deployments of `production`, oldest first. */
  deployments(): Promise<Deployed[]>;
  /** The deployments as texts such as `v1-rc1 success`, oldest first. */
  line(): Promise<string[]>;
  candidateStatus(version: string): Promise<{ status: string; error_message: string | null; problem: string | null }>;
  /** Waits until the deployments of `production` have these statuses. */
  become(...line: string[]): Promise<void>;
  log(of: { deployment: string } | { candidate: string }): Promise<string>;
  /** Actions of deployments and candidates, oldest first. */
  events(): Promise<string[]>;
}

export type ReleaseWorld = Releases & AsyncDisposable;

const place = { project: 'shop', environment: 'production' };

/** Makes the world. The plain loop drives its deployments. */
export async function releaseWorld(options: ReleaseWorldOptions = {}): Promise<ReleaseWorld> {
  const w = await world({ runsCi: false, ...options });
  const http = createHttpOut({ allowPrivateAddresses: true });
  const { sandbox } = await findSandbox({ allowPlain: true, kinds: ['plain'] });
  w.loop.releases.driving = createReleaseDriving(w.ctx, { secrets: w.secrets, http, sandbox, network: true });
  const releases = await releasesOf(w, { ...options, until: async (isSo) => await w.until(isSo) });
  return {
    ...releases,
    async [Symbol.asyncDispose]() {
      await w[Symbol.asyncDispose]();
      http.close();
    },
  };
}

/** `until` waits while the loop or Temporal drives the deployments. */
export async function releasesOf<W extends ReleasingWorld>(
  w: W,
  options: ReleaseOptions & { readonly until: (condition: () => Promise<boolean>) => Promise<void> },
): Promise<Releases<W>> {
  const { ctx, secrets } = w;
  const { build, buildTimeoutSec, reportTimeoutSec } = options;
  await createReleaseProject(ctx, secrets, {
    name: place.project,
    repository: w.repository,
    ...(build && { build }),
    ...(buildTimeoutSec !== undefined && { buildTimeoutSec }),
  });
  await createEnvironment(ctx, secrets, {
    project: place.project,
    name: place.environment,
    provider: options.provider ?? { kind: 'none' },
    ...(reportTimeoutSec !== undefined && { reportTimeoutSec }),
  });
  const tip = await w.git('rev-parse', 'main');

  const newest = async (): Promise<string> =>
    (await w.rows<{ id: string }>('select max(id)::text as id from deployment'))[0]?.id ?? '0';

  const r: Releases<W> = {
    w,
    async candidate(version, { built = false, commit = tip } = {}) {
      await createRelease(ctx, {
        project: place.project,
        version,
        repository: `${w.repository.owner}/${w.repository.name}`,
        commit,
        triggerBuildWorkflow: built,
      });
    },
    async deploy(version, { to = place.environment, ...more } = {}) {
      await createDeployment(ctx, { ...place, environment: to, version, ...more });
      return await newest();
    },
    report: async (version, status) => void (await reportDeployment(ctx, { ...place, version, status })),
    cancel: async (id) => void (await cancelDeployment(ctx, { id })),
    async rollBack(more = {}) {
      await rollBackEnvironment(ctx, { ...place, ...more });
      return await newest();
    },
    deployments: async () =>
      await w.rows(
        `select d.id, c.version, d.kind, d.status, d.error_message, d.problem from deployment d
         join release_candidate c on c.id = d.candidate_id join environment e on e.id = d.environment_id
         where e.name = $1 order by d.id`,
        [place.environment],
      ),
    line: async () => (await r.deployments()).map(({ version, status }) => `${version} ${status}`),
    async candidateStatus(version) {
      const [row] = await w.rows<{ status: string; error_message: string | null; problem: string | null }>(
        'select status, error_message, problem from release_candidate where version = $1',
        [version],
      );
      if (row === undefined) throw new Error(`There is no candidate ${version}.`);
      return row;
    },
    become: async (...line) => await options.until(async () => (await r.line()).join() === line.join()),
    async log(of) {
      const text =
        'deployment' in of
          ? 'deployment_id = $1'
          : 'candidate_id = (select id from release_candidate where version = $1)';
      const pieces = await w.rows<{ text: string }>(`select text from deployment_log where ${text} order by id`, [
        'deployment' in of ? of.deployment : of.candidate,
      ]);
      return pieces.map((piece) => piece.text).join('');
    },
    events: async () =>
      (
        await w.rows<{ action: string }>(
          "select action from event where action like 'deployment\\_%' or action like 'candidate\\_%' order by id",
        )
      ).map(({ action }) => action),
  };
  return r;
}
