// A bound and not a usable policy, because it knows the outcomes. It builds each change once and lands the change when
// this build has ended, even if other changes are before it. If every change has a worker, no policy that builds each
// change once lands a change sooner, except by the build of a later change. With fewer workers, changes are built in the
// order in which they arrive. A policy that makes short builds first would then have a lower median.
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
