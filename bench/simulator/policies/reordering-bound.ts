// A bound, not a policy that anybody could run. It knows the outcomes, builds each change once, on exactly what it will
// land on, and lands it when that build is done, even if other changes are before it. With a worker for every change,
// no policy that builds each change once lands a change sooner, unless it lands a change by the build of a later one.
// With fewer workers it takes changes in order of arrival; a policy that took short builds first would have a lower
// median.
import type { Change, Policy, PolicySetup } from '../../../src/domain/simulation/policy.ts';

export function reorderingBound({ truth }: PolicySetup): Policy {
  const landed = new Set<number>();
  const done = new Set<number>();
  return {
    knowsOutcomes: true,
    decide(queue, actions) {
      for (const { number } of queue.news.arrived) actions.start({ assumes: [], members: [number] });
      for (const build of queue.news.finished) for (const member of build.members) done.add(member);
      const isGood = (change: Change): boolean => truth.isGreen(landed, [change.number]);
      for (const change of queue.pending.filter(({ number }) => done.has(number))) {
        if (isGood(change)) {
          actions.land([change.number], []);
          landed.add(change.number);
        } else if (queue.earlierOverlapping(change).length === 0) actions.eject(change.number);
      }
    },
  };
}
