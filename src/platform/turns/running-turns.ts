// The turns of queues that run in this process. A signal to a workflow costs five events of its history. So a queue
// whose turn runs here gets no signal: the activity that takes the turn takes another one. A plan before a wake
// (src/modules/queue/planning/plan-before-wake.ts) does the same for changes that are often irrelevant.
import type { Context, Ports } from '../../context.ts';
import type { Database } from '../database.ts';

export interface RunningTurn {
  /** Whether the queue was woken since `isWoken` was last set to false. */
  isWoken: boolean;
  /** By the clock of this process. */
  readonly beganAt: number;
  /**
   * Whether it is only a plan before a wake. It takes no wakes except those of often irrelevant changes, because other
   * wakes may be needed although the rows say nothing new: a workflow may be lost.
   */
  readonly isPlan: boolean;
}

/**
 * A turn that has run for longer takes no wakes. Temporal may have given the queue to another worker by then, and would
 * ignore what this turn returns. Must be shorter than the time limits of activities and workflow tasks.
 */
const takesWakesForMs = 2_000;

const running = new WeakMap<Database, Map<string, Set<RunningTurn>>>();

/** Returns a function that wakes rows by `wake`, except queues whose turn runs in this process. */
export function wakeUnlessRunning(
  db: Database,
  wake: Ports['wake'],
  clock: () => number = () => performance.now(),
): Ports['wake'] {
  return async (whose) => {
    const turns = 'queueId' in whose ? (running.get(db)?.get(whose.queueId) ?? []) : [];
    const isOftenIrrelevant = 'queueId' in whose && whose.isOftenIrrelevant === true;
    const taking = [...turns].filter(
      ({ beganAt, isPlan }) => clock() - beganAt < takesWakesForMs && (isOftenIrrelevant || !isPlan),
    );
    for (const turn of taking) turn.isWoken = true;
    if (taking.length === 0) await wake(whose);
  };
}

/**
 * Takes turns of a queue. `work` must read the queue's row after it has set `isWoken` to false. If the queue was woken
 * since, it is woken again after `work` has ended or failed.
 */
export async function withRunningTurn<T>(
  ctx: Pick<Context, 'db' | 'accountId' | 'wake'>,
  {
    queueId,
    beganAt = performance.now(),
    isPlan = false,
  }: { readonly queueId: string; readonly beganAt?: number; readonly isPlan?: boolean },
  work: (turn: RunningTurn) => Promise<T>,
): Promise<T> {
  const queues = running.get(ctx.db) ?? new Map<string, Set<RunningTurn>>();
  running.set(ctx.db, queues);
  const turns = queues.get(queueId) ?? new Set<RunningTurn>();
  queues.set(queueId, turns);
  const turn: RunningTurn = { isWoken: false, beganAt, isPlan };
  turns.add(turn);
  try {
    return await work(turn);
  } finally {
    turns.delete(turn);
    if (turns.size === 0) queues.delete(queueId);
    if (turn.isWoken) await ctx.wake({ accountId: ctx.accountId, queueId });
  }
}
