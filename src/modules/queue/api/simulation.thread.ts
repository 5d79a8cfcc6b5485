// The thread of a simulation: pure CPU work with a time limit.
import { compare, type Past } from '../../../domain/simulation/comparison.ts';
import { forecast } from '../../../domain/simulation/forecast.ts';
import type { Experience } from '../../../domain/simulation/experience.ts';
import type { QueueRules, Snapshot } from '../../../domain/queue/model/snapshot.ts';
import { answerTasks } from '../../../platform/threads.ts';

export interface ReplayTask {
  readonly kind: 'replay';
  readonly past: Past;
  readonly rules: QueueRules;
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
  const spent = () => (performance.now() - startedAt) / budgetMs;
  switch (task.kind) {
    case 'replay':
      return compare(task.past, { rules: task.rules, spent });
    case 'forecast':
      return forecast(task.snapshot, task.now, { experience: task.experience, isOver: () => spent() > 1 });
    default:
      return task satisfies never;
  }
}
