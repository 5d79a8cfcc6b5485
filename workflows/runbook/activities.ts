import type { Ports } from '../../src/context.ts';
import {
  advanceRunbook,
  carryOutRunbook,
  type RunbookAttending,
  type RunbookAdvance,
} from '../../src/modules/runbooks/index.ts';
import { createDrivenActivities } from '../shared/activities.ts';
import type { DrivenActivities } from '../shared/driven.ts';
import type { RunbookInput } from './messages.ts';

export type { RunbookAdvance };
export type RunbookActivities = DrivenActivities<'Runbook', RunbookInput, RunbookAdvance>;

export function createRunbookActivities(ports: Ports, attending: RunbookAttending): RunbookActivities {
  return createDrivenActivities(ports, attending, {
    kind: 'Runbook',
    idOf: ({ runbookId }: RunbookInput) => runbookId,
    advance: advanceRunbook,
    carryOut: carryOutRunbook,
  });
}
