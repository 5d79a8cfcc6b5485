// Pull requests follow the branches they are about. While the API lags, they wait.
import type { MakePart } from '../part.ts';
import { followPush, type Push } from './follow.ts';
import { pushRules } from '../git/push-rules.ts';
import { forgetOlderRefs } from '../git/shown-refs.ts';

export const pullsPart: MakePart = (core) => {
  let waiting: Push[] = [];
  core.faults.whenCaughtUp(async () => {
    const pushes = waiting;
    forgetOlderRefs(core);
    waiting = [];
    for (const push of pushes) await followPush(core, push);
  });
  return {
    rules: pushRules,
    hear: async (event) => {
      if (event.name !== 'push') return;
      if (core.faults.isLagging()) waiting.push(event);
      else await followPush(core, event);
    },
  };
};
