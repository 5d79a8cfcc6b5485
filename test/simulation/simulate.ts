// Simulates an installation with one seed. In each step a person acts, work continues, or a fault happens, and then the
// rules are checked. At the end the faults stop, and all work must come to its end.
import { createHash } from 'node:crypto';
import { onFailpoint } from '../../src/platform/failpoints.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { isOutage } from '../../src/platform/outage.ts';
import { drawsOf, type Draws } from './draws.ts';
import { firstInstant, openInstallation, processCount, type Installation, type Process } from './installation.ts';
import { chooseAct, noPromises, setHold, type Promises } from './people.ts';
import { createRules, type Rules } from './rules.ts';
import { newTask, passBoundary, runTask, toTheEnd, type Run, type Task } from './tasks.ts';
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
  /** The number of steps between two comparisons with the invariants of the product. Default 25. */
  readonly every?: number;
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

const modes = [
  {
    rules:
      'merge_mode:\n  type: parallel\n  parallel_mode:\n    max_parallel_builds: 2\n    batch_size: 2\n    on_commit_added: requeue\n',
    isTargeted: false,
  },
  {
    rules: 'merge_mode:\n  type: parallel\n  parallel_mode:\n    max_parallel_builds: 3\n    batch_size: 1\n',
    isTargeted: false,
  },
  { rules: 'merge_mode:\n  type: default\n', isTargeted: false },
  {
    rules:
      'merge_mode:\n  type: parallel\n  parallel_mode:\n    max_parallel_builds: 4\n    batch_size: 2\n    on_commit_added: requeue\n    use_affected_targets: true\nspeculation: adaptive\n',
    isTargeted: true,
  },
] as const;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const failpoints = [
  'build:after_compose',
  'build:after_update',
  'build:after_open',
  'build:after_branch',
  'clean_up:after_host',
  'comment:before_host',
  'conclude:after_host',
  'bot:after_close',
  'retry:after_host',
  'landing:before_gate',
  'landing:before_move',
  'landing:after_gate',
  'landing:after_host',
  'landing:after_conclude',
];

export async function simulate(given: Simulation): Promise<Outcome> {
  const mode = modes[given.seed % modes.length] ?? modes[0];
  await using i = await openInstallation(mode.rules);
  const disarm = failpoints.map((name) => onFailpoint(name, passBoundary));
  try {
    return await play(given, i, mode.isTargeted);
  } finally {
    for (const each of disarm) each();
  }
}

interface Played {
  readonly i: Installation;
  readonly w: Working;
  readonly rules: Rules;
  readonly promises: Promises;
  readonly tasks: Task[];
  readonly isTargeted: boolean;
  readonly say: (line: string) => void;
  /** Records a fault of this kind for the present step. */
  readonly fault: (kind: string) => void;
}

async function play(given: Simulation, i: Installation, isTargeted: boolean): Promise<Outcome> {
  const { seed, days, steps: maxSteps = Number.POSITIVE_INFINITY, every = 25, tell = () => {} } = given;
  const promises = noPromises();
  const truth = createTruth(i);
  const rules = createRules(i, promises, truth);
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
  const p: Played = { i, w, rules, promises, tasks: [], isTargeted, say, fault };
  const end = firstInstant + days * day;
  const concluded = async (problems: readonly string[], failedAt: number | null): Promise<Outcome> => {
    const events = await i.rows(
      'select id, action, pull_request_id, batch_id, at, position, payload from event order by id',
    );
    hash.update(JSON.stringify(events));
    hash.update(await i.git('rev-parse', 'refs/heads/main'));
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
    const problems = await takeStep(p, { draw: drawsOf(seed, step), step, isCalm: given.calm?.has(step) ?? false });
    const found = [...problems, ...(step % every === 0 ? await rules.lookAtAll() : await rules.look())];
    if (found.length > 0) return await concluded(found, step);
  }
  say('rest');
  const stays = await comeToRest(p, drawsOf(seed, -2));
  return await concluded(stays.length > 0 ? stays : await rules.lookAtTheEnd(), null);
}

interface Step {
  readonly draw: Draws;
  readonly step: number;
  readonly isCalm: boolean;
}

/** Takes a step, and returns the unexpected answers. */
async function takeStep(p: Played, { draw, step, isCalm }: Step): Promise<string[]> {
  const { i, say } = p;
  const passMs = draw.weighted<number>([
    [65, (1 + draw.below(5)) * second],
    [25, (10 + draw.below(50)) * second],
    [9, (1 + draw.below(10)) * minute],
    [1, (1 + draw.below(6)) * hour],
  ]);
  // The clock is corrected, and goes back a little.
  const isSet = draw.chance(0.004);
  const setMs = draw.below(20) * second;
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
    [18, 'person'],
    [4, 'fault'],
    [78, 'work'],
  ] as const);
  const run = chooseRun(draw, isCalm);
  const by = draw.pick(i.processes);
  say(`${step} ${new Date(i.time.now()).toISOString()}`);
  if (kind === 'fault') {
    if (!isCalm) await happen(p, draw);
    return [];
  }
  const task = kind === 'person' ? beginAct(p, by, draw) : await chooseTask(p, by, draw);
  if (task === null) return [];
  return await goOn(p, task, run);
}

function chooseRun(draw: Draws, isCalm: boolean): Run {
  const boundaries = draw.below(14);
  const run = draw.weighted<Run>([
    [70, toTheEnd],
    [18, { boundaries, ending: 'hold' }],
    [6, { boundaries, ending: 'refuse' }],
    [6, { boundaries, ending: 'lose' }],
  ]);
  return isCalm ? toTheEnd : run;
}

function beginAct(p: Played, by: Process, draw: Draws): Task | null {
  const act = chooseAct({ i: p.i, promises: p.promises, draw, by, isTargeted: p.isTargeted });
  if (act === null) return null;
  const key = `person ${act.subject}`;
  const under = p.w.alone.get(key);
  if (under !== undefined && under.state !== 'done') return null;
  const task = newTask(by.name, act.name, act.work);
  p.w.alone.set(key, task);
  p.tasks.push(task);
  return task;
}

async function chooseTask(p: Played, by: Process, draw: Draws): Promise<Task | null> {
  const now = p.i.time.now();
  const held = p.tasks.filter(({ state, until }) => state === 'held' && (until === null || until <= now));
  const choices = await choicesOf(p.w, by, draw);
  const picked = draw.weighted<(() => Task) | null>([
    ...held.map((task) => [2, () => task] as const),
    ...choices.map(({ weight, begin }) => [weight, begin] as const),
    [0.01, null],
  ]);
  const task = picked?.() ?? null;
  if (task !== null && task.state === 'new') p.tasks.push(task);
  return task;
}

async function goOn(p: Played, task: Task, run: Run): Promise<string[]> {
  const { tasks, say } = p;
  await runTask(task, run);
  if (run.ending !== 'hold' && task.hadFault)
    p.fault(run.ending === 'refuse' ? 'a refused statement' : 'a lost answer');
  if (task.state === 'held') p.fault('work held up');
  const failed = task.error === null ? '' : `: ${String(task.error)}`;
  say(`${task.process} ${task.name} ${task.state}${failed}`);
  tasks.splice(0, tasks.length, ...tasks.filter(({ state }) => state !== 'done'));
  if (task.error === null || isOutage(task.error)) return [];
  // Work may fail with a DomainError if other work has overtaken it. Then it is tried again.
  if (task.error instanceof DomainError) return [];
  return [`${task.name} failed: ${task.error.stack ?? ''}`];
}

async function happen(p: Played, draw: Draws): Promise<void> {
  const { i, w, tasks, say, fault } = p;
  const kind = draw.weighted([
    [30, 'a process is killed'],
    [6, 'all processes are killed'],
    [20, 'hints are lost'],
    [10, 'wakes are lost'],
    [8, 'Temporal forgets'],
    [26, 'Temporal gives work up'],
  ] as const);
  const at = draw.below(processCount);
  const which = draw.real();
  say(kind);
  fault(kind);
  if (kind === 'a process is killed') await kill(p, at);
  else if (kind === 'all processes are killed') {
    for (let each = 0; each < processCount; each += 1) await kill(p, each);
    for (const { service } of i.processes.slice(0, 1)) await service.recover();
  } else if (kind === 'hints are lost') {
    i.hints.splice(0);
    await i.rows('delete from host_hint');
  } else if (kind === 'wakes are lost') i.woken.clear();
  else if (kind === 'Temporal forgets') {
    i.woken.clear();
    i.retries.clear();
    w.workflows.deadlines.clear();
    w.workflows.batches.clear();
    w.workflows.turns.clear();
  } else {
    const held = tasks.filter(({ state, name }) => state === 'held' && /^(turn|step)/.test(name));
    const task = held[Math.floor(which * held.length)];
    if (task !== undefined) say(`${task.process} ${task.name}`);
    if (task !== undefined) forget(p, task, 0);
  }
}

/** Makes the workflow start the work again, while the old task may still continue. */
function forget({ i, w: { workflows } }: Played, task: Task, afterMs: number): void {
  for (const [queueId, turn] of workflows.turns)
    if (turn === task) {
      workflows.turns.delete(queueId);
      workflows.deadlines.set(queueId, i.time.now() + afterMs);
    }
  for (const batch of workflows.batches.values())
    if (batch.task === task) Object.assign(batch, { task: null, lookAt: i.time.now() + afterMs });
}

const noticedAfterMs = 30 * second;

async function kill(p: Played, at: number): Promise<void> {
  const { i, tasks } = p;
  const name = i.processes[at]?.name;
  for (const task of tasks.filter(({ process }) => process === name)) {
    forget(p, task, noticedAfterMs);
    task.state = 'done';
  }
  tasks.splice(0, tasks.length, ...tasks.filter(({ process }) => process !== name));
  await i.kill(at);
}

const shortPauseMs = 20 * second;
const longPauseMs = 10 * minute;
/**
 * Checks, retries and leases take minutes. Work that is left after an hour of short and two hours of long pauses does
 * not end.
 */
const shortPauses = 180;
const longPauses = 12;

/** Continues without faults until nothing is left to do. Returns what does not hold, or the work that does not end. */
async function comeToRest(p: Played, draw: Draws): Promise<string[]> {
  const { i, w, tasks } = p;
  w.truth.beHonest();
  i.answer = () => 'accepted';
  // The last hints are lost too. The reconciler must find what they reported.
  i.hints.splice(0);
  const [first] = i.processes;
  if (first === undefined) return [];
  for (const kind of ['pause', 'branch pause', 'freeze'] as const) {
    p.promises.held[kind] = null;
    await setHold(first, kind, false);
  }
  let longRounds = 0;
  for (let round = 0; round < shortPauses || longRounds < longPauses; round += 1) {
    const problems: string[] = [];
    const runAll = async (begun: readonly Task[]): Promise<void> => {
      for (const task of begun) problems.push(...(await goOn(p, task, toTheEnd)));
    };
    await runAll([...tasks]);
    for (const by of i.processes) await runAll(await beginAll(p, by, draw, (weight) => weight < 2));
    for (let turns = 0; turns < 60 && (turns === 0 || (await isAnythingDue(p))); turns += 1)
      for (const by of i.processes) {
        await runAll(await beginAll(p, by, draw, (weight) => weight >= 2));
      }
    problems.push(...(await p.rules.look()));
    if (problems.length > 0) return problems;
    const left = await whatIsLeft(p);
    if (tasks.length === 0 && left.length === 0 && !(await isAnythingDue(p))) return [];
    const isOnlyWebhooks = tasks.length === 0 && left.every((each) => each.startsWith('delivery'));
    const retryAt = Math.min(...i.retries.values());
    if (round >= shortPauses) longRounds += 1;
    const pauseMs = round < shortPauses ? shortPauseMs : longPauseMs;
    const next = i.time.now() + pauseMs;
    await i.time.set(isOnlyWebhooks && Number.isFinite(retryAt) ? Math.max(next, retryAt) : next);
  }
  return [`The installation does not come to rest: ${(await whatIsLeft(p)).join('; ')}`];
}

async function beginAll(p: Played, by: Process, draw: Draws, isMeant: (weight: number) => boolean): Promise<Task[]> {
  const begun = (await choicesOf(p.w, by, draw)).filter(({ weight }) => isMeant(weight)).map(({ begin }) => begin());
  p.tasks.push(...begun);
  return begun;
}

async function isAnythingDue({ i, w }: Played): Promise<boolean> {
  const now = i.time.now();
  const checks = await i.rows("select 1 from local_check_run where state = 'queued' limit 1");
  return (
    checks.length > 0 ||
    i.woken.size > 0 ||
    i.hints.length > 0 ||
    i.running.length > 0 ||
    [...w.workflows.batches.values()].some(({ lookAt }) => lookAt <= now)
  );
}

async function whatIsLeft({ i }: Played): Promise<string[]> {
  const rows = await i.rows<{ left: string }>(
    `select format('#%s is %s', number, status) as left from pull_request where status in ('queued', 'tagged')
     union all select format('batch %s is %s', id, state) from batch where cleaned_up_at is null
     union all select format('intent %s (%s) is %s', id, kind, state) from intent where state in ('planned', 'started')
     union all select format('queue %s is not planned', id) from queue where version > planned_version
     union all select format('event %s has no position', id) from event where position is null
     union all select format('the outbox is behind') from webhook_cursor c join event_head h on h.account_id = c.account_id where c.position < h.position
     union all select format('delivery %s is %s', id, state) from webhook_delivery where state in ('pending', 'retrying')
     union all select format('pull request %s waits for a notification', number) from pull_request where notify_at is not null
     union all select format('check %s is %s', id, state) from local_check_run where state <> 'completed'`,
  );
  return rows.map(({ left }) => left);
}
