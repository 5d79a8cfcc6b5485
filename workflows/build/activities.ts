import { Context } from '@temporalio/activity';
import { systemContext, type Ports } from '../../src/context.ts';
import { advanceBuild, carryOutBuild, type Attending, type BuildAdvance } from '../../src/modules/releases/index.ts';
import { runActivity } from '../shared/activities.ts';
import type { BuildInput } from './messages.ts';

export interface BuildActivities {
  advanceBuild(input: BuildInput): Promise<BuildAdvance>;
  /** Calls its provider, or attends to it until it has ended. Answers what came of it in words. */
  carryOutBuild(input: BuildInput): Promise<string>;
}

export function createBuildActivities(ports: Ports, attending: Attending): BuildActivities {
  return {
    advanceBuild: async ({ accountId, candidateId }) =>
      await runActivity(async () => await advanceBuild(systemContext(ports, accountId), candidateId)),
    carryOutBuild: async ({ accountId, candidateId }) =>
      await runActivity(async () => {
        const signal = Context.current().cancellationSignal;
        return await carryOutBuild(systemContext(ports, accountId), candidateId, { ...attending, signal });
      }),
  };
}
