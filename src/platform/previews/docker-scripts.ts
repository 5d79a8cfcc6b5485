// Runs the setup and teardown scripts in a container, also the teardown script of a container whose worker was lost.
import { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { removeContainer } from './docker-engine.ts';
import type { PreviewBoot } from './port.ts';
import { interlockLine, type SandboxOutput } from './sandbox-output.ts';

export const workspace = '/workspace';
export const lookEveryMs = 200;

/**
 * The label of a container with the command of its teardown script, as JSON. Other workers read it if the container's
 * worker was lost.
 */
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

/**
 * Executes a script and returns its exit code. If `signal` is aborted, the signal's reason is thrown. The script then
 * runs on until its container ends.
 */
export async function execute(life: Executing, argv: readonly string[], signal: AbortSignal): Promise<number> {
  const { container } = life;
  const exec = await container.exec({ Cmd: [...argv], WorkingDir: workspace, AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({});
  demultiplex(life, stream);
  // The exit is polled, because background processes of the script may keep its output open.
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
  if (teardown === null)
    return output.write(interlockLine(`The commit has no ${boot.teardown}, so no teardown script ran.`));
  const late = AbortSignal.timeout(timeoutMs);
  const code = await execute(life, teardown, late).catch(() => null);
  if (late.aborted) output.write(interlockLine(`${boot.teardown} was stopped after ${timeoutMs / 1000} s.`));
  else if (code !== 0 && code !== null) output.write(interlockLine(`${boot.teardown} exited with code ${code}.`));
}

/**
 * Ends a container whose worker was lost. The output of its teardown script is not reported, because this worker does
 * not know which secrets to mask.
 */
export async function endOrphanedContainer(
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
    if (late.aborted) report(`The teardown script was stopped after ${teardownTimeoutMs / 1000} s.`);
    else
      report(
        code === null
          ? 'The sandbox ended while its teardown script ran.'
          : `The teardown script exited with code ${code}.`,
      );
  }
  await removeContainer(docker, name);
}

/** Null: the container has no teardown script, or does not run. */
async function leftTeardown(container: Docker.Container): Promise<readonly string[] | null> {
  const { State, Config } = await container.inspect();
  const written = Config.Labels[teardownLabel];
  return State.Running && written !== undefined ? (JSON.parse(written) as string[]) : null;
}
