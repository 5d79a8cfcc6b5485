export { continueRunbook, createRunbook } from './runbooks.service.ts';
export type { RunbookDriving } from './driving/agent-session.ts';
export { countOpenRunbooks, stopOpenRunbooks } from './driving/recovery.ts';
export { wakeDueRunbooks } from './driving/relay.ts';
export { advanceRunbook, type RunbookAdvance } from './driving/runbook.advance.ts';
export { carryOutRunbook } from './driving/runbook.carry-out.ts';
export { cancelRunbook, publishRunbook, retryRunbook } from './runbooks.control.ts';
export { stopRunbooks } from './runbooks.control.ts';
export { runbookLogForgetting } from './retention.ts';
