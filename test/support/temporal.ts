import { inject } from 'vitest';

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
