// What a process remembers of queues, for as long as a database is open. It may forget at any time, because whatever is
// remembered only saves work.
import type { Database } from '../../../platform/database.ts';

export interface QueueMemory<T> {
  find(db: Database, queueId: string): T | undefined;
  keep(db: Database, queueId: string, value: T): void;
  forget(db: Database, queueId: string): void;
}

const maxKept = 10_000;

export function createQueueMemory<T>(): QueueMemory<T> {
  const all = new WeakMap<Database, Map<string, T>>();
  return {
    find: (db, queueId) => all.get(db)?.get(queueId),
    keep(db, queueId, value) {
      const kept = all.get(db) ?? new Map<string, T>();
      all.set(db, kept);
      if (kept.size >= maxKept) kept.clear();
      kept.set(queueId, value);
    },
    forget: (db, queueId) => void all.get(db)?.delete(queueId),
  };
}
