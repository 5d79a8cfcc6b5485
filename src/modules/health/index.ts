export { findOverdue, readyAnswer, watchOverdue, type Overdue } from './overdue.reads.ts';
