// One lane with a window of prefixes, as hosted merge queues do it (Trunk, "Predictive testing", "Optimistic merging" and
// "Pending failure depth"; GitHub's merge queue with "only merge non-failing pull requests" off is much the same): the
// first 20 are built, each on all before it; a green prefix lands as a whole; a red change stays until those behind it,
// as many as the depth says, are red as well, and then leaves; everything behind it is built again.
// Ours: a depth of one, the smallest that lets a flake pass; and a red one with nothing behind it leaves at once.
import type { QueueActions, Policy, QueueView } from '../../../src/domain/simulation/policy.ts';
import { oneLane, Paths, type Head, type Path } from '../speculation/paths.ts';

const usualWindow = 20;
const failureDepth = 1;

export function prefixWindow(): Policy {
  return prefixWindowOf(usualWindow);
}

export function prefixWindowOf(size: number): Policy {
  const paths = new Paths(oneLane);
  return {
    decide(queue, actions) {
      paths.sync(queue);
      while (landLongestPrefix(paths, actions) || ejectFirst(paths, actions));
      paths.takeIn(queue, size);
      fillWindow(paths, queue, actions);
    },
  };
}

function landLongestPrefix(paths: Paths, actions: QueueActions): boolean {
  const line = [...paths.heads.values()];
  const last = line.findLastIndex((head) => prefixOf(head)?.verdict === 'green');
  const build = line[last] && prefixOf(line[last])?.build;
  if (build === undefined) return false;
  paths.land(line.slice(0, last + 1), build, actions);
  return true;
}

function ejectFirst(paths: Paths, actions: QueueActions): boolean {
  const [first, ...behind] = paths.heads.values();
  if (first === undefined || prefixOf(first)?.verdict !== 'red') return false;
  const pathsBehind = behind.slice(0, failureDepth).flatMap((head) => prefixOf(head) ?? []);
  if (pathsBehind.some((path) => path.verdict === 'pending')) return false;
  paths.eject(first, actions);
  return true;
}

function fillWindow(paths: Paths, queue: QueueView, actions: QueueActions): void {
  for (const head of paths.heads.values()) {
    if (queue.idleWorkers <= 0) return;
    if (head.paths.length === 0) paths.start(head, [...head.undecided], actions);
  }
}

/** The build of all before it and itself. A path on anything else dies with its assumption. */
function prefixOf(head: Head): Path | undefined {
  return head.paths[0];
}
