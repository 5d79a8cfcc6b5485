// The faults of `npm run chaos`, and the order in which a seed draws them.
import { seeded } from '../support/random.ts';

/** How often each kind is drawn. The parts add up to 1. */
const kinds = { kill: 0.7, network: 0.18, disk: 0.04, clock: 0.08 } as const;
export type FaultKind = keyof typeof kinds;
export const faultKinds = Object.keys(kinds) as readonly FaultKind[];

const names = {
  kill: [
    'a server is killed',
    'a worker is killed',
    'all servers are killed',
    'all workers are killed',
    'PostgreSQL is killed',
    'a session of PostgreSQL is killed',
    'Temporal is killed',
    'everything is killed',
  ],
  network: [
    'connections to PostgreSQL break off',
    'connections to PostgreSQL are reset',
    'the network to PostgreSQL is held up',
    'connections to Temporal break off',
    'connections to Temporal are reset',
    'the network to Temporal is held up',
  ],
  disk: ['the disk of the repositories is full'],
  clock: [
    'the clock of a server is ahead',
    'the clock of a server is behind',
    'the clock of a worker is ahead',
    'the clock of a worker is behind',
    'a server starts with a clock that is ahead',
    'a server starts with a clock that is behind',
    'a worker starts with a clock that is ahead',
    'a worker starts with a clock that is behind',
  ],
} as const satisfies Readonly<Record<FaultKind, readonly string[]>>;

export interface Fault {
  readonly kind: FaultKind;
  readonly name: (typeof names)[FaultKind][number];
  /** How long after the pull requests of its round were queued the fault happens. */
  readonly afterMs: number;
  /** How long the network is held up, the disk is full or a clock is wrong, if the fault is of that kind. */
  readonly heldMs: number;
  /** By how much a clock is ahead or behind, if the fault is of that kind. */
  readonly offsetMs: number;
  /** From 0 to 1, exclusive: which server, worker or session of PostgreSQL is concerned, if one of several is. */
  readonly choice: number;
}

/** Draws faults until this number of kills is among them. The same seed gives the same faults in the same order. */
export function planFaults(seed: number, kills: number): readonly Fault[] {
  const random = seeded(seed);
  const plan: Fault[] = [];
  for (let killed = 0; killed < kills; ) {
    const kind = drawKind(random());
    const name = chosen<Fault['name']>(names[kind], random());
    const [afterMs, heldMs] = [Math.floor(random() * 2_000), 1_000 + Math.floor(random() * 14_000)];
    const offsetMs = 1_000 * (60 + Math.floor(random() * 240));
    plan.push({ kind, name, afterMs, heldMs, offsetMs, choice: random() });
    if (kind === 'kill') killed += 1;
  }
  return plan;
}

function drawKind(drawn: number): FaultKind {
  if (drawn < kinds.kill) return 'kill';
  if (drawn < kinds.kill + kinds.network) return 'network';
  return drawn < kinds.kill + kinds.network + kinds.disk ? 'disk' : 'clock';
}

/** The element that a number from 0 to 1 chooses. */
export function chosen<T>(all: readonly T[], choice: number): T {
  const found = all[Math.floor(choice * all.length)];
  if (found === undefined) throw new Error('There is nothing to choose from.');
  return found;
}
