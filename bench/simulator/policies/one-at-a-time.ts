// The first change in line is built alone on the tip, and lands or leaves. Then the next change is built.
import type { Policy } from '../../../src/domain/simulation/policy.ts';

export function oneAtATime(): Policy {
  return {
    decide(queue, actions) {
      for (const build of queue.news.finished) {
        if (build.verdict === 'green') actions.land(build.members, [build]);
        else for (const member of build.members) actions.eject(member);
      }
      const [first] = queue.pending;
      if (first !== undefined && queue.builds.size === 0) actions.start({ assumes: [], members: [first.number] });
    },
  };
}
