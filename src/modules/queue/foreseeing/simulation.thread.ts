// What is simulated is simulated here: pure CPU, bounded in time.
import { compare, type Past } from '../../../domain/simulation/comparison.ts';
import { forecast } from '../../../domain/simulation/forecast.ts';
import type { Experience } from '../../../domain/simulation/guess.ts';
import type { QueueRules, Snapshot } from '../../../domain/queue/snapshot.ts';
import { answerTasks } from '../../../platform/threads.ts';

export interface ReplayTask {
  readonly kind: 'replay';
  readonly past: Past;
  readonly rules: readonly QueueRules[];
  /** Shared by the replays in equal parts. */
  readonly budgetMs: number;
}

export interface ForecastTask {
  readonly kind: 'forecast';
  readonly snapshot: Snapshot;
  readonly now: number;
  readonly experience: Experience | null;
  readonly budgetMs: number;
}

answerTasks((task) => perform(task as ReplayTask | ForecastTask));

function perform(task: ReplayTask | ForecastTask) {
  const { budgetMs } = task;
  const startedAt = performance.now();
  const isSpent = (share: number) => performance.now() - startedAt > budgetMs * share;
  switch (task.kind) {
    case 'replay':
      return compare(task.past, task.rules, (replays) => isSpent((replays + 1) / task.rules.length));
    case 'forecast':
      return forecast(task.snapshot, task.now, { experience: task.experience, isOver: () => isSpent(1) });
    default:
      return task satisfies never;
  }
}
