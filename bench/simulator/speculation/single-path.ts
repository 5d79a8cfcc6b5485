// Policies that build every change on one assumption only: all changes before it pass, except those that have just been
// seen to fail.
import type { Change, QueueActions, Policy, QueueView } from '../../../src/domain/simulation/policy.ts';
import { Paths, without, type Head, type StandsBehind } from './paths.ts';

export interface SinglePathRules {
  readonly standsBehind: StandsBehind;
  /** Changes that are looked at. Default: all. */
  readonly mostHeads?: () => number;
  /** Made once for each look along the line, and asked in order: may a build of this change be started? */
  readonly window?: () => (head: Head) => boolean;
  readonly onDecided?: (change: Change, hasLanded: boolean) => void;
}

/**
 * In order; a red build takes its change out as soon as all it was built on has landed. Until then the ones behind are
 * built without it, and what was built with it is stopped.
 */
export function singlePath(rules: SinglePathRules): Policy {
  const paths = new Paths(rules.standsBehind);
  return {
    decide(queue, actions) {
      paths.sync(queue);
      for (const head of paths.heads.values()) decideHead(head, { paths, rules, queue, actions });
      paths.takeIn(queue, rules.mostHeads?.());
      build({ paths, rules, queue, actions });
    },
  };
}

interface Look {
  readonly paths: Paths;
  readonly rules: SinglePathRules;
  readonly queue: QueueView;
  readonly actions: QueueActions;
}

function decideHead(head: Head, { paths, rules, actions }: Look): void {
  if (head.undecided.size > 0) return;
  const ended = head.paths.find((path) => path.verdict !== 'pending');
  if (ended === undefined) return;
  const hasPassed = ended.verdict === 'green';
  if (hasPassed) paths.land([head], ended.build, actions);
  else paths.eject(head, actions);
  rules.onDecided?.(head.change, hasPassed);
}

// What is stopped goes first, so that an earlier change gets the worker of a later one.
function build({ paths, rules, queue, actions }: Look): void {
  const suspects: number[] = [];
  const wishes: { readonly head: Head; readonly assumes: readonly number[] }[] = [];
  const isInWindow = rules.window?.() ?? (() => true);
  for (const head of paths.heads.values()) {
    const mayStart = isInWindow(head);
    const doubted = suspects.filter((suspect) => head.undecided.has(suspect));
    const wanted = doubted.reduce(without, head.key);
    const path = head.paths.find((known) => known.key === wanted);
    if (path?.verdict === 'red') suspects.push(head.change.number);
    for (const other of head.paths) if (other !== path && other.verdict === 'pending') paths.drop(head, other, actions);
    if (path === undefined && mayStart)
      wishes.push({ head, assumes: [...head.undecided].filter((number) => !doubted.includes(number)) });
  }
  for (const { head, assumes } of wishes.slice(0, queue.idleWorkers)) paths.start(head, assumes, actions);
}
