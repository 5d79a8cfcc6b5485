// A Temporal server for one test, which can stop it and delete its data.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { findFreePort } from '../../src/launcher/ports.ts';
import { searchAttributes, startTemporal, type EmbeddedTemporal } from '../../src/launcher/temporal.ts';

export interface OwnTemporal extends AsyncDisposable {
  readonly address: string;
  readonly namespace: string;
  stop(): Promise<void>;
  /** Starts the server again on the same ports, with its state. */
  start(): Promise<void>;
  forgetEverything(): Promise<void>;
}

export async function ownTemporal(): Promise<OwnTemporal> {
  const dataDir = await mkdtemp(join(tmpdir(), 'interlock-temporal-'));
  const namespace = 'own';
  const [port, uiPort] = [await findFreePort(), await findFreePort()];
  const begin = async (): Promise<EmbeddedTemporal> =>
    await startTemporal({
      dataDir,
      cacheDir: inject('cacheDir'),
      port,
      uiPort,
      namespace,
      searchAttributes,
      log: () => {},
    });
  let running: EmbeddedTemporal | null = await begin();
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = null;
  };
  return {
    address: running.address,
    namespace,
    stop,
    async start() {
      running = await begin();
    },
    async forgetEverything() {
      for (const file of await readdir(dataDir)) if (file.startsWith('temporal.db')) await rm(join(dataDir, file));
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
