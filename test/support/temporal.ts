import { inject } from 'vitest';

/** The Temporal server that all tests of a run share, so task queues and workflow ids need names of their own. */
export function testTemporal(): { readonly address: string; readonly namespace: string } {
  return inject('temporal');
}

/** For `Worker.create({ workflowBundle: workflowBundle(), … })`. */
export function workflowBundle(): { readonly codePath: string } {
  const codePath = inject('workflowBundle');
  if (codePath === null) throw new Error('There is no bundle, because workflows/index.ts does not exist.');
  return { codePath };
}
