import { tmpdir } from 'node:os';
import { inject } from 'vitest';
import { startTestServer } from '../../src/launcher/temporal.ts';

/** The run's shared server. Task queues and workflow ids need names of the test's own. */
export function testTemporal(): { readonly address: string; readonly namespace: string } {
  return inject('temporal');
}

/** For `Worker.create({ workflowBundle: workflowBundle(), … })`. */
export function workflowBundle(): { readonly codePath: string } {
  const codePath = inject('workflowBundle');
  if (codePath === null) throw new Error('There is no workflows/index.ts to make a bundle of.');
  return { codePath };
}

/** A time-skipping server of the caller's own; 0.1 s. It has no list, no count and no schedules. */
export function startTimeSkippingServer(): Promise<{ address: string; stop(): Promise<void> }> {
  return startTestServer({ dataDir: tmpdir(), cacheDir: inject('cacheDir'), log: () => undefined });
}
