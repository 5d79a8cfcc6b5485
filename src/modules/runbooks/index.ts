export { continueRunbook, createRunbook } from './runbooks.service.ts';
export type { RunbookDriving } from './driving/agent-session.ts';
export {
  cancelRunbook,
  countOpenRunbooks,
  publishRunbook,
  retryRunbook,
  stopOpenRunbooks,
  stopRunbooks,
} from './runbooks.control.ts';
export { runbooksAreDue, wakeDueRunbooks } from './runbooks.wake.ts';
export { advanceRunbook, type RunbookAdvance } from './driving/runbook.advance.ts';
export { carryOutRunbook } from './driving/runbook.carry-out.ts';
export { runbookLogForgetting } from './retention.ts';
