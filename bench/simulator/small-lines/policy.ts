// The best policy of a small line as a policy of the simulator. After every event it builds the trees that the search
// chose. A build of another tree is stopped, because in a small line that costs nothing.
import type { Build, Policy, QueueActions, QueueView } from '../../../src/domain/simulation/policy.ts';
import type { Optimum } from './optimum.ts';

export function optimumPolicy(optimum: Optimum): Policy {
  let known = optimum.begin;
  let arrived = 0;
  /** The changes that have landed at each landing, as a set. */
  const landed: number[] = [0];
  const running = new Map<number, Build>();
  const treeOf = ({ base, assumes, members }: Build): number => (landed[base] ?? 0) | setOf([...assumes, ...members]);
  const land = (tree: number, build: Build, actions: QueueActions): void => {
    const before = landed.at(-1) ?? 0;
    if ((tree & before) !== before || tree === before) return;
    actions.land(changesOf(tree & ~before), [build]);
    landed.push(tree);
  };
  const build = (queue: QueueView, actions: QueueActions): void => {
    const before = landed.at(-1) ?? 0;
    const { trees } = optimum.choose(arrived, known);
    for (const [tree, { id }] of running) {
      if (trees.includes(tree)) continue;
      running.delete(tree);
      actions.cancel(id);
    }
    const ejected = changesOf(((1 << arrived) - 1) & ~optimum.boundsOf(known).possible);
    for (const change of ejected) if (queue.isPending(change)) actions.eject(change);
    for (const tree of trees)
      if (!running.has(tree)) running.set(tree, actions.start({ assumes: [], members: changesOf(tree & ~before) }));
  };
  return {
    decide(queue, actions) {
      arrived += queue.news.arrived.length;
      for (const ended of queue.news.finished) {
        const tree = treeOf(ended);
        running.delete(tree);
        known = optimum.after(known, tree, ended.verdict === 'green');
        if (ended.verdict === 'green') land(tree, ended, actions);
      }
      build(queue, actions);
    },
  };
}

function setOf(changes: readonly number[]): number {
  return changes.reduce((set, change) => set | (1 << change), 0);
}

function changesOf(set: number): number[] {
  return Array.from({ length: 32 }, (_, change) => change).filter((change) => ((set >>> change) & 1) === 1);
}
