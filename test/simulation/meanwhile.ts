// What happens while work is held at a failpoint: people change pull requests that have a build, or stop the landings,
// or the process dies, or Temporal gives the work up. Most faults of locks and leases show only then, between a read
// and the write that depends on it.
import { beginsWith } from './acts.ts';
import { hasStacks, requiresOwnCheck } from './configurations.ts';
import type { Draws } from './draws.ts';
import { forget, kill } from './faults.ts';
import { chooseAct, chooseActAbout, chooseAnother, chooseQueueing } from './people.ts';
import { beginAct, goOn, minute, second, type Played } from './played.ts';
import type { Setting } from './promises.ts';
import { toTheEnd, type Task } from './tasks.ts';
import { choicesOf } from './work.ts';

/** The probability that work is held at a failpoint that it reaches. */
const heldShares: Readonly<Record<string, number>> = {
  'landing:before_gate': 0.45,
  'landing:after_gate': 0.3,
  'landing:before_move': 0.3,
  'landing:after_host': 0.4,
  'landing:after_conclude': 0.1,
  'comment:before_host': 0.03,
  'conclude:after_host': 0.1,
  'retry:after_host': 0.2,
  'build:after_compose': 0.2,
  'build:after_update': 0.2,
  'build:after_open': 0.2,
  'build:after_branch': 0.2,
  'clean_up:after_host': 0.1,
  'bot:after_close': 0.1,
};

/** There the landing has begun, and only the host shows how it ends. */
const begunLandings: readonly string[] = ['landing:after_gate', 'landing:before_move', 'landing:after_host'];

export const failpoints: readonly string[] = Object.keys(heldShares);

/** Draws whether work is held at a failpoint that it reaches. */
export function isHeldAt(failpoint: string, draw: Draws): boolean {
  return draw.chance(heldShares[failpoint] ?? 0);
}

/** Lets something happen while the task is held at a failpoint, and mostly goes on with the task then. */
export async function happenMeanwhile(p: Played, task: Task, draw: Draws): Promise<string[]> {
  p.fault('a change while work is held at a failpoint');
  p.say(`meanwhile, at ${task.at ?? ''}:`);
  // The rules compare what the work has begun with the rows before people act.
  const found = await p.rules.look();
  if (found.length > 0) return [...found];
  const hasBegun = begunLandings.includes(task.at ?? '');
  const what = draw.weighted([
    [hasBegun ? 60 : 80, 'an act'],
    [hasBegun ? 30 : 10, 'the process dies'],
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
  const problems = task.at === 'landing:before_gate' ? await queueAnother(p, draw) : [];
  const acts = draw.weighted([
    [6, 1],
    [3, 2],
    [1, 3],
  ] as const);
  for (let nth = 0; nth < acts; nth += 1) problems.push(...(await act(p, task, draw)));
  if (draw.chance(0.8)) problems.push(...(await hear(p, draw)));
  // The rules about landings compare with the rows before the landing.
  problems.push(...(await p.rules.look()));
  if (problems.length > 0 || draw.chance(0.1)) return problems;
  await p.i.time.set(p.i.time.now() + (draw.chance(0.9) ? second : minute));
  return [...problems, ...(await goOn(p, task, toTheEnd))];
}

/**
 * With stacks, another pull request often enters the line. Then somebody can put a pull request that is to land on it,
 * and both stay in line.
 */
async function queueAnother(p: Played, draw: Draws): Promise<string[]> {
  const { i, promises } = p;
  if (!beginsWith(i, hasStacks) || !draw.chance(0.5)) return [];
  const by = draw.pick(i.processes);
  const task = beginAct(p, by, chooseAnother({ i, promises, draw, by }));
  return task === null ? [] : await goOn(p, task, toTheEnd);
}

/** A person acts. If the task is held in a landing, the act concerns a pull request that is to land. */
async function act(p: Played, { at }: Task, draw: Draws): Promise<string[]> {
  const { i, promises } = p;
  const by = draw.pick(i.processes);
  const rows = await i.rows<{ number: number; head: string; commit: string | null; base: string }>(
    `select p.number, p.head_sha as head, coalesce(b.tested_commit, b.commit) as commit,
            (select q.base_branch from queue q where q.account_id = b.account_id and q.id = b.queue_id) as base
     from pull_request p join batch_member m on m.account_id = p.account_id and m.pull_request_id = p.id
     join batch b on b.account_id = m.account_id and b.id = m.batch_id
     where b.ended_at is null and (not $1 or exists (
       select from intent n where n.account_id = b.account_id and n.batch_id = b.id and n.kind = 'land' and n.state in ('planned', 'started')))
     order by b.position, p.number`,
    [at?.startsWith('landing:') ?? false],
  );
  const setting = { i, promises, draw, by };
  const concerned = {
    numbers: rows.map(({ number }) => number),
    commits: rows.flatMap(({ head, commit }) => [
      ...(commit === null ? [] : [commit]),
      ...(i.configurations.some(requiresOwnCheck) ? [head] : []),
    ]),
    isAtGate: at === 'landing:before_gate',
    hasBegun: begunLandings.includes(at ?? ''),
    isOnRelease: rows.some(({ base }) => base === 'release'),
  };
  const chosen = chooseActAbout(setting, concerned) ?? chooseAct(setting);
  const task = chosen === null ? null : beginAct(p, by, chosen);
  if (task === null) return [];
  if (task.name !== 'deactivation') return await goOn(p, task, toTheEnd);
  // A deactivation that is held has changed the repository, and mostly some pull requests are still in line.
  if (draw.chance(concerned.isAtGate ? 0.8 : 0.5))
    return await goOn(p, task, { boundaries: 2 + draw.below(3), ending: 'hold' });
  return await deactivate(p, task, { by, draw });
}

/**
 * Carries out a deactivation. Somebody has begun to queue a pull request before, and this request goes on when the
 * deactivation is answered.
 */
export async function deactivate(
  p: Played,
  deactivation: Task,
  { by, draw }: Pick<Setting, 'by' | 'draw'>,
): Promise<string[]> {
  const { i, promises } = p;
  const act = chooseQueueing({ i, promises, draw, by });
  const request = act === null ? null : beginAct(p, by, act);
  if (request === null) return await goOn(p, deactivation, toTheEnd);
  const problems = [
    ...(await goOn(p, request, { boundaries: 1 + draw.below(6), ending: 'hold' })),
    ...(await goOn(p, deactivation, toTheEnd)),
  ];
  // A short request has ended before the deactivation.
  return request.state === 'held' ? [...problems, ...(await goOn(p, request, toTheEnd))] : problems;
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
