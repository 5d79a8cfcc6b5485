// Updates pull requests after pushes of their branches. While the API lags, the updates wait.
import type { Core } from '../core.ts';
import type { PullRequest } from '../model/types.ts';
import type { MakePart } from '../part.ts';
import { followPush, type Push } from './follow.ts';
import { pushRules } from '../git/push-rules.ts';
import { forgetOlderRefs } from '../git/shown-refs.ts';

export const pullsPart: MakePart = (core) => {
  let waiting: Push[] = [];
  core.faults.onLagEnd(async () => {
    const pushes = waiting;
    forgetOlderRefs(core);
    waiting = [];
    for (const push of pushes) await followPush(core, push);
  });
  return {
    rules: pushRules,
    // After a kill, refs of git may be newer than the stored rows of pull requests.
    start: async () => {
      for (const pull of core.state.pullRequests.filter(({ state }) => state === 'open')) await catchUp(core, pull);
    },
    onEvent: async (event) => {
      if (event.name !== 'push') return;
      if (core.faults.isLagging()) waiting.push(event);
      else await followPush(core, event);
    },
  };
};

async function catchUp(core: Core, pull: PullRequest): Promise<void> {
  const { git, state } = core;
  const source = state.repositories.get(pull.head.repositoryId);
  const target = state.repositories.get(pull.repositoryId);
  if (source === undefined || target === undefined) return;
  const sender = state.accounts.must(source.ownerId);
  const follow = async (repository: typeof source, ref: string, from: string): Promise<void> => {
    const to = (await git.listRefs(repository, ref)).get(ref) ?? null;
    if (to === from) return;
    const isForced = to !== null && !(await git.isAncestor(repository, from, to));
    await followPush(core, { repository, sender, change: { ref, from, to }, isForced });
  };
  await follow(source, `refs/heads/${pull.head.ref}`, pull.head.sha);
  await follow(target, `refs/heads/${pull.base.ref}`, pull.base.sha);
}
