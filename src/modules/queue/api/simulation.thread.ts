// Runs simulations in a thread. They are pure CPU work with a time limit.
import { compare, type Past } from '../../../domain/simulation/comparison.ts';
import { forecast } from '../../../domain/simulation/forecast.ts';
import { findMovedEtas, type LineChange } from '../../../domain/simulation/moved-etas.ts';
import type { BuildStatistics } from '../../../domain/simulation/build-statistics.ts';
import type { QueueRules } from '../../../domain/queue/model/rules.ts';
import type { Snapshot } from '../../../domain/queue/model/snapshot.ts';
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
  readonly statistics: BuildStatistics | null;
  readonly budgetMs: number;
}

export interface MovesTask {
  readonly kind: 'moves';
  readonly change: LineChange;
  readonly now: number;
  readonly statistics: BuildStatistics | null;
  readonly budgetMs: number;
}

type Task = ReplayTask | ForecastTask | MovesTask;

/** Progress is reported in steps of this size, because people do not notice smaller steps. */
const reportedStep = 0.01;

answerTasks((task, report) => perform(task as Task, report));

function perform(task: Task, report: (progress: number) => void) {
  const { budgetMs } = task;
  const startedAt = performance.now();
  const spent = () => (performance.now() - startedAt) / budgetMs;
  switch (task.kind) {
    case 'replay':
      return compare(task.past, { rules: task.rules, spent, onProgress: inSteps(report) });
    case 'forecast':
      return forecast(task.snapshot, task.now, { statistics: task.statistics, isOver: () => spent() > 1 });
    case 'moves':
      return findMovedEtas(task.change, task.now, { statistics: task.statistics, isOver: () => spent() > 1 });
    default:
      return task satisfies never;
  }
}

function inSteps(report: (progress: number) => void): (progress: number) => void {
  let reported = 0;
  return (progress) => {
    if (progress < reported + reportedStep) return;
    reported = progress;
    report(progress);
  };
}
