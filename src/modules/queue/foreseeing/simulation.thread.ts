// What is simulated is simulated here: pure CPU, bounded in time.
import { compare, type Past } from '../../../domain/simulation/comparison.ts';
import type { QueueRules } from '../../../domain/queue/snapshot.ts';
import { answerTasks } from '../../../platform/threads.ts';

export interface ReplayTask {
  readonly past: Past;
  readonly rules: readonly QueueRules[];
  /** Shared by the replays in equal parts. */
  readonly budgetMs: number;
}

answerTasks((task) => replay(task as ReplayTask));

function replay({ past, rules, budgetMs }: ReplayTask) {
  const startedAt = performance.now();
  return compare(past, rules, (replays) => performance.now() - startedAt > (budgetMs * (replays + 1)) / rules.length);
}
