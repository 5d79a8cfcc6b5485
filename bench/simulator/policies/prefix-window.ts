// One lane with a window of prefixes, as in hosted merge queues (Trunk, "Predictive testing", "Optimistic merging" and
// "Pending failure depth"; GitHub's merge queue is similar if "only merge non-failing pull requests" is off). The first
// 20 changes are built, each on all changes before it. A green prefix lands as a whole. A red change stays until the
// next changes are red too, as many as the failure depth says. Then it leaves, and all changes behind it are built
// again.
//
// Chosen here: The failure depth is one, the lowest that lets a flake pass. A red change with no change behind it
// leaves at once.
import type { QueueActions, Policy, QueueView } from '../../../src/domain/simulation/policy.ts';
import { oneLane, Paths, type Head, type Path } from '../speculation/paths.ts';

const defaultWindow = 20;
const failureDepth = 1;

export function prefixWindow(): Policy {
  return prefixWindowOf(defaultWindow);
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

/** The build of the change and all changes before it. Paths with other assumptions were dropped. */
function prefixOf(head: Head): Path | undefined {
  return head.paths[0];
}
