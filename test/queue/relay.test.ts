// Which queues the relay wakes while time passes.
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Ports, Wake } from '../../src/context.ts';
import { createRelay } from '../../src/modules/queue/index.ts';
import { repeat } from '../../src/platform/repeat.ts';

const queue = { account_id: '1', id: '7', planned_version: '3', next_look_at: '2026-01-01T00:00:00Z' };

/** A relay that finds the queues of `due` at each look. `wakes` has the ids of the queues that it woke. */
function relayOf(due: () => readonly (typeof queue)[]) {
  const wakes: string[] = [];
  const query = async (text: string): Promise<unknown> => (text.includes('next_look_at <=') ? due() : []);
  const ports = {
    clock: () => new Date(),
    log: pino({ level: 'silent' }),
    db: { system: { query } },
    wake: async (whose: Wake) => {
      if ('queueId' in whose) wakes.push(whose.queueId);
    },
  } as unknown as Ports;
  const relay = createRelay(ports);
  return {
    relay: repeat(
      1_000,
      async () => await relay.look(),
      () => {},
    ),
    wakes,
  };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a queue whose turn is delayed is woken again every ten seconds, not at every look', async () => {
  const { relay, wakes } = relayOf(() => [queue]);
  relay.start();
  await vi.advanceTimersByTimeAsync(29_500);
  await relay.stop();
  expect(wakes).toEqual(['7', '7', '7']);
});

it('a queue that is due again, and was planned since its last wake, is woken at once', async () => {
  let turns = 0;
  const { relay, wakes } = relayOf(() => [{ ...queue, planned_version: String((turns += 1)) }]);
  relay.start();
  await vi.advanceTimersByTimeAsync(4_500);
  await relay.stop();
  expect(wakes).toHaveLength(5);
});
