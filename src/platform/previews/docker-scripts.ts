// Scripts in a container: setup and teardown, and the teardown of a container whose worker is gone.
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { removeContainer } from './docker-engine.ts';
import type { PreviewBoot } from './port.ts';
import { noted, type SandboxOutput } from './sandbox-output.ts';

export const workspace = '/workspace';
export const lookEveryMs = 200;

/** A label of the container: its teardown script's command, as JSON. It is there when the worker is gone. */
export const teardownLabel = 'interlock.teardown';

interface Executing {
  readonly docker: Docker;
  readonly container: Docker.Container;
  readonly output: SandboxOutput;
}

export function demultiplex(
  { docker, output }: Pick<Executing, 'docker' | 'output'>,
  stream: NodeJS.ReadableStream,
): void {
  const sink = (): Writable =>
    new Writable({
      write(piece: Buffer, _encoding, done) {
        output.write(piece);
        done();
      },
    });
  docker.modem.demuxStream(stream, sink(), sink());
}

/** Executes a script and returns its exit code. On `signal` the script is left alone, and ends with its container. */
export async function execute(life: Executing, argv: readonly string[], signal: AbortSignal): Promise<number> {
  const { container } = life;
  const exec = await container.exec({ Cmd: [...argv], WorkingDir: workspace, AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({});
  demultiplex(life, stream);
  // What the script leaves in the background holds its output open: the exit is polled, not awaited.
  while (!signal.aborted) {
    const { Running, ExitCode } = await exec.inspect();
    if (!Running) return ExitCode ?? 1;
    await delay(lookEveryMs, undefined, { signal });
  }
  throw signal.reason;
}

export async function tearDown(
  life: Executing & { readonly boot: PreviewBoot },
  teardown: readonly string[] | null,
  timeoutMs: number,
): Promise<void> {
  const { boot, output } = life;
  if (boot.teardown === null) return;
  if (teardown === null) return output.write(noted(`The commit has no ${boot.teardown}: nothing was torn down by it.`));
  const late = AbortSignal.timeout(timeoutMs);
  const code = await execute(life, teardown, late).catch(() => null);
  if (late.aborted) output.write(noted(`${boot.teardown} was stopped after ${timeoutMs / 1000} s.`));
  else if (code !== 0 && code !== null) output.write(noted(`${boot.teardown} exited with code ${code}.`));
}

/** Ends a container that a worker left. Nobody knows its secrets, so its script's output is not reported. */
export async function endLeftContainer(
  { docker, teardownTimeoutMs }: { readonly docker: Docker; readonly teardownTimeoutMs: number },
  name: string,
  report: (sentence: string) => void,
): Promise<void> {
  const container = docker.getContainer(name);
  const argv = await leftTeardown(container).catch(() => null);
  if (argv !== null) {
    const late = AbortSignal.timeout(teardownTimeoutMs);
    const output = { write: () => {}, lastLineText: () => '', end: () => {} };
    const code = await execute({ docker, container, output }, argv, late).catch(() => null);
    if (late.aborted) report(`Its teardown script was stopped after ${teardownTimeoutMs / 1000} s.`);
    else
      report(code === null ? 'It ended under its teardown script.' : `Its teardown script exited with code ${code}.`);
  }
  await removeContainer(docker, name);
}

/** Null: it has none, or does not answer any more. */
async function leftTeardown(container: Docker.Container): Promise<readonly string[] | null> {
  const { State, Config } = await container.inspect();
  const written = Config.Labels[teardownLabel];
  return State.Running && written !== undefined ? (JSON.parse(written) as string[]) : null;
}
