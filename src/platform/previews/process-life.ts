// The life of a preview as a process: make its folders, boot it, run its teardown script, end its processes and remove
// its folders.
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { dirname, extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findProgram, withRunFolders, type RunFolders, type SandboxOutcome, type Sandbox } from '../sandbox/index.ts';
import { threadScript } from '../threads.ts';
import { resolveImageDirectory, imageInside, startOf } from './images.ts';
import { openOrders, type Order, type Orders } from './orders.ts';
import { BootFailed, type PreviewBoot, type PreviewSandbox } from './port.ts';
import { createSandboxOutput, interlockLine, type SandboxOutput } from './sandbox-output.ts';
import type { Hosts } from '../../hosts/port.ts';
import { checkOutBoot } from './checkout.ts';
import { commandOf } from './scripts.ts';
import { longestTimerMs } from '../longest-timer.ts';

export interface ProcessOptions {
  readonly hosts: Hosts;
  /** Null: this machine has no sandbox, so no preview is booted. */
  readonly sandbox: Sandbox | null;
  /** The directories of this machine that images may use, subdirectories included. */
  readonly directories: readonly string[];
  /**
   * The folder in which runs get their folders. Its path must be short, because the paths of the sockets in it have a
   * length limit.
   */
  readonly workDir?: string;
  readonly limits?: ProcessLimits;
}

/** Limits besides the bounds of the sandbox. The bounds of the sandbox apply to all processes of a preview together. */
export interface ProcessLimits {
  /** The most memory of each single process. */
  readonly memoryBytes: number;
  readonly teardownTimeoutMs: number;
}

export type LifeOptions = Required<Omit<ProcessOptions, 'sandbox'>> & {
  readonly sandbox: NonNullable<ProcessOptions['sandbox']>;
};

export interface ProcessLife {
  readonly ready: Promise<PreviewSandbox>;
  /** Resolves when all processes and files of the sandbox are gone. Never rejects. */
  readonly gone: Promise<void>;
  /** Ends the sandbox. If the sandbox is up, its teardown script runs before. */
  end(): Promise<void>;
  /** Ends the sandbox without its teardown script. */
  kill(): Promise<void>;
}

/** What is known about a sandbox once its folders are set up. */
interface Inside {
  readonly checkout: string;
  readonly port: number;
  readonly address: string;
  readonly orders: Orders;
  /** The program that starts the app. Null: the setup script starts the app. */
  readonly start: Order['argv'] | null;
  readonly env: Readonly<Record<string, string>>;
}

interface SandboxSetup {
  readonly inside: Inside;
  readonly listeners: readonly Server[];
  readonly shown: readonly { readonly from: string; readonly at: string }[];
}

const lookEveryMs = 100;
const failureReasonTimeoutMs = 2_000;
// The path of a socket has at most 107 bytes on Linux, and a few less on other systems.
const longestSocketPath = 103;
const supervisor = fileURLToPath(threadScript(import.meta.url, 'supervisor'));

export function bootProcess(
  options: LifeOptions,
  boot: PreviewBoot,
  supervision: { readonly signal: AbortSignal; readonly onOutput: (text: string) => void },
): ProcessLife {
  const output = createSandboxOutput(boot.secrets, supervision.onOutput);
  const killing = new AbortController();
  const prepared = Promise.withResolvers<Inside>();
  const outcome = withRunFolders(options.workDir, async (folders) => {
    const { inside, listeners, shown } = await setUpSandbox(options, boot, folders);
    const running = options.sandbox.run({
      command: commandOfSupervisor(options, inside.port),
      folders,
      env: {},
      timeoutMs: Math.min(boot.lifeMs, longestTimerMs),
      listeners,
      shown,
      // A sandbox may live for a day. Its output has no limit here, because only a bounded part of it is kept.
      bounds: { ...options.sandbox.bounds, outputBytes: Infinity },
      onOutput: output.write,
      signal: killing.signal,
    });
    // The sandbox is ready only when this process has closed its listeners. Before, this process could accept a
    // connection that is meant for the sandbox.
    void Promise.all(listeners.map(async (listener) => await once(listener, 'close'))).then(() =>
      prepared.resolve(inside),
    );
    return await running.finally(() => listeners.forEach((listener) => listener.close()));
  }).finally(() => output.end());
  outcome.catch((error: unknown) => prepared.reject(error));
  prepared.promise.catch(() => {});
  const gone = outcome.then(
    () => {},
    () => {},
  );
  const kill = async (): Promise<void> => {
    killing.abort();
    await gone;
  };
  const { teardownTimeoutMs } = options.limits;
  const life = { boot, output, outcome, kill, teardownTimeoutMs, bootedAt: performance.now() };
  let up: PreviewSandbox | null = null;
  const ready = bringUp(life, prepared.promise, supervision.signal).then(
    (sandbox) => (up = sandbox),
    async (error: unknown) => {
      await kill();
      throw error;
    },
  );
  return { ready, gone, kill, end: async () => await (up === null ? kill() : up.end()) };
}

async function setUpSandbox(options: LifeOptions, boot: PreviewBoot, folders: RunFolders): Promise<SandboxSetup> {
  const { hosts, sandbox } = options;
  const { image } = boot;
  const isPlain = sandbox.kind === 'plain';
  const directory = image.kind === 'directory' ? await resolveImageDirectory(image.source, options.directories) : null;
  await checkOutBoot(hosts, boot, { folder: folders.checkout, bounds: sandbox.bounds });
  await copyFile(supervisor, supervisorAt(folders.home));
  // The sandbox does not see this folder, and other users of this machine cannot open it.
  const sockets = join(dirname(folders.root), 's');
  await mkdir(sockets, { mode: 0o700 });
  const orders = await listen(join(sockets, 'orders'));
  const app = await listen(join(sockets, 'app'));
  const imageAt = directory === null || isPlain ? directory : imageInside;
  const port = isPlain ? await freePort() : boot.port;
  return {
    inside: {
      checkout: folders.checkout,
      port,
      address: `unix:${app.path}`,
      orders: openOrders(orders.path),
      start: await startingWith(image, directory, imageAt),
      env: { ...boot.secrets, ...boot.env, ...(imageAt !== null && { PREVIEW_IMAGE: imageAt }), PORT: String(port) },
    },
    listeners: [orders.server, app.server],
    shown: directory === null || isPlain ? [] : [{ from: directory, at: imageInside }],
  };
}

async function startingWith(
  image: PreviewBoot['image'],
  directory: string | null,
  imageAt: string | null,
): Promise<Order['argv'] | null> {
  if (image.kind === 'command') return ['/bin/sh', '-e', '-c', image.source];
  const start = directory === null ? null : await startOf(directory);
  return start === null ? null : [`${imageAt}/${start}`];
}

/**
 * Listens on a socket and then renames it. When this process closes its copy of the socket, Node removes the path to
 * which the socket was bound. The renamed path stays, and the process inside the sandbox continues to listen.
 */
async function listen(path: string): Promise<{ readonly server: Server; readonly path: string }> {
  if (Buffer.byteLength(path) > longestSocketPath - 1)
    throw new Error(`${path} is too long for a socket: give the worker a shorter TMPDIR.`);
  const server = createServer();
  server.listen(`${path}+`);
  await once(server, 'listening');
  await rename(`${path}+`, path);
  return { server, path };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function supervisorAt(home: string): string {
  return join(home, `.preview-supervisor.m${extname(supervisor).slice(1)}`);
}

function commandOfSupervisor({ sandbox, limits }: LifeOptions, port: number): string {
  const bounded = findProgram('prlimit') === null ? '' : `prlimit --data=${limits.memoryBytes} `;
  return `exec ${bounded}'${sandbox.node}' --no-warnings "$HOME/${supervisorAt('').replace(/^\//, '')}" ${port}`;
}

interface Life {
  readonly boot: PreviewBoot;
  readonly output: SandboxOutput;
  readonly outcome: Promise<SandboxOutcome>;
  readonly teardownTimeoutMs: number;
  readonly kill: () => Promise<void>;
  /** When the sandbox booted, by the clock of this process. */
  readonly bootedAt: number;
}

async function bringUp(life: Life, furnishing: Promise<Inside>, signal: AbortSignal): Promise<PreviewSandbox> {
  const { boot, output } = life;
  const late = AbortSignal.timeout(boot.bootTimeoutMs);
  const giveUp = AbortSignal.any([late, signal]);
  let doing = 'The checkout was not ready';
  const steps = async (): Promise<PreviewSandbox> => {
    const inside = await furnishing;
    if (inside.start !== null) await inside.orders.start({ argv: inside.start, env: inside.env }, giveUp);
    doing = `${boot.setup} had not ended`;
    await setUp(life, inside, giveUp);
    doing = `Nothing listened on port ${inside.port} (PORT)`;
    while (!(await inside.orders.isUp(giveUp))) await delay(lookEveryMs, undefined, { signal: giveUp });
    return runningSandbox(life, inside);
  };
  try {
    return await Promise.race([steps().catch(explained(life)), aborted(giveUp), endedEarly(life)]);
  } catch (error) {
    signal.throwIfAborted();
    if (!late.aborted) throw error;
    throw new BootFailed(`${doing} after ${boot.bootTimeoutMs / 1000} s${output.lastLineText()}`);
  }
}

async function setUp({ boot, output }: Life, { orders, checkout, env }: Inside, signal: AbortSignal): Promise<void> {
  const argv = await commandOf(checkout, boot.setup);
  if (argv === null)
    throw new BootFailed(`The commit has no ${boot.setup}: add it, or name another file by \`setup\` of the preview.`);
  const before = output.lastLineText();
  const code = await orders.run({ argv, env }, signal);
  if (code === 0) return;
  // The script's output arrives on another channel than its exit code, and possibly later.
  const until = performance.now() + failureReasonTimeoutMs;
  while (output.lastLineText() === before && performance.now() < until) await delay(lookEveryMs, undefined, { signal });
  throw new BootFailed(`${boot.setup} exited with code ${code}${output.lastLineText()}`);
}

async function aborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

/**
 * If an order failed because the sandbox ended, waits for the reason of the end, which says more than the failed order.
 */
function explained(life: Life): (error: unknown) => Promise<never> {
  return async (broken) => {
    if (!(broken instanceof BootFailed))
      await Promise.race([endedEarly(life), delay(failureReasonTimeoutMs, undefined, { ref: false })]);
    throw broken;
  };
}

/**
 * Throws when the sandbox ends during the boot: BootFailed if the app is the cause, another error if the sandbox is.
 */
async function endedEarly({ outcome, output, boot }: Life): Promise<never> {
  const ended = await outcome;
  if (ended.kind === 'exited')
    throw new BootFailed(`The app ended during the boot with code ${ended.code}${output.lastLineText()}`);
  throw new Error(`The sandbox ${boot.name} ended during the boot: ${describeEnd(ended, output)}`);
}

function runningSandbox(life: Life, inside: Inside): PreviewSandbox {
  const { boot, outcome, output, kill } = life;
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    clearTimeout(lifeTimer);
    await tearDown(life, inside);
    await kill();
  };
  // Without a teardown script, the sandbox runs until the end of its life.
  const untilEnd = boot.teardown === null ? longestTimerMs : Math.min(untilTeardown(life), longestTimerMs);
  const lifeTimer = setTimeout(() => void sandbox.end(), untilEnd);
  lifeTimer.unref();
  const ended = outcome.then(
    (known) => describeEnd(known, output),
    (error: unknown) => `The preview ended: ${String(error)}`,
  );
  const sandbox = { address: inside.address, end: async () => await (ending ??= end()), ended };
  return sandbox;
}

/** Milliseconds until the teardown script must start, so that its time ends with the sandbox's life. */
function untilTeardown({ boot, teardownTimeoutMs, bootedAt }: Life): number {
  return Math.max(boot.lifeMs - teardownTimeoutMs - (performance.now() - bootedAt), 0);
}

/** Runs the teardown script. A failure of the script does not keep the sandbox from ending. */
async function tearDown({ boot, output, outcome, teardownTimeoutMs }: Life, inside: Inside): Promise<void> {
  if (boot.teardown === null) return;
  const argv = await commandOf(inside.checkout, boot.teardown);
  if (argv === null)
    return output.write(interlockLine(`The commit has no ${boot.teardown}, so no teardown script ran.`));
  const late = AbortSignal.timeout(teardownTimeoutMs);
  const run = inside.orders.run({ argv, env: inside.env }, late).catch(() => null);
  const code = await Promise.race([
    run,
    outcome.then(
      () => null,
      () => null,
    ),
  ]);
  if (late.aborted) output.write(interlockLine(`${boot.teardown} was stopped after ${teardownTimeoutMs / 1000} s.`));
  else if (code !== 0 && code !== null) output.write(interlockLine(`${boot.teardown} exited with code ${code}.`));
}

function describeEnd(outcome: SandboxOutcome, output: SandboxOutput): string {
  switch (outcome.kind) {
    case 'exited':
      return `The app ended with code ${outcome.code}${output.lastLineText()}`;
    case 'timed out':
      return 'The preview was stopped at the end of its life.';
    case 'canceled':
      return 'The preview was stopped.';
    case 'stopped':
      return `The app was stopped: ${outcome.because}.`;
    case 'failed':
      return outcome.reason;
    default: {
      const never: never = outcome;
      throw new Error(`Unknown outcome ${JSON.stringify(never)}`);
    }
  }
}
