// Chooses what people do next: open, push, queue, dequeue, label, pause, freeze, close, and skip with and without the
// permission.
import {
  close,
  closeAtHost,
  dequeue,
  hold,
  label,
  open,
  push,
  pushToBase,
  queue,
  release,
  skip,
  type Act,
  type PullRequest,
  type Setting,
} from './acts.ts';
import { holds } from './holds.ts';

const maxOpen = 14;

/** Null: no act is possible now. */
export function chooseAct(setting: Setting): Act | null {
  const { promises, draw } = setting;
  const known = promises.pullRequests.filter(({ number }) => number !== null);
  const some = (): PullRequest => draw.pick(known);
  const idle = known.filter(({ number }) => number !== null && !promises.asked.has(number));
  const someIdle = (): PullRequest => draw.pick(idle.length > 0 && draw.chance(0.9) ? idle : known);
  const acts: [number, (() => Act) | null][] = [
    [known.length < maxOpen || draw.chance(0.5) ? 14 : 0, () => open(setting)],
    [26, known.length === 0 ? null : () => queue(setting, someIdle(), {})],
    [5, known.length === 0 ? null : () => dequeue(setting, some())],
    [3, known.length === 0 ? null : () => label(setting, some(), draw.chance(0.6))],
    [3, known.length === 0 ? null : () => push(setting, some())],
    [2, known.length === 0 ? null : () => close(setting, some(), draw.chance(0.6))],
    [2, known.length === 0 ? null : () => skip(setting, some())],
    [2, () => hold(setting, draw.pick(holds))],
    [5, () => release(setting, draw.pick(holds))],
    [2, () => pushToBase(setting)],
  ];
  const possible = acts.flatMap(([weight, act]) => (act === null || weight === 0 ? [] : [[weight, act] as const]));
  return possible.length === 0 ? null : draw.weighted(possible)();
}

const mostAtOnce = 6;

/** Somebody queues several pull requests at once, so that more builds wait than may run. */
export function chooseRush(setting: Setting): Act[] {
  const { promises } = setting;
  const idle = promises.pullRequests.filter(({ number }) => number !== null && !promises.asked.has(number));
  return idle.slice(-mostAtOnce).map((pullRequest) => queue(setting, pullRequest, {}));
}

/**
 * An act that concerns one of these pull requests, or all landings. Null: people know none of these pull requests.
 * `hasBegun`: the landing of the pull requests has begun. Then only the host still closes them.
 */
export function chooseActAbout(setting: Setting, numbers: readonly number[], hasBegun: boolean): Act | null {
  const { promises, draw } = setting;
  const known = promises.pullRequests.filter(({ number }) => number !== null && numbers.includes(number));
  if (known.length === 0) return null;
  const pullRequest = draw.pick(known);
  return draw.weighted<() => Act>([
    [8, () => push(setting, pullRequest)],
    [5, () => dequeue(setting, pullRequest)],
    [2, () => close(setting, pullRequest, true)],
    [hasBegun ? 12 : 2, () => closeAtHost(setting, pullRequest)],
    [1, () => label(setting, pullRequest, false)],
    [8, () => hold(setting, draw.pick(holds))],
    [3, () => pushToBase(setting)],
  ])();
}
