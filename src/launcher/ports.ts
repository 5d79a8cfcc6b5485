import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartError } from './start-error.ts';

const loopback = '127.0.0.1';

async function listenOnce(port: number, host: string): Promise<number> {
  const server = createServer();
  server.listen({ port, host, exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A TCP server has no port.');
  return address.port;
}

export async function isPortFree(port: number, host: string = loopback): Promise<boolean> {
  try {
    await listenOnce(port, host);
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/** Throws StartError if the port is in use. `flag` is the option that sets another port. */
export async function assertPortFree(port: number, flag = '--port', host: string = loopback): Promise<void> {
  if (!(await isPortFree(port, host))) throw portInUse(port, flag);
}

export function portInUse(port: number, flag = '--port'): StartError {
  return new StartError(`Port ${port} is in use. Use ${flag} <n>, or stop the program that listens there.`);
}

/**
 * Returns a free port below the range of ephemeral ports, so that no outgoing connection takes it before it is used, or
 * during a restart.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const port = 15_000 + randomInt(17_000);
    if (await isPortFree(port)) return port;
  }
  return listenOnce(0, loopback);
}

/**
 * Returns the port of the last start if it is free, so that addresses stay the same after a restart. Otherwise returns
 * another free port.
 */
export async function chooseFreePort(remembered: number | undefined): Promise<number> {
  if (remembered !== undefined && (await isPortFree(remembered))) return remembered;
  return findFreePort();
}

function isBusy(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'EADDRINUSE' || code === 'EACCES';
}
