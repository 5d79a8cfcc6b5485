// The life of a preview in a container: create the container, copy the checkout into it, start it, run the setup
// script, run the teardown script, and remove the container.
import { execFile, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { findExceededLimit, defaultRunBounds } from '../../domain/runs/bounds.ts';
import type { Hosts } from '../../hosts/port.ts';
import { withProcessFolder } from '../sandbox/index.ts';
import { checkOutBoot } from './checkout.ts';
import { removeContainer, statusOf } from './docker-engine.ts';
import { demultiplex, execute, lookEveryMs, teardownLabel, tearDown, workspace } from './docker-scripts.ts';
import { BootFailed, type PreviewBoot, type PreviewSandbox } from './port.ts';
import { createSandboxOutput, type SandboxOutput } from './sandbox-output.ts';
import { commandOf } from './scripts.ts';
import { longestTimerMs } from '../longest-timer.ts';

export interface ContainerLimits {
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly processes: number;
  /** The most bytes that the container may write outside of volumes. */
  readonly diskBytes: number;
  readonly diskLookEveryMs: number;
  readonly teardownTimeoutMs: number;
}

interface Settings {
  readonly hosts: Hosts;
  readonly docker: Docker;
  readonly network: string;
  readonly workDir: string;
  readonly limits: ContainerLimits;
}

interface Named {
  readonly boot: PreviewBoot;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

interface Life extends Settings, Named {
  readonly output: SandboxOutput;
  readonly container: Docker.Container;
  /** The checkout on this machine, from which it was copied into the container. Scripts are looked up here. */
  readonly checkout: string;
}

/** Why the container was stopped because it wrote too much. Null: the container did not write too much. */
interface Disk {
  exceeded: string | null;
}

/** An option of the Engine's API that is missing in the client's types. */
const withSize: object = { size: true };
/** The pause after a measurement is this many times as long as the measurement took. */
const pausePerLook = 4;
/**
 * Docker's proxy accepts a connection even if the app does not listen, and then closes it. A connection that stays open
 * for this long has reached the app.
 */
const staysOpenMs = 150;

export async function bootContainer(
  settings: Settings,
  named: Named,
  supervision: { readonly signal: AbortSignal; readonly onOutput: (text: string) => void },
): Promise<PreviewSandbox> {
  const { docker } = settings;
  const { boot, name } = named;
  const output = createSandboxOutput(boot.secrets, supervision.onOutput);
  const late = AbortSignal.timeout(boot.bootTimeoutMs);
  const giveUp = AbortSignal.any([late, supervision.signal]);
  try {
    // The folder can be removed after the boot, because the container has a copy of the checkout.
    return await withProcessFolder(settings.workDir, async (folder) => {
      const checkout = join(folder, 'workspace');
      const booting = bringUp(
        { ...settings, ...named, output, container: docker.getContainer(name), checkout },
        giveUp,
      );
      return await Promise.race([booting, aborted(giveUp)]);
    });
  } catch (error) {
    await removeContainer(docker, name);
    supervision.signal.throwIfAborted();
    if (!late.aborted) throw error;
    throw new BootFailed(`The preview was not up after ${boot.bootTimeoutMs / 1000} s${output.lastLineText()}`);
  }
}

async function bringUp(life: Life, signal: AbortSignal): Promise<PreviewSandbox> {
  const { boot, container, output, checkout, hosts } = life;
  await mkdir(checkout);
  await checkOutBoot(hosts, boot, { folder: checkout, bounds: { ...defaultRunBounds, bytes: life.limits.diskBytes } });
  const setup = await commandOf(checkout, boot.setup);
  if (setup === null)
    throw new BootFailed(`The commit has no ${boot.setup}: add it, or name another file by \`setup\` of the preview.`);
  const teardown = boot.teardown === null ? null : await commandOf(checkout, boot.teardown);
  await ensureImage(life);
  await ensureNetwork(life);
  await create(life, teardown);
  await copyIn(life);
  const logs = await container.attach({ stream: true, stdout: true, stderr: true });
  demultiplex(life, logs);
  await container.start();
  const disk: Disk = { exceeded: null };
  const tooLarge = Promise.withResolvers<never>();
  tooLarge.promise.catch(() => {});
  const over = container.wait().then((ended) => (ended as { readonly StatusCode: number }).StatusCode);
  void watchDisk(life, over, async (reason) => {
    disk.exceeded = reason;
    tooLarge.reject(new BootFailed(stoppedFor(reason)));
    await removeContainer(life.docker, life.name);
  });
  const steps = async (): Promise<string> => {
    const code = await execute(life, setup, signal);
    if (code !== 0) throw new BootFailed(`${boot.setup} exited with code ${code}${output.lastLineText()}`);
    return await published(life, signal);
  };
  const ended = over.then((code) => {
    throw new BootFailed(`The container ended with code ${code} during the boot${output.lastLineText()}`);
  });
  const address = await Promise.race([steps(), ended, tooLarge.promise]);
  return runningSandbox(life, { address, teardown, over, disk });
}

/**
 * Asks the daemon repeatedly how much the container has written, and reports an excess. The daemon needs a while for
 * each answer. Resolves when the container ends, and never rejects.
 */
async function watchDisk(
  { container, limits }: Life,
  over: Promise<unknown>,
  onExceeded: (reason: string) => Promise<void>,
): Promise<void> {
  const { diskBytes, diskLookEveryMs } = limits;
  const ended = over.then(
    () => true,
    () => true,
  );
  let pauseMs = diskLookEveryMs;
  while (!(await Promise.race([ended, delay(pauseMs, false, { ref: false })]))) {
    const startedAt = performance.now();
    const seen = await container.inspect(withSize).catch(() => null);
    pauseMs = Math.max(diskLookEveryMs, (performance.now() - startedAt) * pausePerLook);
    const bytes = (seen as { readonly SizeRw?: number } | null)?.SizeRw ?? 0;
    const exceeded = findExceededLimit({ bytes }, { ...defaultRunBounds, bytes: diskBytes });
    // If the container could not be removed, the next measurement finds the excess again.
    if (exceeded !== null) await onExceeded(exceeded.message).catch(() => {});
  }
}

function stoppedFor(reason: string): string {
  return `The app was stopped: ${reason}.`;
}

/** Pulls the image unless the daemon has it already. */
async function ensureImage({ docker, boot }: Life): Promise<void> {
  const { source } = boot.image;
  const isThere = await docker
    .getImage(source)
    .inspect()
    .then(
      () => true,
      (error: unknown) => {
        if (statusOf(error) === 404) return false;
        throw error;
      },
    );
  if (isThere) return;
  try {
    const pulling = await docker.pull(source);
    await new Promise<void>((resolve, reject) =>
      docker.modem.followProgress(pulling, (error) => (error === null ? resolve() : reject(error))),
    );
  } catch (error) {
    throw new BootFailed(`The image ${source} is not on this machine, and could not be pulled: ${messageOf(error)}`);
  }
}

async function ensureNetwork({ docker, network }: Life): Promise<void> {
  const options = { 'com.docker.network.bridge.enable_icc': 'false' };
  await docker
    .getNetwork(network)
    .inspect()
    .catch(async (error: unknown) => {
      if (statusOf(error) !== 404) throw error;
      await docker.createNetwork({ Name: network, Driver: 'bridge', CheckDuplicate: true, Options: options });
    })
    .catch((error: unknown) => {
      if (statusOf(error) !== 409) throw error;
    });
}

async function create(life: Life, teardown: readonly string[] | null): Promise<void> {
  const { docker, boot, name, labels, limits, network } = life;
  const port = `${boot.port}/tcp`;
  const env = { ...boot.secrets, ...boot.env, PORT: String(boot.port), WORKSPACE: workspace };
  await docker.createContainer({
    name,
    Image: boot.image.source,
    Labels: { ...labels, ...(teardown !== null && { [teardownLabel]: JSON.stringify(teardown) }) },
    Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
    ExposedPorts: { [port]: {} },
    // If the image's command is a shell, the open input keeps the shell and so the container running, until the setup
    // script starts.
    OpenStdin: true,
    HostConfig: {
      PortBindings: { [port]: [{ HostIp: '127.0.0.1', HostPort: '' }] },
      NetworkMode: network,
      Memory: limits.memoryBytes,
      MemorySwap: limits.memoryBytes,
      NanoCpus: limits.cpus * 1e9,
      PidsLimit: limits.processes,
      CapDrop: ['NET_RAW', 'MKNOD', 'AUDIT_WRITE', 'SYS_CHROOT'],
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
      Init: true,
      RestartPolicy: { Name: 'no' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    },
  });
}

/** Copies the checkout into the container. Every user may write to it, because the image's user is unknown. */
async function copyIn({ container, checkout }: Life): Promise<void> {
  await promisify(execFile)('chmod', ['-R', 'a+rwX', '--', checkout]);
  const tar = spawn('tar', ['-C', join(checkout, '..'), '-cf', '-', 'workspace'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await container.putArchive(tar.stdout, { path: '/' });
}

async function published({ container, boot }: Life, signal: AbortSignal): Promise<string> {
  for (;;) {
    const { NetworkSettings } = await container.inspect();
    const at = NetworkSettings.Ports[`${boot.port}/tcp`]?.[0]?.HostPort;
    if (at !== undefined && (await isUp(Number(at)))) return `tcp:127.0.0.1:${at}`;
    await delay(lookEveryMs, undefined, { signal });
  }
}

async function isUp(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
    return await Promise.race([
      delay(staysOpenMs, true, { ref: false }),
      once(socket, 'data').then(() => true),
      once(socket, 'close').then(() => false),
    ]);
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function runningSandbox(
  life: Life,
  {
    address,
    teardown,
    over,
    disk,
  }: {
    readonly address: string;
    readonly teardown: readonly string[] | null;
    readonly over: Promise<number>;
    readonly disk: Disk;
  },
): PreviewSandbox {
  const { boot, docker, name, output, limits } = life;
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    clearTimeout(lifeTimer);
    await tearDown(life, teardown, limits.teardownTimeoutMs).catch(() => {});
    await removeContainer(docker, name);
    output.end();
  };
  const endOnce = async (): Promise<void> => await (ending ??= end());
  // The teardown script starts early enough to have its full time before the end of the sandbox's life.
  const untilEnd = Math.max(boot.lifeMs - (teardown === null ? 0 : limits.teardownTimeoutMs), 0);
  const lifeTimer = setTimeout(() => void endOnce().catch(() => {}), Math.min(untilEnd, longestTimerMs));
  lifeTimer.unref();
  const describeEnd = (code: number | null): string => {
    if (disk.exceeded !== null) return stoppedFor(disk.exceeded);
    if (ending !== undefined || code === null) return 'The preview was stopped.';
    return `The container ended with code ${code}${output.lastLineText()}`;
  };
  const ended = over.then(describeEnd, () => describeEnd(null));
  // A container that was removed for writing too much cannot run its teardown script, but the rest of the sandbox must
  // be ended.
  void ended.then(async () => {
    if (disk.exceeded !== null) await endOnce().catch(() => {});
  });
  return { address, end: endOnce, ended };
}

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

function messageOf(error: unknown): string {
  const { reason, message } = error as { readonly reason?: string; readonly message?: string };
  return (reason ?? message ?? String(error)).slice(0, 200);
}
