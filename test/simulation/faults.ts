// Faults of processes, messages, Temporal and disks.
import type { Draws } from './draws.ts';
import { processCount } from './installation.ts';
import { minute, second, type Played } from './played.ts';
import type { Task } from './tasks.ts';

/** The most that the clock of a process is ahead or behind. */
const longestJumpMs = 5 * minute;

const kinds = [
  [20, 'a process is killed'],
  [4, 'all processes are killed'],
  [20, 'hints are lost'],
  [10, 'wakes are lost'],
  [8, 'Temporal forgets'],
  [26, 'Temporal gives work up'],
  [8, 'the disk of the repositories is full'],
  [6, 'the clock of a process jumps'],
] as const;

export async function happen(p: Played, draw: Draws): Promise<void> {
  const { i, w, tasks, say, fault } = p;
  const { has } = p.today();
  const possible = kinds.filter(([, each]) => has(each));
  if (possible.length === 0) return;
  const kind = draw.weighted(possible);
  const drawn = draw.below(processCount);
  const at = draw.chance(0.5) ? (findHolder(p) ?? drawn) : drawn;
  const which = draw.real();
  const fullMs = (1 + draw.below(5)) * minute;
  const jumpMs = draw.chance(0.3) ? 0 : Math.round((draw.real() * 2 - 1) * longestJumpMs);
  say(kind);
  fault(kind);
  if (kind === 'a process is killed') await killAt(p, at);
  else if (kind === 'all processes are killed') {
    for (let each = 0; each < processCount; each += 1) await killAt(p, each);
    for (const { service } of i.processes.slice(0, 1)) await service.recover();
  } else if (kind === 'hints are lost') {
    i.loseHints();
    await i.rows('delete from host_hint');
  } else if (kind === 'wakes are lost') i.woken.clear();
  else if (kind === 'the disk of the repositories is full') i.fullUntil = i.time.now() + fullMs;
  else if (kind === 'the clock of a process jumps') {
    i.aheadMs[at] = jumpMs;
    say(`${i.processes[at]?.name ?? ''} is ahead by ${jumpMs} ms`);
  } else if (kind === 'Temporal forgets') {
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

/** The index of a process that runs a check, or whose work is held up. Null: there is none. */
function findHolder({ i, tasks }: Played): number | null {
  const holders = [...i.running, ...tasks.filter(({ state }) => state === 'held')].map(({ process }) => process);
  const at = i.processes.findIndex(({ name }) => holders.includes(name));
  return at === -1 ? null : at;
}

/** Makes the workflow start the work again, while the old task may still continue. */
export function forget({ i, w: { workflows } }: Played, task: Task, afterMs: number): void {
  for (const [queueId, turn] of workflows.turns)
    if (turn === task) {
      workflows.turns.delete(queueId);
      workflows.deadlines.set(queueId, i.time.now() + afterMs);
    }
  for (const batch of workflows.batches.values())
    if (batch.task === task) Object.assign(batch, { task: null, lookAt: i.time.now() + afterMs });
}

const noticedAfterMs = 30 * second;

/** Kills the process with this name, unless it is dead. */
export async function kill(p: Played, name: string): Promise<void> {
  const at = p.i.processes.findIndex((each) => each.name === name);
  if (at !== -1) await killAt(p, at);
}

async function killAt(p: Played, at: number): Promise<void> {
  const { i, tasks } = p;
  const name = i.processes[at]?.name;
  for (const task of tasks.filter(({ process }) => process === name)) {
    forget(p, task, noticedAfterMs);
    task.state = 'done';
  }
  tasks.splice(0, tasks.length, ...tasks.filter(({ process }) => process !== name));
  await i.kill(at);
}
