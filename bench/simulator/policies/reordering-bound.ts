// Not a policy anybody could run: a bound. It knows outcomes, builds each change once, on just what it will land on, and
// lands it when that build is done, whoever is before it. With a worker for everybody no policy that builds each change
// once lands any change sooner, but one that lands a change by the build of another one, behind it. With fewer workers
// it takes them in order of arrival, and one that took short builds first would have a lower median.
import type { Change, Policy, PolicySetup } from '../../../src/domain/simulation/policy.ts';

export function reorderingBound({ truth }: PolicySetup): Policy {
  const landed = new Set<number>();
  const done = new Set<number>();
  return {
    knowsOutcomes: true,
    decide(queue, desk) {
      for (const { number } of queue.news.arrived) desk.start({ assumes: [], members: [number] });
      for (const build of queue.news.finished) for (const member of build.members) done.add(member);
      const isGood = (change: Change): boolean => truth.isGreen(landed, [change.number]);
      for (const change of queue.pending.filter(({ number }) => done.has(number))) {
        if (isGood(change)) {
          desk.land([change.number], []);
          landed.add(change.number);
        } else if (queue.earlierOverlapping(change).length === 0) desk.eject(change.number);
      }
    },
  };
}
