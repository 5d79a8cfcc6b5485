// How much happens in a day of a history, and which kinds of faults. Both are drawn for each day. Most days are quiet,
// because most faults of the service show after few events, and a quiet day costs a tenth of a busy one. In most days
// some kinds of faults do not happen, because a frequent one, such as a process that is killed, can prevent the course
// of events that shows a fault of the service.
import { drawsOf, type Draws } from './draws.ts';

export interface Day {
  readonly pace: Pace;
  /** Whether faults of this kind may happen on this day. */
  readonly has: (fault: FaultKind) => boolean;
}

export type Pace = 'quiet' | 'usual' | 'busy';

export const faultKinds = [
  'a process is killed',
  'all processes are killed',
  'hints are lost',
  'wakes are lost',
  'Temporal forgets',
  'Temporal gives work up',
  'the disk of the repositories is full',
  'the clock of a process jumps',
  'a clock set back',
  'work is held up',
  'a process dies in the middle of its work',
  'a refused call',
  'a full disk of the database',
  'a lost answer',
] as const;

export type FaultKind = (typeof faultKinds)[number];

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** How often a step passes seconds, tens of seconds, minutes or hours. The more hours, the fewer steps has a day. */
const spans: Readonly<Record<Pace, readonly [seconds: number, tens: number, minutes: number, hours: number]>> = {
  quiet: [65, 12, 9, 14],
  usual: [65, 20, 9, 6],
  busy: [65.4, 25, 9, 0.6],
};

/** Of 1,000 steps: how many begin a short and a long window without faults. A quiet day has about one of them. */
const windows: Readonly<Record<Pace, readonly [short: number, long: number]>> = {
  quiet: [14, 7],
  usual: [8, 4],
  busy: [4, 2],
};

/** The day with this number of a history. The first has the number 0. */
export function dayOf(seed: number, nth: number): Day {
  // Steps have the streams from 0 on, and the end of a history has -2.
  const draw = drawsOf(seed, -100 - nth);
  const pace = draw.weighted<Pace>([
    [85, 'quiet'],
    [13, 'usual'],
    [2, 'busy'],
  ]);
  const hasAll = draw.chance(0.3);
  const off = new Set(faultKinds.filter(() => draw.chance(0.4)));
  return { pace, has: (fault) => hasAll || !off.has(fault) };
}

/** How long it takes until the next step. */
export function drawPause({ pace }: Day, draw: Draws): number {
  const [seconds, tens, minutes, hours] = spans[pace];
  return draw.weighted<number>([
    [seconds, (1 + draw.below(5)) * second],
    [tens, (10 + draw.below(50)) * second],
    [minutes, (1 + draw.below(10)) * minute],
    [hours, (1 + draw.below(6)) * hour],
  ]);
}

/** Whether a window without faults begins, and which one. */
export function drawWindow({ pace }: Day, draw: Draws): 'short' | 'long' | null {
  const [short, long] = windows[pace];
  return draw.weighted([
    [1_000 - short - long, null],
    [short, 'short'],
    [long, 'long'],
  ] as const);
}
