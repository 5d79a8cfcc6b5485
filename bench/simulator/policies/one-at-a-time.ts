// The first in line is built by itself on the tip; it lands or leaves; then the next one.
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
