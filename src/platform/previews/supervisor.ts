// The supervisor that runs inside a preview's sandbox. It starts the app, runs scripts, reports whether the app's port
// accepts connections, and forwards connections to the app. It imports no other file of Interlock, because it runs from
// a copy. File descriptor 5 is a listening socket for orders, and 6 for connections to the app. The app cannot see
// either socket.
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';

interface Order {
  /** A program and its arguments, run in the checkout. */
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

const port = Number(process.argv[2]);
// An app that listens on `localhost` may use IPv4 or IPv6.
const loopbacks = ['127.0.0.1', '::1'];

function start({ argv, env }: Order): ChildProcess {
  // Closes the two sockets in the app.
  const child = spawn('/bin/sh', ['-c', 'exec 5>&- 6>&-; exec "$@"', 'app', ...argv], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  child.on('error', (error) => console.log(error.message));
  return child;
}

async function exitOf(child: ChildProcess): Promise<number> {
  return await new Promise((resolve) => {
    child.on('error', () => resolve(127));
    child.on('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 128)));
  });
}

/**
 * Ends the preview when the app fails. An app that exits with 0 may have gone into the background, so the preview
 * continues.
 */
async function watch(app: ChildProcess): Promise<void> {
  const code = await exitOf(app);
  if (code === 0) return;
  console.log(`[interlock] The app exited with code ${code}.`);
  process.exit(code);
}

async function connectToApp(): Promise<Socket | null> {
  for (const host of loopbacks) {
    const socket = connect({ host, port, allowHalfOpen: true });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return socket;
  }
  return null;
}

async function letIn(outer: Socket): Promise<void> {
  outer.on('error', () => outer.destroy());
  const inner = await connectToApp();
  if (inner === null) return void outer.destroy();
  inner.on('error', () => outer.destroy());
  inner.on('close', () => outer.destroy());
  outer.on('close', () => inner.destroy());
  outer.pipe(inner);
  inner.pipe(outer);
}

async function isUp(): Promise<boolean> {
  const socket = await connectToApp();
  socket?.destroy();
  return socket !== null;
}

async function read(request: IncomingMessage): Promise<Order> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString()) as Order;
}

async function carryOut(request: IncomingMessage): Promise<unknown> {
  switch (request.url ?? '') {
    case '/start':
      void watch(start(await read(request)));
      return {};
    case '/run':
      return { code: await exitOf(start(await read(request))) };
    case '/up':
      return { up: await isUp() };
    default:
      return {};
  }
}

const orders = createHttpServer((request, response) => {
  carryOut(request).then(
    (answer) => response.end(JSON.stringify(answer)),
    () => response.destroy(),
  );
});
// No time limit here: a script may run as long as its caller waits.
orders.requestTimeout = 0;
orders.listen({ fd: 5 });
createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => void letIn(socket)).listen({ fd: 6 });
