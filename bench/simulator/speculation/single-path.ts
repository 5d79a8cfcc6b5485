// Policies that build each change under one set of assumptions. They assume that all changes before it land, except
// changes whose build is red.
import type { Change, QueueActions, Policy, QueueView } from '../../../src/domain/simulation/policy.ts';
import { Paths, removeFromKey, type Head, type WaitsFor } from './paths.ts';

export interface SinglePathRules {
  readonly waitsFor: WaitsFor;
  /** How many changes may be heads at once. Default: all. */
  readonly maxHeads?: () => number;
  /**
   * Called once for each decision. The result is called for each change in order, and returns whether it may be built.
   */
  readonly window?: () => (head: Head) => boolean;
  readonly onDecided?: (change: Change, hasLanded: boolean) => void;
}

/**
 * Each change lands or is ejected after all changes that it waits for. Until a change with a red build is ejected, the
 * changes behind it are built without it, and builds that contain it are stopped.
 */
export function singlePath(rules: SinglePathRules): Policy {
  const paths = new Paths(rules.waitsFor);
  return {
    decide(queue, actions) {
      paths.sync(queue);
      for (const head of paths.heads.values()) decideHead(head, { paths, rules, queue, actions });
      paths.takeIn(queue, rules.maxHeads?.());
      build({ paths, rules, queue, actions });
    },
  };
}

interface Decision {
  readonly paths: Paths;
  readonly rules: SinglePathRules;
  readonly queue: QueueView;
  readonly actions: QueueActions;
}

function decideHead(head: Head, { paths, rules, actions }: Decision): void {
  if (head.undecided.size > 0) return;
  const ended = head.paths.find((path) => path.verdict !== 'pending');
  if (ended === undefined) return;
  const hasPassed = ended.verdict === 'green';
  if (hasPassed) paths.land([head], ended.build, actions);
  else paths.eject(head, actions);
  rules.onDecided?.(head.change, hasPassed);
}

// Builds are stopped before other builds are started, so that an earlier change gets the worker of a later change.
function build({ paths, rules, queue, actions }: Decision): void {
  const suspects: number[] = [];
  const missing: { readonly head: Head; readonly assumes: readonly number[] }[] = [];
  const isInWindow = rules.window?.() ?? (() => true);
  for (const head of paths.heads.values()) {
    const mayStart = isInWindow(head);
    const excluded = suspects.filter((suspect) => head.undecided.has(suspect));
    const wantedKey = excluded.reduce(removeFromKey, head.key);
    const path = head.paths.find(({ key }) => key === wantedKey);
    if (path?.verdict === 'red') suspects.push(head.change.number);
    for (const other of head.paths) if (other !== path && other.verdict === 'pending') paths.drop(head, other, actions);
    if (path === undefined && mayStart)
      missing.push({ head, assumes: [...head.undecided].filter((number) => !excluded.includes(number)) });
  }
  for (const { head, assumes } of missing.slice(0, queue.idleWorkers)) paths.start(head, assumes, actions);
}
