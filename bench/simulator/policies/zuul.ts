// Zuul's dependent pipelines (Zuul documentation, "Project Gating" and "Pipeline": window, window-floor,
// window-increase-*, window-decrease-*). A change is built on all earlier changes whose builds have not
// failed. Only the first changes are built, as many as the window allows. Each
// landing makes the window larger by one, and each reported failure halves it, down to its floor. These are Zuul's
// defaults: a window of 20, a floor of 3, linear growth by 1, exponential decrease by 2. A failing change is reported
// when all changes before it are settled, because until then it may not be at fault.
//
// The version on the conflict graph is our own. Zuul has shared queues of projects, each with its own window. Here each
// target is such a queue, and a change is in the queues of all its targets.
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
    waitsFor: oneLane,
    maxHeads: () => window.size,
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
    waitsFor: conflictGraph,
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
