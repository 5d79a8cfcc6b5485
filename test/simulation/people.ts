// Chooses what people do next: open, push, queue, dequeue, label, pause, freeze, close, and skip with and without the
// permission.
import { beginsWith, close, closeAtHost, dequeue, label, open, push, queue, retarget, skip } from './acts.ts';
import { changeRelease, hold, pushToBase, release } from './base-acts.ts';
import { hasRelease, hasSideBuilds, hasStacks, requiresOwnCheck } from './configurations.ts';
import { cancel, configure, rerun } from './build-acts.ts';
import { holds } from './holds.ts';
import type { Act, PullRequest, Setting } from './promises.ts';

const maxOpen = 14;

const mayRetarget = (yaml: string): boolean => hasStacks(yaml) || hasRelease(yaml);

/** Null: no act is possible now. */
export function chooseAct(setting: Setting): Act | null {
  const { i, promises, draw } = setting;
  const known = promises.pullRequests.filter(({ number }) => number !== null && !promises.merged.has(number));
  const checked = i.running.map(({ run }) => run.commit);
  const stopped = [...promises.stopped];
  const opened = promises.pullRequests.filter(({ number }) => number !== null);
  const some = (): PullRequest => draw.pick(draw.chance(0.95) ? known : opened);
  const idle = known.filter(({ number }) => number !== null && !promises.asked.has(number));
  const someIdle = (): PullRequest => draw.pick(idle.length > 0 && draw.chance(0.9) ? idle : known);
  const acts: [number, (() => Act) | null][] = [
    [known.length < maxOpen ? 22 : 8, () => open(setting)],
    [idle.length === 0 ? 3 : 16, known.length === 0 ? null : () => queue(setting, someIdle(), {})],
    [5, known.length === 0 ? null : () => dequeue(setting, some())],
    [3, known.length === 0 ? null : () => label(setting, some(), draw.chance(0.6))],
    [3, known.length === 0 ? null : () => push(setting, some())],
    [2, known.length === 0 ? null : () => close(setting, some(), draw.chance(0.6))],
    [2, known.length === 0 ? null : () => skip(setting, some())],
    [2, () => hold(setting, draw.pick(holds))],
    [0.6, () => hold(setting, 'deactivation')],
    // Most holds end soon. Otherwise nearly nothing would land outside of the windows without faults.
    [stopped.length === 0 ? 0 : 60, () => release(setting, draw.pick(stopped))],
    [2, () => pushToBase(setting)],
    [i.configurations.length > 2 ? 3 : 0.5, () => configure(setting)],
    [known.length > 0 && i.configurations.some(mayRetarget) ? 3 : 0, () => retarget(setting, some())],
    [beginsWith(i, hasRelease) ? 1.5 : i.configurations.some(hasRelease) ? 0.7 : 0, () => changeRelease(setting)],
    [checked.length === 0 ? 0 : beginsWith(i, requiresOwnCheck) ? 8 : 2, () => cancel(setting, draw.pick(checked))],
  ];
  const possible = acts.flatMap(([weight, act]) => (act === null || weight === 0 ? [] : [[weight, act] as const]));
  return possible.length === 0 ? null : draw.weighted(possible)();
}

const mostAtOnce = 6;

/**
 * Somebody opens two pull requests, and queues them and others at once, so that more builds wait than may run. An act is
 * chosen when the one before has ended.
 */
export function* chooseRush(setting: Setting): Generator<Act> {
  const { i, promises, draw } = setting;
  const known = promises.pullRequests.filter(({ number }) => number !== null && !promises.merged.has(number));
  // In half of the stacks nobody queues the upper one, so that only the lower one lands.
  const mayQueueSecond = !beginsWith(i, hasStacks) || draw.chance(0.5);
  if (known.length < maxOpen) yield* openTwo(setting, mayQueueSecond);
  const second = promises.pullRequests.at(-1);
  const idle = promises.pullRequests.filter(
    (each) =>
      each.number !== null &&
      !promises.asked.has(each.number) &&
      !promises.merged.has(each.number) &&
      (mayQueueSecond || each !== second),
  );
  for (const pullRequest of idle.slice(-mostAtOnce)) yield queue(setting, pullRequest, {});
}

/**
 * With stacks, the second pull request is on top of the first one. With two base branches, each of them gets one.
 * Sometimes the two are red together, mostly if they are then built beside the line.
 */
function* openTwo(setting: Setting, mayQueueSecond: boolean): Generator<Act> {
  const { i, promises, draw } = setting;
  const isHalf = draw.chance(beginsWith(i, hasSideBuilds) ? 0.6 : 0.2);
  yield open(setting, { base: 'main', below: null, isHalf });
  const first = promises.pullRequests.at(-1);
  const below = first !== undefined && first.number !== null && beginsWith(i, hasStacks) ? first : null;
  yield open(setting, {
    base: beginsWith(i, hasRelease) ? 'release' : 'main',
    below,
    mayQueue: mayQueueSecond,
    isHalf,
  });
}

/**
 * The weight of a change of the base branch. With two base branches, it is the most frequent act during a landing, and
 * with stacks before one.
 */
function weighRetarget({ i }: Setting, { isAtGate, hasBegun }: Pick<Concerned, 'isAtGate' | 'hasBegun'>): number {
  if (!i.configurations.some(mayRetarget)) return 0;
  if (hasBegun) return beginsWith(i, hasRelease) ? 20 : 6;
  if (!beginsWith(i, hasStacks)) return 6;
  return isAtGate ? 60 : 14;
}

interface Concerned {
  /** The numbers of pull requests that are in a build. */
  readonly numbers: readonly number[];
  /** The commits of their builds, and also their heads if a head has a check that is required. */
  readonly commits: readonly string[];
  /** Whether the landing of the pull requests is planned, and is to begin next. */
  readonly isAtGate: boolean;
  /** Whether the landing of the pull requests has begun. Then only the host still closes them. */
  readonly hasBegun: boolean;
  /** Whether one of the builds is for the branch `release`. */
  readonly isOnRelease: boolean;
}

/** A request to queue a pull request, mostly one that nobody has queued. Null: there is no pull request. */
export function chooseQueueing(setting: Setting): Act | null {
  const { promises, draw } = setting;
  const known = promises.pullRequests.filter(({ number }) => number !== null && !promises.merged.has(number));
  const idle = known.filter(({ number }) => number !== null && !promises.asked.has(number));
  return known.length === 0 ? null : queue(setting, draw.pick(idle.length > 0 ? idle : known), {});
}

/** Somebody queues a pull request that is in no stack and that nobody has queued, or opens one. */
export function chooseAnother(setting: Setting): Act {
  const { promises, draw } = setting;
  const alone = promises.pullRequests.filter(
    ({ number, below }) =>
      number !== null && below.length === 0 && !promises.asked.has(number) && !promises.merged.has(number),
  );
  return alone.length > 0 ? queue(setting, draw.pick(alone), {}) : open(setting, { base: 'main', below: null });
}

/** An act that concerns one of these pull requests, or all landings. Null: people know none of these pull requests. */
export function chooseActAbout(setting: Setting, of: Concerned): Act | null {
  const { numbers, commits, isAtGate, hasBegun, isOnRelease } = of;
  const { promises, draw } = setting;
  const opened = promises.pullRequests.filter(({ number }) => number !== null);
  const isConcerned = ({ number }: PullRequest): boolean => number !== null && numbers.includes(number);
  const known = opened.filter(isConcerned);
  const others = opened.filter((each) => !isConcerned(each) && !promises.merged.has(each.number ?? 0));
  // Most of them are in line. Only a pull request that is in line is put below another one without taking it out of the
  // line.
  const isAsked = ({ number }: PullRequest): boolean => number !== null && promises.asked.has(number);
  if (known.length === 0) return null;
  const pullRequest = draw.pick(known);
  return draw.weighted<() => Act>([
    [8, () => push(setting, pullRequest)],
    [5, () => dequeue(setting, pullRequest)],
    [3, () => queue(setting, pullRequest, {})],
    [2, () => close(setting, pullRequest, true)],
    [hasBegun ? 12 : 2, () => closeAtHost(setting, pullRequest)],
    [1, () => label(setting, pullRequest, false)],
    [
      weighRetarget(setting, of),
      () =>
        retarget(setting, pullRequest, {
          moment: hasBegun ? 'in a landing' : isAtGate ? 'before a landing' : 'any',
          preferred: isAtGate && beginsWith(setting.i, hasStacks) ? others.filter(isAsked) : [],
        }),
    ],
    [setting.i.configurations.some(hasRelease) ? (isOnRelease ? 10 : 2) : 0, () => changeRelease(setting)],
    [8, () => hold(setting, draw.pick(holds))],
    [hasBegun ? 0 : isAtGate ? 14 : 2, () => hold(setting, 'deactivation')],
    [3, () => pushToBase(setting)],
    [hasBegun ? 0 : 3, () => configure(setting)],
    [commits.length === 0 ? 0 : 3, () => rerun(setting, draw.pick(commits))],
    [others.length === 0 ? 0 : 3, () => queue(setting, draw.pick(others), { skipLine: true })],
  ])();
}
