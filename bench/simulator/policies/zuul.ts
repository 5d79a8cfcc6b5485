// Zuul's dependent pipelines (Zuul documentation, "Project Gating" and "Pipeline": window, window-floor,
// window-increase-*, window-decrease-*): a change is built on the nearest one before it that is not failing, and on all
// that one is built on. Only so many at the front are built as the window allows. It grows by one with each landing and
// is halved by each failure that is reported, but not under its floor: 20, 3, linear 1, exponential 2 are the defaults.
// A failing change is reported when all before it has been settled; until then it may turn out to be innocent.
// Ours: the version on the conflict graph. Zuul knows shared queues of projects, each with its own window; here each
// target is such a queue, and a change is in those of all its targets.
import type { Change, Policy } from '../../../src/domain/simulation/policy.ts';
import { singlePath } from '../speculation/single-path.ts';
import { conflictGraph, oneLane } from '../speculation/paths.ts';

const defaults = { window: 20, floor: 3 } as const;

export class Window {
  size: number = defaults.window;

  adjust(hasLanded: boolean): void {
    this.size = hasLanded ? this.size + 1 : Math.max(defaults.floor, Math.floor(this.size / 2));
  }
}

export function zuulOneLane(): Policy {
  const window = new Window();
  return singlePath({
    standsBehind: oneLane,
    mostHeads: () => window.size,
    window: () => (head) => head.undecided.size < window.size,
    onDecided: (_, hasLanded) => window.adjust(hasLanded),
  });
}

const everywhere = ['*'];

export function zuulConflictGraph(): Policy {
  const windows = new Map<string, Window>();
  const windowOf = (target: string): Window => {
    const known = windows.get(target) ?? new Window();
    windows.set(target, known);
    return known;
  };
  const queuesOf = ({ targets }: Change): readonly string[] => targets ?? everywhere;
  return singlePath({
    standsBehind: conflictGraph,
    window: () => {
      const places = new Map<string, number>();
      return ({ change }) => {
        let isInside = true;
        for (const target of queuesOf(change)) {
          const place = places.get(target) ?? 0;
          places.set(target, place + 1);
          isInside &&= place < windowOf(target).size;
        }
        return isInside;
      };
    },
    onDecided: (change, hasLanded) => {
      for (const target of queuesOf(change)) windowOf(target).adjust(hasLanded);
    },
  });
}
