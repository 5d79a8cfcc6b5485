// The spawner: a small process that starts programs for a large one. It imports almost no other file, so that it stays
// small. It ends with the process that started it, and then the pipes to its children close.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { closeInheritedDescriptors } from './inherited.ts';
import { isPassedOn, type Order, type Report } from './messages.ts';

closeInheritedDescriptors();

/** How many bytes of one output may be sent before the receiver has read them. */
const windowBytes = 1024 * 1024;

interface Output {
  readonly stream: Readable;
  unread: number;
}

interface Child {
  readonly process: ChildProcess;
  readonly outputs: Map<number, Output>;
}

const children = new Map<number, Child>();

function report(message: Report): void {
  process.send?.(message, () => {});
}

function start({ child, request }: Extract<Order, { kind: 'start' }>): void {
  const { file, args, cwd, env, stdio, detached } = request;
  const started = spawn(file, [...args], {
    env,
    stdio: [...stdio],
    detached: detached ?? false,
    ...(cwd === undefined ? {} : { cwd }),
  });
  const outputs = new Map<number, Output>();
  children.set(child, { process: started, outputs });
  for (const [descriptor, stream] of started.stdio.entries()) {
    stream?.on('error', () => {});
    if (descriptor > 0 && stream && !isPassedOn(request, descriptor))
      follow(child, descriptor, { outputs, stream: stream as Readable });
  }
  started.on('spawn', () => {
    report({ kind: 'started', child, pid: started.pid ?? 0 });
    // The input goes last: the program writes nothing before it gets input, so nothing is read here.
    for (const [descriptor, stream] of [...started.stdio.entries()].toReversed())
      if (stream && isPassedOn(request, descriptor)) passPipe(child, descriptor, stream as Socket);
  });
  started.on('error', (error: NodeJS.ErrnoException) => {
    if (started.pid === undefined) report({ kind: 'failed', child, message: error.message, code: error.code });
  });
  started.on('exit', (code, signal) => report({ kind: 'exited', child, code, signal }));
  started.on('close', () => void children.delete(child));
}

function passPipe(child: number, descriptor: number, pipe: Socket): void {
  const message: Report = { kind: 'pipe', child, descriptor };
  // Without its pipe the socket does not close by itself, and the child would be kept for ever.
  process.send?.(message, pipe, {}, () => void pipe.destroy());
}

function follow(
  child: number,
  descriptor: number,
  { outputs, stream }: { readonly outputs: Map<number, Output>; readonly stream: Readable },
): void {
  const output: Output = { stream, unread: 0 };
  outputs.set(descriptor, output);
  stream.on('data', (chunk: Buffer) => {
    output.unread += chunk.length;
    if (output.unread > windowBytes) stream.pause();
    report({ kind: 'output', child, descriptor, chunk });
  });
  stream.on('close', () => {
    outputs.delete(descriptor);
    report({ kind: 'outputEnded', child, descriptor });
  });
}

function write({ child, chunk }: Extract<Order, { kind: 'write' }>): void {
  const input = children.get(child)?.process.stdin;
  if (!input) return report({ kind: 'written', child, error: 'the input of the program is closed' });
  input.write(chunk, (error) => report({ kind: 'written', child, error: error?.message ?? null }));
}

function kill({ child, signal, isGroup }: Extract<Order, { kind: 'kill' }>): void {
  const found = children.get(child)?.process;
  if (found?.pid === undefined) return;
  try {
    if (isGroup) process.kill(-found.pid, signal);
    else found.kill(signal);
  } catch {
    // The process has ended already.
  }
}

function read({ child, descriptor, bytes }: Extract<Order, { kind: 'read' }>): void {
  const output = children.get(child)?.outputs.get(descriptor);
  if (output === undefined) return;
  output.unread -= bytes;
  if (output.unread <= windowBytes) output.stream.resume();
}

/**
 * Starts a program, or reports why not. Node throws for an argument that no program can get, such as one with a NUL.
 */
function tryStart(order: Extract<Order, { kind: 'start' }>): void {
  try {
    start(order);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    report({ kind: 'failed', child: order.child, message, code });
  }
}

process.on('message', (order: Order) => {
  switch (order.kind) {
    case 'start':
      return tryStart(order);
    case 'write':
      return write(order);
    case 'endInput':
      return void children.get(order.child)?.process.stdin?.end();
    case 'read':
      return read(order);
    case 'closeOutput':
      return void children.get(order.child)?.outputs.get(order.descriptor)?.stream.destroy();
    case 'kill':
      return kill(order);
    default:
      return order satisfies never;
  }
});
process.on('disconnect', () => process.exit());
// Node reports no disconnect if the process that started this one died before it took a pipe that was sent to it.
setInterval(() => {
  if (!process.connected) process.exit();
}, 1_000);
// Signals such as that of Ctrl-C reach every process of the terminal. They are ignored here, because the parent decides
// when the spawner ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
