// Batches with bisection, as in bors-ng (its documentation, "How it works", after Graydon Hoare's "not rocket science
// rule"). One build runs at a time, of all changes that wait. If it is green, all its changes land. If it is red, its
// halves are built, the first half first, until a red change is alone and leaves. Changes that arrive meanwhile wait
// for the next batch.
import type { Policy } from '../../../src/domain/simulation/policy.ts';

export function batches(): Policy {
  const parts: (readonly number[])[] = [];
  let isBuilding = false;
  return {
    decide(queue, actions) {
      for (const build of queue.news.finished) {
        const { members } = build;
        isBuilding = false;
        if (build.verdict === 'green') actions.land(members, [build]);
        else if (members.length === 1) for (const member of members) actions.eject(member);
        else {
          const middle = Math.ceil(members.length / 2);
          parts.unshift(members.slice(0, middle), members.slice(middle));
        }
      }
      if (isBuilding || queue.pending.length === 0) return;
      const members = parts.shift() ?? queue.pending.map((change) => change.number);
      actions.start({ assumes: [], members });
      isBuilding = true;
    },
  };
}
