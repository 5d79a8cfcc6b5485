// A simulation that runs, and how its work goes on.
import { DomainError } from '../../src/domain/errors.ts';
import { HostRefused } from '../../src/hosts/port.ts';
import { isAway } from './acting.ts';
import { hasRelease } from './configurations.ts';
import type { Day } from './days.ts';
import type { Draws } from './draws.ts';
import type { Installation, Process } from './installation.ts';
import type { Act, Promises } from './promises.ts';
import type { Rules } from './rules.ts';
import { newTask, runTask, toTheEnd, type Run, type Task } from './tasks.ts';
import { choicesOf, type Working } from './work.ts';

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

export interface Played {
  readonly i: Installation;
  readonly w: Working;
  readonly rules: Rules;
  readonly promises: Promises;
  readonly tasks: Task[];
  /** By kind of task: how many boundaries the last task that ended has passed. */
  readonly lengths: Map<string, number>;
  /** The present day of the history, which says how much happens and which faults. */
  readonly today: () => Day;
  readonly say: (line: string) => void;
  /** Records a fault of this kind for the present step. */
  readonly fault: (kind: string) => void;
}

/** The name of a task without numbers. */
export function kindOfTask({ name }: Task): string {
  return name.replaceAll(/[0-9]+/g, '');
}

/** Begins what a person does. Null: another act about the same subject has not ended. */
export function beginAct(p: Played, by: Process, { name, subject, work }: Act): Task | null {
  const key = `person ${subject}`;
  const under = p.w.alone.get(key);
  if (under !== undefined && under.state !== 'done') return null;
  const task = newTask(by.name, name, work);
  p.w.alone.set(key, task);
  p.tasks.push(task);
  return task;
}

/** Goes on with a task. Returns the unexpected error of the task. */
export async function goOn(p: Played, task: Task, run: Run): Promise<string[]> {
  const { tasks, say } = p;
  await runTask(task, run);
  if (task.fault !== null) p.fault(task.fault);
  if (task.state === 'held') p.fault('work held up');
  else p.lengths.set(kindOfTask(task), task.boundaries);
  const failed = task.error === null ? '' : `: ${String(task.error)}`;
  say(`${task.process} ${task.name} ${task.state}${failed}`);
  tasks.splice(0, tasks.length, ...tasks.filter(({ state }) => state !== 'done'));
  if (task.error === null || (task.hadFault && isAway(task.error))) return [];
  // A step of a batch is tried again until the queue knows that its base branch was deleted.
  const isBaseGone = p.i.configurations.some(hasRelease) && !(await p.i.git.hasBranch('release'));
  if (task.error instanceof HostRefused && isBaseGone) return [];
  // Work may fail with a DomainError if other work has overtaken it. Then it is tried again.
  if (task.error instanceof DomainError) return [];
  return [`${task.name} failed: ${task.error.stack ?? ''}`];
}

/** Goes on with each of the tasks until it is done. */
export async function finish(p: Played, tasks: readonly Task[]): Promise<string[]> {
  const problems: string[] = [];
  // A task that is done leaves the list of the history.
  for (const task of [...tasks]) problems.push(...(await goOn(p, task, toTheEnd)));
  return problems;
}

/** Goes on with held work, and with everything that is due in all processes, until nothing is due. */
export async function goOnFairly(p: Played, draw: Draws): Promise<string[]> {
  const isDue = ({ until }: Task): boolean => until === null || until <= p.i.time.now();
  const problems = await finish(p, p.tasks.filter(isDue));
  for (const by of p.i.processes)
    problems.push(...(await finish(p, await beginAll(p, by, draw, (weight) => weight < 2))));
  for (let turns = 0; turns < 60 && (turns === 0 || (await isAnythingDue(p))); turns += 1)
    for (const by of p.i.processes)
      problems.push(...(await finish(p, await beginAll(p, by, draw, (weight) => weight >= 2))));
  return problems;
}

async function beginAll(p: Played, by: Process, draw: Draws, isMeant: (weight: number) => boolean): Promise<Task[]> {
  const begun = (await choicesOf(p.w, by, draw)).filter(({ weight }) => isMeant(weight)).map(({ begin }) => begin());
  p.tasks.push(...begun);
  return begun;
}

export async function isAnythingDue({ i, w }: Played): Promise<boolean> {
  const now = i.time.now();
  const checks = await i.rows("select 1 from local_check_run where state = 'queued' limit 1");
  return (
    checks.length > 0 ||
    i.woken.size > 0 ||
    i.hints.length > 0 ||
    i.running.length > 0 ||
    [...w.workflows.deadlines.values()].some((at) => at <= now) ||
    [...w.workflows.batches.values()].some(({ lookAt }) => lookAt <= now)
  );
}
