// Previews as containers of a docker daemon on this machine. A container outlives the worker that booted it. Other
// workers find it by its name.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { defaultRunBounds } from '../../domain/runs/bounds.ts';
import type { Hosts } from '../../hosts/port.ts';
import { bootContainer, type ContainerLimits } from './docker-life.ts';
import { removeContainer } from './docker-engine.ts';
import { endOrphanedContainer } from './docker-scripts.ts';
import { BootFailed, type PreviewSandboxes } from './port.ts';

export interface DockerOptions {
  readonly hosts: Hosts;
  /** Distinguishes containers of this installation from those of other installations on the same daemon. */
  readonly installation: string;
  /** Default: the daemon of DOCKER_HOST, or that of this machine's socket. */
  readonly docker?: Docker;
  /** The name of the docker network. It is created if it does not exist. Containers in it cannot reach each other. */
  readonly network?: string;
  readonly workDir?: string;
  readonly limits?: ContainerLimits;
  /** How much each container may write. Default: the disk bound of commands. */
  readonly diskBytes?: number;
  readonly clock?: () => Date;
}

/** The labels of a container. `teardownLabel` is another. */
const labels = {
  installation: 'interlock.installation',
  preview: 'interlock.preview',
  /** When the container must end, in ISO 8601. For operators, and for workers of an earlier version, which end it then. */
  until: 'interlock.until',
} as const;

const defaultLimits: Omit<ContainerLimits, 'diskBytes'> = {
  memoryBytes: 2 * 1024 ** 3,
  cpus: 2,
  processes: 1024,
  diskLookEveryMs: 5_000,
  teardownTimeoutMs: 60_000,
};
const pingTimeoutMs = 3_000;

const noDaemon = 'No docker daemon answers here: start one, or name it by DOCKER_HOST.';

/**
 * Returns a client of the daemon that DOCKER_HOST names, or of this machine's daemon. Throws if DOCKER_HOST names none
 * and this machine has no socket of one. Loading the client's library takes 0.2 s of CPU and 30 MB, so it is loaded only
 * for a daemon.
 */
async function findDaemon(): Promise<Docker> {
  const sockets = ['/var/run/docker.sock', join(homedir(), '.docker', 'run', 'docker.sock')];
  if ((process.env['DOCKER_HOST'] ?? '') === '' && !sockets.some((path) => existsSync(path))) throw new Error(noDaemon);
  const { default: Client } = await import('dockerode');
  try {
    return new Client();
  } catch (error) {
    throw new Error(`No client of docker could be made: ${(error as Error).message}`, { cause: error });
  }
}

/** Why no container can run here. Null: containers can run. */
async function refusalOf(docker: Docker): Promise<string | null> {
  const { host } = docker.modem as { readonly host?: string };
  if (host !== undefined && !['localhost', '127.0.0.1', '::1'].includes(host))
    return 'The docker daemon of DOCKER_HOST is on another machine, but previews must run on this machine.';
  const answers = docker.ping().then(
    () => true,
    () => false,
  );
  const isThere = await Promise.race([answers, delay(pingTimeoutMs, false, { ref: false })]);
  return isThere ? null : noDaemon;
}

export function createDockerSandboxes(options: DockerOptions): PreviewSandboxes {
  const installation = createHash('sha256').update(options.installation).digest('hex').slice(0, 12);
  const clock = options.clock ?? (() => new Date());
  const settings = {
    hosts: options.hosts,
    network: options.network ?? 'interlock-previews',
    workDir: options.workDir ?? tmpdir(),
    limits: options.limits ?? { ...defaultLimits, diskBytes: options.diskBytes ?? defaultRunBounds.bytes },
  };
  const containerName = (name: string): string => `${name}-${installation}`;
  const { teardownTimeoutMs } = settings.limits;

  let found = options.docker ?? null;
  const connect = async (): Promise<Docker> => (found ??= await findDaemon());
  const refusal = async (): Promise<string | null> =>
    await connect().then(refusalOf, (error: unknown) => (error as Error).message);

  async function destroy(name: string, report: (sentence: string) => void = () => {}): Promise<void> {
    await endOrphanedContainer({ docker: await connect(), teardownTimeoutMs }, containerName(name), report);
  }

  return {
    kind: 'docker',
    refusal: async (kind) => (kind === 'docker' ? await refusal() : `A ${kind} is no image of docker.`),
    async boot(boot, supervision) {
      const refused = await this.refusal(boot.image.kind);
      if (refused !== null) throw new BootFailed(refused);
      await destroy(boot.name);
      const until = new Date(clock().getTime() + boot.lifeMs).toISOString();
      const named = {
        name: containerName(boot.name),
        labels: { [labels.installation]: installation, [labels.preview]: boot.name, [labels.until]: until },
      };
      return await bootContainer({ ...settings, docker: await connect() }, { boot, ...named }, supervision);
    },
    async list() {
      if ((await refusal()) !== null) return [];
      const docker = await connect();
      const filters = { label: [`${labels.installation}=${installation}`] };
      const containers = await docker.listContainers({ all: true, filters });
      return containers.map(({ Labels }) => Labels[labels.preview]).filter((name) => name !== undefined);
    },
    destroy,
    remove: async (name) => await removeContainer(await connect(), containerName(name)),
  };
}
