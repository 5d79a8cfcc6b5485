// A policy that knows every outcome. Each change is built once, as soon as it arrives, on the changes that will land
// before it. It lands when its build has ended and all earlier changes that overlap it have left the queue. The waits of
// all policies are shown as ratios to the waits of this policy.
import type { Change, Policy, PolicySetup } from '../../../src/domain/simulation/policy.ts';

export function inOrderOracle({ truth }: PolicySetup): Policy {
  const landed = new Set<number>();
  const survivors = new Set<number>();
  const isDone = new Set<number>();
  return {
    knowsOutcomes: true,
    decide(queue, actions) {
      for (const change of queue.news.arrived) {
        const assumes = queue.earlierOverlapping(change).flatMap(({ number }) => (survivors.has(number) ? number : []));
        if (truth.isGreen(landed, [...assumes, change.number])) survivors.add(change.number);
        actions.start({ assumes, members: [change.number] });
      }
      for (const build of queue.news.finished) for (const member of build.members) isDone.add(member);
      if (queue.news.finished.length === 0) return;
      const isReady = (change: Change): boolean =>
        isDone.has(change.number) && queue.earlierOverlapping(change).length === 0;
      for (const change of [...queue.pending]) {
        if (!isReady(change)) continue;
        if (survivors.has(change.number)) {
          actions.land([change.number], []);
          landed.add(change.number);
        } else actions.eject(change.number);
      }
    },
  };
}
