// The faults of `npm run chaos`, and the order in which a seed draws them.
import { seeded } from '../support/random.ts';

/** How often each kind is drawn. The parts add up to 1. */
const kinds = { kill: 0.75, network: 0.2, disk: 0.05 } as const;
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
} as const satisfies Readonly<Record<FaultKind, readonly string[]>>;

export interface Fault {
  readonly kind: FaultKind;
  readonly name: (typeof names)[FaultKind][number];
  /** How long after the pull requests of its round were queued the fault happens. */
  readonly afterMs: number;
  /** How long the network is held up, or the disk is full, if the fault is of that kind. */
  readonly heldMs: number;
  /** From 0 to 1, exclusive: which server, worker or session of PostgreSQL is killed, if one of several is. */
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
    plan.push({ kind, name, afterMs, heldMs, choice: random() });
    if (kind === 'kill') killed += 1;
  }
  return plan;
}

function drawKind(drawn: number): FaultKind {
  if (drawn < kinds.kill) return 'kill';
  return drawn < kinds.kill + kinds.network ? 'network' : 'disk';
}

/** The element that a number from 0 to 1 chooses. */
export function chosen<T>(all: readonly T[], choice: number): T {
  const found = all[Math.floor(choice * all.length)];
  if (found === undefined) throw new Error('There is nothing to choose from.');
  return found;
}
