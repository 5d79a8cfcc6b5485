import { Context } from '@temporalio/activity';
import { systemContext, type Ports } from '../../src/context.ts';
import {
  advanceRunbook,
  carryOutRunbook,
  type RunbookAdvance,
  type RunbookAttending,
} from '../../src/modules/runbooks/index.ts';
import { runActivity } from '../shared/activities.ts';
import type { RunbookInput } from './messages.ts';

export interface RunbookActivities {
  advanceRunbook(input: RunbookInput): Promise<RunbookAdvance>;
  /** Attends to the agent, or calls the code host. Answers what came of it in words. */
  carryOutRunbook(input: RunbookInput): Promise<string>;
}

export function createRunbookActivities(ports: Ports, attending: RunbookAttending): RunbookActivities {
  return {
    advanceRunbook: async ({ accountId, runbookId }) =>
      await runActivity(async () => await advanceRunbook(systemContext(ports, accountId), runbookId)),
    carryOutRunbook: async ({ accountId, runbookId }) =>
      await runActivity(async () => {
        const signal = Context.current().cancellationSignal;
        return await carryOutRunbook(systemContext(ports, accountId), runbookId, { ...attending, signal });
      }),
  };
}
