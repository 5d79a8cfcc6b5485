import type { Ports } from '../src/context.ts';
import { createBatchActivities, type BatchActivities } from './batch/activities.ts';
import { createQueueActivities, type QueueActivities } from './queue/activities.ts';

export function createActivities(ports: Ports): QueueActivities & BatchActivities {
  return { ...createQueueActivities(ports), ...createBatchActivities(ports) };
}
