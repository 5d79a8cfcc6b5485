// The parts of the host `github` that move refs and keep mirrors, for one machine with its own folder.
import { join } from 'node:path';
import { createGit } from '../../../src/hosts/git/index.ts';
import { createClient } from '../../../src/hosts/github/client.ts';
import { createMirrors, type Mirrors } from '../../../src/hosts/github/mirrors.ts';
import type { MaintenanceOptions } from '../../../src/hosts/github/mirror-maintenance.ts';
import { createPushes } from '../../../src/hosts/github/pushes.ts';
import { type GitHub, quickPace } from './github-world.ts';

export interface Machine extends MaintenanceOptions {
  readonly mirrors: Mirrors;
  /** Moves the clock of the machine forward. */
  later(days: number): void;
  /** Gives back the pushes that wait. */
  giveBack(): void;
  stop(): Promise<void>;
}

let machines = 0;

export function machineOf(g: GitHub, maxBytes: number | null = null, pace = quickPace): Machine {
  machines += 1;
  let aheadMs = 0;
  const options = { ...g.hostOptions(), clock: () => new Date(Date.now() + aheadMs) };
  const dataDir = `${options.dataDir}-${machines}`;
  // Tokens of GitHub use the real time.
  const client = createClient(g.hostOptions());
  const stopping = new AbortController();
  const program = createGit(join(dataDir, 'mirrors', 'gitconfig'));
  const mirrors = createMirrors({ dataDir, git: program, findRemote: client.findRemote, clock: options.clock });
  return {
    dataDir,
    db: g.db,
    clock: options.clock,
    mirrors,
    pushes: createPushes(mirrors, pace, stopping.signal),
    identity: () => ({ name: 'Interlock', email: 'interlock@example.test' }),
    maxBytes,
    later: (days) => void (aheadMs += days * 24 * 60 * 60_000),
    giveBack: () => stopping.abort(),
    stop: async () => await program.processes.stop(),
  };
}
