// Simulates an installation with one seed. In each step a person acts, work continues, or a fault happens, and then the
// rules are checked. At the end the faults stop, and all work must come to its end.
import { createHash } from 'node:crypto';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { beginsWith } from './acts.ts';
import { configurationsOf, hasIsolationBuilds } from './configurations.ts';
import { dayOf, drawPause, drawWindow, type Day, type FaultKind } from './days.ts';
import { drawsOf, type Draws } from './draws.ts';
import { happen, kill } from './faults.ts';
import { firstInstant, openInstallation, type Installation, type Process } from './installation.ts';
import { noPromises } from './promises.ts';
import { chooseAct, chooseRush } from './people.ts';
import { deactivate, failpoints, happenMeanwhile, isHeldAt } from './meanwhile.ts';
import { beginAct, day, goOn, kindOfTask, minute, second, type Played } from './played.ts';
import { comeToRest, watchWithoutFaults } from './rest.ts';
import { createRules } from './rules.ts';
import { passFailpoint, toTheEnd, type Run, type Task } from './tasks.ts';
import { createTruth } from './truth.ts';
import { choicesOf, type Working } from './work.ts';

export interface Simulation {
  readonly seed: number;
  readonly days: number;
  /** The simulation ends before this step. Left out: it ends after the days. */
  readonly steps?: number;
  /** `without`: steps that are left out. `calm`: steps whose fault is left out. */
  readonly without?: ReadonlySet<number>;
  readonly calm?: ReadonlySet<number>;
  /**
   * The number of steps between two comparisons of all rows with the invariants of the product. Default 25. After the
   * other steps, the newest rows are compared.
   */
  readonly every?: number;
  /** Called with each process that starts. A test plants a fault in it. */
  readonly plant?: (process: Process) => void;
  /** Called with each line about a step. */
  readonly tell?: (line: string) => void;
}

export interface Outcome {
  readonly steps: number;
  readonly days: number;
  readonly landings: number;
  readonly pullRequests: number;
  /** The digest of all steps, all events and the base branch. */
  readonly digest: string;
  readonly faults: readonly number[];
  readonly faultKinds: Readonly<Record<string, number>>;
  /** What did not hold. Empty: all rules held. */
  readonly problems: readonly string[];
  /** The step after which a rule did not hold. Null: the rule did not hold at the end, or all rules held. */
  readonly failedAt: number | null;
}

/** The number of steps between two comparisons of all rows with the invariants. */
const allEvery = 25;

export async function simulate(given: Simulation): Promise<Outcome> {
  await using i = await openInstallation(configurationsOf(given.seed), given.plant);
  const disarm = failpoints.map((name) => onFailpoint(name, async () => await passFailpoint(name)));
  try {
    return await play(given, i);
  } finally {
    for (const each of disarm) each();
  }
}

async function play(given: Simulation, i: Installation): Promise<Outcome> {
  const { seed, days, steps: maxSteps = Number.POSITIVE_INFINITY, every = allEvery, tell = () => {} } = given;
  const promises = noPromises();
  const truth = createTruth(i);
  const rules = createRules(i, { promises, truth });
  const workflows = { turns: new Map(), deadlines: new Map(), batches: new Map() };
  const w: Working = { i, workflows, truth, loops: new Map(), alone: new Map() };
  const hash = createHash('sha256');
  const faults: number[] = [];
  const faultKinds: Record<string, number> = {};
  let step = 0;
  const say = (line: string): void => {
    hash.update(`${line}\n`);
    tell(line);
  };
  const fault = (kind: string): void => {
    if (faults.at(-1) !== step) faults.push(step);
    faultKinds[kind] = (faultKinds[kind] ?? 0) + 1;
  };
  const today = daysOf(seed, i);
  const p: Played = { i, w, rules, promises, tasks: [], lengths: new Map(), today, say, fault };
  const end = firstInstant + days * day;
  const concluded = async (problems: readonly string[], failedAt: number | null): Promise<Outcome> => {
    const events = await i.rows(
      'select id, action, pull_request_id, batch_id, at, position, payload from event order by id',
    );
    hash.update(JSON.stringify(events));
    hash.update(await i.git.tip());
    return {
      steps: step,
      days: Math.min(days, (i.time.now() - firstInstant) / day),
      landings: rules.landings(),
      pullRequests: promises.pullRequests.length,
      digest: hash.digest('hex').slice(0, 16),
      faults,
      faultKinds,
      problems,
      failedAt,
    };
  };
  for (; step < maxSteps && i.time.now() < end; step += 1) {
    if (given.without?.has(step)) continue;
    const found = await withoutErrors(async () => [
      ...(await takeStep(p, { draw: drawsOf(seed, step), step, isCalm: given.calm?.has(step) ?? false })),
      ...(await rules.lookAtAll(step % every === 0 ? 'all' : 'recent')),
    ]);
    if (found.length > 0) return await concluded(found, step);
  }
  say('rest');
  const stays = await withoutErrors(async () => await comeToRest(p, drawsOf(seed, -2)));
  return await concluded(stays.length > 0 ? stays : await withoutErrors(async () => await rules.lookAtTheEnd()), null);
}

/** The present day of the history. */
function daysOf(seed: number, i: Installation): () => Day {
  const known = new Map<number, Day>();
  return () => {
    const nth = Math.max(0, Math.floor((i.time.now() - firstInstant) / day));
    const today = known.get(nth) ?? dayOf(seed, nth);
    known.set(nth, today);
    return today;
  };
}

/** An error of a rule, or work that does not end, is a problem too. */
async function withoutErrors(look: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await look();
  } catch (error) {
    return [`The simulation failed: ${error instanceof Error ? error.stack : String(error)}`];
  }
}

interface Step {
  readonly draw: Draws;
  readonly step: number;
  readonly isCalm: boolean;
}

/** Takes a step, and returns the unexpected answers. */
async function takeStep(p: Played, { draw, step, isCalm }: Step): Promise<string[]> {
  const { i, say } = p;
  const today = p.today();
  const passMs = drawPause(today, draw);
  // The clock of the machine is corrected, and goes back: mostly a little, sometimes by minutes.
  const isSet = draw.chance(0.004) && today.has('a clock set back');
  const setMs = draw.chance(0.7) ? draw.below(20) * second : draw.below(5 * 60) * second;
  if (isSet && !isCalm) p.fault('a clock set back');
  await i.time.set(i.time.now() + (isSet && !isCalm ? -setMs : passMs));
  i.answer = () =>
    draw.weighted([
      [86, 'accepted'],
      [6, 'refused'],
      [4, 'silent'],
      [4, 'accepted, and the answer is lost'],
    ] as const);
  const kind = draw.weighted([
    [16, 'person'],
    [1, 'rush'],
    [4, 'fault'],
    [79, 'work'],
  ] as const);
  const by = draw.pick(i.processes);
  const window = drawWindow(today, draw);
  say(`${step} ${new Date(i.time.now()).toISOString()}`);
  if (window !== null) return await watchWithoutFaults(p, draw, window === 'long');
  if (kind === 'fault') {
    if (!isCalm) await happen(p, draw);
    return [];
  }
  if (kind === 'rush') {
    if (draw.chance(0.7) && !isCalm) beSlow(p, draw);
    return await rush(p, by, draw);
  }
  if (kind === 'person') {
    const task = chooseActOf(p, by, draw);
    if (task === null) return [];
    if (task.name === 'deactivation' && !isCalm && draw.chance(0.5)) return await deactivate(p, task, { by, draw });
    return (await carryOn(p, task, { draw, isCalm })).problems;
  }
  return await work(p, { draw, isCalm });
}

/** Chooses work several times, until there is none, a rule is broken, or something happened to the work. */
async function work(p: Played, { draw, isCalm }: Pick<Step, 'draw' | 'isCalm'>): Promise<string[]> {
  const most = draw.weighted([
    [6, 1],
    [3, 3],
    [1, 6],
  ] as const);
  for (let nth = 0; nth < most; nth += 1) {
    const task = await chooseTask(p, draw.pick(p.i.processes), draw);
    if (task === null) break;
    const { problems, isOver } = await carryOn(p, task, { draw, isCalm });
    if (problems.length > 0 || isOver) return problems;
  }
  return [];
}

/** `isOver`: the process has died, or people have acted while the work was held. */
async function carryOn(
  p: Played,
  task: Task,
  { draw, isCalm }: Pick<Step, 'draw' | 'isCalm'>,
): Promise<{ readonly problems: string[]; readonly isOver: boolean }> {
  if (isCalm) return { problems: await goOn(p, task, toTheEnd), isOver: false };
  const { dies, ...run } = chooseRun(p, task, draw);
  const problems = await goOn(p, task, run);
  if (problems.length === 0 && task.at !== null)
    return { problems: await happenMeanwhile(p, task, draw), isOver: true };
  if (dies) {
    p.fault('a process dies in the middle of its work');
    p.say(`${task.process} dies`);
    await kill(p, task.process);
  }
  return { problems, isOver: dies };
}

/**
 * No check ends for a while, so that more builds wait than may run. With isolation builds, mostly only the first build in
 * line takes long, so that a build behind it and an isolation build end before it.
 */
function beSlow({ i, say, fault }: Played, draw: Draws): void {
  i.isOnlyFirstSlow = beginsWith(i, hasIsolationBuilds) && draw.chance(0.8);
  i.slowUntil = i.time.now() + (i.isOnlyFirstSlow ? 60 + draw.below(240) : 10 + draw.below(40)) * minute;
  const kind = i.isOnlyFirstSlow ? 'CI is slow with the first build' : 'CI is slow';
  say(kind);
  fault(kind);
}

async function rush(p: Played, by: Process, draw: Draws): Promise<string[]> {
  const { i, promises } = p;
  const problems: string[] = [];
  for (const act of chooseRush({ i, promises, draw, by })) {
    const task = beginAct(p, by, act);
    if (task !== null) problems.push(...(await goOn(p, task, toTheEnd)));
    // The first of the two gets a build of its own. The second one is then in the build behind it.
    if (beginsWith(i, hasIsolationBuilds)) problems.push(...(await takeTurns(p, by, draw)));
  }
  return problems;
}

/** Takes the turns of all queues that were woken. */
async function takeTurns(p: Played, by: Process, draw: Draws): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, begin } of await choicesOf(p.w, by, draw)) {
    if (!name.startsWith('turn')) continue;
    const task = begin();
    p.tasks.push(task);
    problems.push(...(await goOn(p, task, toTheEnd)));
  }
  return problems;
}

interface ChosenRun extends Run {
  /** Whether the process is killed at the end of the run. */
  readonly dies: boolean;
}

/** Half of the faults are drawn among the boundaries that the last task of this kind passed. */
function chooseRun({ lengths, today }: Played, task: Task, draw: Draws): ChosenRun {
  const known = lengths.get(kindOfTask(task));
  // Most tasks have few boundaries. A turn that lands has about sixty.
  const most = draw.chance(0.5) && known !== undefined ? known + 1 : draw.chance(0.6) ? 15 : 60;
  const boundaries = draw.below(most);
  const holdsAt = (failpoint: string): boolean => isHeldAt(failpoint, draw);
  const { has } = today();
  const of = (weight: number, fault: FaultKind): number => (has(fault) ? weight : 0);
  return draw.weighted<ChosenRun>([
    [77, { ...toTheEnd, holdsAt, dies: false }],
    [of(9, 'work is held up'), { boundaries, ending: 'hold', dies: false }],
    [of(2, 'a process dies in the middle of its work'), { boundaries, ending: 'hold', dies: true }],
    [of(5, 'a refused call'), { boundaries, ending: 'refuse', dies: false }],
    [of(1, 'a full disk of the database'), { boundaries, ending: 'refuse', isFull: true, dies: false }],
    [of(6, 'a lost answer'), { boundaries, ending: 'lose', dies: false }],
  ]);
}

function chooseActOf(p: Played, by: Process, draw: Draws): Task | null {
  const act = chooseAct({ i: p.i, promises: p.promises, draw, by });
  return act === null ? null : beginAct(p, by, act);
}

async function chooseTask(p: Played, by: Process, draw: Draws): Promise<Task | null> {
  const now = p.i.time.now();
  const held = p.tasks.filter(({ state, until }) => state === 'held' && (until === null || until <= now));
  const choices = await choicesOf(p.w, by, draw);
  const picked = draw.weighted<(() => Task) | null>([
    ...held.map((task) => [6, () => task] as const),
    ...choices.map(({ weight, begin }) => [weight, begin] as const),
    [0.01, null],
  ]);
  const task = picked?.() ?? null;
  if (task !== null && task.state === 'new') p.tasks.push(task);
  return task;
}
