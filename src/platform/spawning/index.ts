// Starts programs from a small process, the spawner. The kernel copies the page tables of a process that forks: each
// spawn stops a process of 370 MB for 31 ms, and one of 55 MB for 2 ms.
import { fork, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '../node-flags.ts';
import { threadScript } from '../threads.ts';
import { isPassedOn, type Order, type Report, type SpawnRequest } from './messages.ts';
import { PassedPipes } from './passed-pipes.ts';

export interface SpawnOptions {
  readonly cwd?: string;
  /** Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** One entry for each descriptor. Default: three pipes. */
  readonly stdio?: readonly ('ignore' | 'pipe')[];
  /** The program leads a process group of its own. */
  readonly detached?: boolean;
  /**
   * This process gets the pipes of the input and the standard output from the spawner, and writes and reads them itself.
   * Without it, every chunk is a message to or from the spawner. It is for programs that run long and are often written
   * to, and only for those that write nothing to their standard output before they get input.
   */
  readonly passesPipes?: boolean;
}

/**
 * After this many bytes of an output were read, the spawner is notified that it may send more. The number is far below
 * the spawner's window, so that the output does not stall.
 */
const acknowledgedBytes = 256 * 1024;

interface Events {
  /** The program could not be started. */
  error: [Error];
  exit: [code: number | null, signal: NodeJS.Signals | null];
  /** The program has exited, and all of its outputs were read. */
  close: [code: number | null, signal: NodeJS.Signals | null];
}

/** A started program. Its events are those of a ChildProcess of `node:child_process`. */
export class SpawnedProcess extends EventEmitter<Events> {
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  /** Undefined until the program runs, and if it could not be started. */
  pid: number | undefined;
  readonly stdin: Writable | null;
  /** The outputs, by descriptor. Null for an ignored descriptor and for the input. */
  readonly stdio: readonly (Readable | null)[];
  readonly #child: number;
  readonly #request: SpawnRequest;
  readonly #spawner: Spawner;
  /** Null: every chunk is a message to or from the spawner. */
  readonly #passed: PassedPipes | null;
  #written: ((error?: Error | null) => void) | null = null;
  #isOver = false;

  constructor(spawner: Spawner, child: number, request: SpawnRequest) {
    super();
    this.#spawner = spawner;
    this.#child = child;
    this.#request = request;
    const passed = request.passesPipes ? new PassedPipes() : null;
    this.#passed = passed;
    this.stdin = request.stdio[0] === 'pipe' ? (passed?.input() ?? this.#input()) : null;
    this.stdio = request.stdio.map((kind, descriptor) =>
      kind === 'pipe' && descriptor > 0 ? this.#outputOf(descriptor) : null,
    );
    spawner.send({ kind: 'start', child, request });
  }

  get stdout(): Readable | null {
    return this.stdio[1] ?? null;
  }

  get stderr(): Readable | null {
    return this.stdio[2] ?? null;
  }

  kill(signal: NodeJS.Signals = 'SIGTERM'): void {
    this.#spawner.send({ kind: 'kill', child: this.#child, signal, isGroup: false });
  }

  /** Sends the signal to a detached program and to all programs that it has started. */
  killGroup(signal: NodeJS.Signals): void {
    this.#spawner.send({ kind: 'kill', child: this.#child, signal, isGroup: true });
  }

  /** Lets this process exit while the program runs. */
  unref(): void {
    this.#spawner.release(this.#child);
    this.#passed?.hold(false);
  }

  ref(): void {
    if (this.#isOver) return;
    this.#spawner.hold(this.#child);
    this.#passed?.hold(true);
  }

  /** Only for the spawner. `pipe`: the pipe of a report of the kind `pipe`, unless the program has ended already. */
  receive(report: Report, pipe?: Socket): void {
    switch (report.kind) {
      case 'started':
        this.pid = report.pid;
        return;
      case 'pipe':
        this.#passed?.take(report.descriptor, pipe ?? null);
        return;
      case 'failed':
        this.#passed?.close();
        this.#end();
        this.emit('error', Object.assign(new Error(report.message), { code: report.code }));
        return;
      case 'written':
        this.#answerWrite(report.error);
        return;
      case 'output':
        this.stdio[report.descriptor]?.push(Buffer.from(report.chunk));
        return;
      case 'outputEnded':
        this.stdio[report.descriptor]?.push(null);
        return;
      case 'exited':
        this.#exit(report.code, report.signal);
        return;
      default:
        report satisfies never;
    }
  }

  /** Only for the spawner, if it was killed. */
  loseOutputs(): void {
    this.#passed?.close();
    for (const [descriptor, output] of this.stdio.entries())
      if (!isPassedOn(this.#request, descriptor)) output?.push(null);
  }

  #outputOf(descriptor: number): Readable {
    const passed = isPassedOn(this.#request, descriptor) ? this.#passed : null;
    return passed?.output(descriptor) ?? this.#output(descriptor);
  }

  #answerWrite(error: string | null): void {
    const written = this.#written;
    this.#written = null;
    written?.(error === null ? null : new Error(error));
  }

  #input(): Writable {
    return new Writable({
      write: (chunk: Buffer, _, done) => {
        this.#written = done;
        this.#spawner.send({ kind: 'write', child: this.#child, chunk });
      },
      final: (done) => {
        this.#spawner.send({ kind: 'endInput', child: this.#child });
        done();
      },
      destroy: (error, done) => {
        this.#spawner.send({ kind: 'endInput', child: this.#child });
        done(error);
      },
    });
  }

  #output(descriptor: number): Readable {
    let unread = 0;
    const output = new Readable({
      read: () => {
        if (unread < acknowledgedBytes) return;
        this.#spawner.send({ kind: 'read', child: this.#child, descriptor, bytes: unread });
        unread = 0;
      },
      destroy: (error, done) => {
        this.#spawner.send({ kind: 'closeOutput', child: this.#child, descriptor });
        done(error);
      },
    });
    const push = output.push.bind(output);
    output.push = (chunk: Buffer | null) => {
      if (output.destroyed) return false;
      unread += chunk?.length ?? 0;
      return push(chunk);
    };
    return output;
  }

  #exit(code: number | null, signal: NodeJS.Signals | null): void {
    this.exitCode = code;
    this.signalCode = signal;
    this.#end();
    const open = this.stdio.filter((output) => output !== null && !output.destroyed && !output.readableEnded);
    let left = open.length;
    const closed = (): void => {
      left -= 1;
      if (left <= 0) this.emit('close', code, signal);
    };
    for (const output of open) {
      output?.once('close', closed);
      // Nothing reads this output, so it is discarded.
      if (output?.readableFlowing === null && output.listenerCount('readable') === 0) output.resume();
    }
    this.emit('exit', code, signal);
    if (open.length === 0) queueMicrotask(() => this.emit('close', code, signal));
  }

  #end(): void {
    this.#isOver = true;
    this.#answerWrite('the program has ended');
    this.#spawner.release(this.#child);
  }
}

/**
 * Controls the spawner process, which starts with the first program, and again after it was killed. The spawner keeps
 * this process alive while a program runs.
 */
class Spawner {
  #process: ChildProcess | null = null;
  #count = 0;
  readonly #children = new Map<number, SpawnedProcess>();
  readonly #held = new Set<number>();

  start(request: SpawnRequest): SpawnedProcess {
    this.#count += 1;
    const child = this.#count;
    this.hold(child);
    const started = new SpawnedProcess(this, child, request);
    this.#children.set(child, started);
    const forget = (): void => void this.#children.delete(child);
    started.once('close', forget).once('error', forget);
    return started;
  }

  send(order: Order): void {
    if (order.kind !== 'start' && !this.#children.has(order.child)) return;
    const spawner = (this.#process ??= this.#fork());
    spawner.send(order, () => {});
  }

  hold(child: number): void {
    this.#held.add(child);
    this.#keepAlive();
  }

  release(child: number): void {
    this.#held.delete(child);
    this.#keepAlive();
  }

  #keepAlive(): void {
    const word = this.#held.size > 0 ? 'ref' : 'unref';
    this.#process?.[word]();
    this.#process?.channel?.[word]();
  }

  #fork(): ChildProcess {
    const spawner = fork(fileURLToPath(threadScript(import.meta.url, 'spawner')), [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [...nodeFlags(), '--max-old-space-size=256'],
      env: {},
    });
    spawner.on('message', (report: Report, pipe) => {
      const child = this.#children.get(report.child);
      if (child === undefined) (pipe as Socket | undefined)?.destroy();
      else child.receive(report, pipe as Socket | undefined);
    });
    spawner.on('error', () => {});
    spawner.once('exit', () => this.#lose(spawner));
    this.#process = spawner;
    this.#keepAlive();
    return spawner;
  }

  /** Reports that all programs of a killed spawner have ended, because their pipes are lost. */
  #lose(spawner: ChildProcess): void {
    if (this.#process === spawner) this.#process = null;
    for (const [child, started] of this.#children) {
      started.loseOutputs();
      started.receive(
        started.pid === undefined
          ? { kind: 'failed', child, message: 'the process that starts programs was killed', code: undefined }
          : { kind: 'exited', child, code: null, signal: 'SIGKILL' },
      );
    }
  }
}

const spawner = new Spawner();

/** Like `spawn` of `node:child_process`, but descriptors of this process cannot be passed on. */
export function spawn(file: string, args: readonly string[], options: SpawnOptions = {}): SpawnedProcess {
  return spawner.start({
    file,
    args,
    cwd: options.cwd,
    env: options.env ?? process.env,
    stdio: options.stdio ?? ['pipe', 'pipe', 'pipe'],
    detached: options.detached,
    passesPipes: options.passesPipes,
  });
}
