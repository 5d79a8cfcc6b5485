// What happens while work is held at a failpoint: people change the pull requests that the work is about, or stop the
// landings, or the process dies. Most faults of locks and leases show only then, between a read and the write that
// depends on it.
import type { Draws } from './draws.ts';
import { forget, kill } from './faults.ts';
import { chooseAct, chooseActAbout } from './people.ts';
import { beginAct, goOn, minute, second, type Played } from './played.ts';
import { toTheEnd, type Task } from './tasks.ts';
import { choicesOf } from './work.ts';

/** Where a turn or a step of a batch is held, by weight. */
const ofTurns = [
  [12, 'landing:before_gate'],
  [2, 'landing:after_gate'],
  [2, 'landing:before_move'],
  [3, 'landing:after_host'],
  [1, 'landing:after_conclude'],
  [1, 'comment:before_host'],
  [1, 'conclude:after_host'],
  [1, 'retry:after_host'],
] as const;

const ofSteps = [
  [1, 'build:after_compose'],
  [1, 'build:after_update'],
  [1, 'build:after_open'],
  [1, 'build:after_branch'],
  [1, 'clean_up:after_host'],
  [1, 'bot:after_close'],
] as const;

export const failpoints: readonly string[] = [...ofTurns, ...ofSteps].map(([, name]) => name);

/** A failpoint that the task may pass. */
export function chooseFailpoint({ name }: Task, draw: Draws): string | null {
  if (name.startsWith('turn')) return draw.weighted(ofTurns);
  return name.startsWith('step') ? draw.weighted(ofSteps) : null;
}

/** Lets something happen while the task is held at a failpoint, and then goes on with the task. */
export async function happenMeanwhile(p: Played, task: Task, draw: Draws): Promise<string[]> {
  p.fault('a change while work is held at a failpoint');
  p.say(`meanwhile, at ${task.at ?? ''}:`);
  const what = draw.weighted([
    [80, 'an act'],
    [10, 'the process dies'],
    [10, 'Temporal gives the work up'],
  ] as const);
  if (what === 'the process dies') {
    await kill(p, task.process);
    return [];
  }
  if (what === 'Temporal gives the work up') {
    forget(p, task, 0);
    return [];
  }
  const problems = await act(p, draw);
  if (draw.chance(0.8)) problems.push(...(await hear(p, draw)));
  // The rules about landings compare with the rows before the landing.
  problems.push(...(await p.rules.look()));
  if (problems.length > 0 || draw.chance(0.1)) return problems;
  await p.i.time.set(p.i.time.now() + (draw.chance(0.9) ? second : minute));
  return [...problems, ...(await goOn(p, task, toTheEnd))];
}

async function act(p: Played, draw: Draws): Promise<string[]> {
  const { i, promises, isTargeted } = p;
  const by = draw.pick(i.processes);
  const rows = await i.rows<{ number: number }>(
    `select p.number from pull_request p join batch_member m on m.account_id = p.account_id and m.pull_request_id = p.id
     join batch b on b.account_id = m.account_id and b.id = m.batch_id where b.ended_at is null order by b.position, p.number`,
  );
  const setting = { i, promises, draw, by, isTargeted };
  const chosen =
    chooseActAbout(
      setting,
      rows.map(({ number }) => number),
    ) ?? chooseAct(setting);
  const task = chosen === null ? null : beginAct(p, by, chosen);
  return task === null ? [] : await goOn(p, task, toTheEnd);
}

const maxHints = 6;

/** All processes handle the hints that they have. */
async function hear(p: Played, draw: Draws): Promise<string[]> {
  const problems: string[] = [];
  for (const by of p.i.processes)
    for (let handled = 0; handled < maxHints && p.i.hints.some(({ process }) => process === by.name); handled += 1) {
      const choice = (await choicesOf(p.w, by, draw)).find(({ name }) => name === 'hint');
      if (choice === undefined) break;
      const task = choice.begin();
      p.tasks.push(task);
      problems.push(...(await goOn(p, task, toTheEnd)));
    }
  return problems;
}
