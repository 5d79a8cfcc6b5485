// A local activity sends no heartbeats, because the worker does not support them and logs a warning for each.
import { asyncLocalStorage, Context, type Info } from '@temporalio/activity';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runActivity } from '../../workflows/shared/activities.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  { isLocal: false, heartbeats: 2 },
  { isLocal: true, heartbeats: 0 },
])(
  'five seconds of work in an activity send $heartbeats heartbeats (local: $isLocal)',
  async ({ isLocal, heartbeats }) => {
    let sent = 0;
    const context = Object.assign(Object.create(Context.prototype) as Context, {
      info: { isLocal } as Info,
      heartbeat: () => void (sent += 1),
    });
    const work = asyncLocalStorage.run(
      context,
      async () => await runActivity(async () => await new Promise((resolve) => setTimeout(resolve, 5_000))),
    );
    await vi.advanceTimersByTimeAsync(5_000);
    await work;
    expect(sent).toBe(heartbeats);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(sent).toBe(heartbeats);
  },
);
